"""Which approvals stand: for every fold the best that its records give, by the release's policy. Pure.

Takes the records and, for each that is about a fold, how the fold as it stands now grades against it. An approval
stands on a chain: a review, the deltas that followed its later revisions, the carries that took it over to other bases.
Each link must take up exactly the change that the link before left off with.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise

from verify.model.ids import BlockName, FoldId
from verify.model.release import Release
from verify.model.review import (
    Carries,
    ChangeId,
    Condition,
    ConditionKind,
    Decision,
    Grade,
    Receipt,
    Record,
    RecordKind,
    ReviewedFold,
    ReviewPolicy,
    Reviews,
)
from verify.model.stack import Stack
from verify.review.grades import Graded


class State(StrEnum):
    """How a fold stands with its reviews."""

    APPROVED = "approved"
    CARRIED = "carried"
    NEEDS_WORD = "needs a word"
    NEEDS_REVIEW = "needs review"
    REJECTED = "rejected"
    UNPROVEN = "unproven"
    UNREVIEWED = "unreviewed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unproven:
    """Why a fold could not be graded against a record: the reviewed trees, or the patch, are not there."""

    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One chain of records behind a fold, and how far it reaches.

    `chain` goes from the review to the last record; `graded` is None where the change is exactly the one on record.
    """

    chain: tuple[Record, ...]
    entry: ReviewedFold
    state: State
    graded: Graded | None
    why: str

    def grade(self) -> Grade:
        """How the fold grades against what was approved."""
        return Grade.SAME_TREE if self.graded is None else self.graded.grade

    def approver(self) -> str:
        """Who read the change last: of a chain only this one knows all of it as it is now."""
        read = [each for each in self.chain if each.kind is not RecordKind.CARRY]
        return f"{read[-1].reviewer.name} <{read[-1].reviewer.email}>" if read else ""

    def reviewers(self) -> tuple[str, ...]:
        """Everybody whose approval the chain is made of."""
        return tuple(dict.fromkeys(f"{each.reviewer.name} <{each.reviewer.email}>" for each in self.chain))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionState:
    """A condition of a standing approval: which legs have a receipt at the exact head, and which still need one."""

    block: BlockName
    record: Record
    condition: Condition
    met: tuple[Receipt, ...]
    missing: tuple[str, ...]

    def holds(self) -> bool:
        """Whether nothing is missing."""
        return not self.missing


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldStanding:
    """How one fold stands: the best of its approvals first, and the change as it is now."""

    block: BlockName
    fold: FoldId
    author: str
    present: ChangeId
    state: State
    approvals: tuple[Approval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standings:
    """Every fold in stack order, and every condition of an approval that stands."""

    folds: tuple[FoldStanding, ...]
    conditions: tuple[ConditionState, ...]


Grader = Callable[[BlockName, FoldId, Record, ReviewedFold], Graded | Unproven]


def standings(
    release: Release, stack: Stack, present: Callable[[BlockName, FoldId], ChangeId], grader: Grader
) -> Standings:
    """How every fold stands."""
    folds = tuple(
        _fold(
            block.name,
            fold.id,
            f"{fold.author.name} <{fold.author.email}>",
            present(block.name, fold.id),
            release,
            grader,
        )
        for block in release.blocks
        for fold in block.folds
    )
    standing = {
        record.id: record
        for fold in folds
        for approval in fold.approvals
        if approval.state in (State.APPROVED, State.CARRIED)
        for record in approval.chain
    }
    conditions = tuple(
        _condition(record, condition, release.reviews_of(record.block), stack)
        for record in standing.values()
        for condition in record.conditions
    )
    return Standings(folds=folds, conditions=conditions)


def chains(reviews: Reviews, fold: FoldId) -> Iterator[tuple[Record, ...]]:
    """Every chain that ends in a record about this fold and that nothing about it follows."""
    known: dict[str, Record] = {each.id: each for each in reviews.records}
    about = [each for each in reviews.records if each.entry(fold) is not None]
    followed = {each.follows for each in about}
    for last in about:
        if last.id in followed:
            continue
        chain = [last]
        while chain[0].follows and chain[0].follows in known and known[chain[0].follows] not in chain:
            chain.insert(0, known[chain[0].follows])
        yield tuple(each for each in chain if each.entry(fold) is not None)


def broken_link(chain: Sequence[Record], fold: FoldId) -> str:
    """Why a chain does not hold together for a fold; empty where it does."""
    if not chain or chain[0].kind is not RecordKind.REVIEW:
        return "it does not begin with a review"
    for before, after in pairwise(chain):
        was, now = before.entry(fold), after.entry(fold)
        if was is None or now is None or now.of != was.change.patch:
            return f"{after.file} does not take up the patch that {before.file} left off with"
        if after.kind is RecordKind.CARRY:
            certificate = now.certificate
            if certificate is None:
                return f"{after.file} carries without a certificate"
            if certificate.reviewed != was.change or certificate.present != now.change:
                return f"the certificate in {after.file} is about other changes"
    return ""


def lenient(chain: Sequence[Record], fold: FoldId, policy: ReviewPolicy) -> str:
    """Why a carry in the chain is not enough under this policy; empty where all are."""
    for each in chain:
        entry = each.entry(fold)
        if each.kind is not RecordKind.CARRY or entry is None or entry.certificate is None:
            continue
        asks = policy.asks(entry.certificate.grade)
        if asks is Carries.BY_REVIEW or (asks is Carries.BY_WORD and not each.word):
            return f"{each.file} carries what is `{entry.certificate.grade}`, which asks for a {asks}"
    return ""


def _fold(
    block: BlockName, fold: FoldId, author: str, present: ChangeId, release: Release, grader: Grader
) -> FoldStanding:
    approvals = [
        _approval(chain, block, fold, present, release.review_policy, grader)
        for chain in chains(release.reviews_of(block), fold)
    ]
    approvals.sort(key=lambda each: (_ORDER.index(each.state), list(Grade).index(each.grade())))
    state = approvals[0].state if approvals else State.UNREVIEWED
    if any(each.state is State.REJECTED for each in approvals):
        state = State.REJECTED
    good = [each for each in approvals if each.state in (State.APPROVED, State.CARRIED)]
    people = {each.approver() for each in good} - {author}
    if state in (State.APPROVED, State.CARRIED) and len(people) < release.review_policy.approvals:
        state = State.NEEDS_REVIEW
    return FoldStanding(block=block, fold=fold, author=author, present=present, state=state, approvals=tuple(approvals))


_ORDER = (
    State.APPROVED,
    State.CARRIED,
    State.NEEDS_WORD,
    State.UNPROVEN,
    State.NEEDS_REVIEW,
    State.REJECTED,
    State.UNREVIEWED,
)


def _approval(
    chain: tuple[Record, ...], block: BlockName, fold: FoldId, present: ChangeId, policy: ReviewPolicy, grader: Grader
) -> Approval:
    last = chain[-1]
    entry = last.entry(fold)
    assert entry is not None
    exact = entry.change == present
    if last.decision is Decision.REJECTED:
        state = State.REJECTED if exact else State.NEEDS_REVIEW
        return Approval(chain=chain, entry=entry, state=state, graded=None, why=f"rejected: {last.scope}")
    wrong = broken_link(chain, fold) or lenient(chain, fold, policy)
    if wrong:
        return Approval(chain=chain, entry=entry, state=State.NEEDS_REVIEW, graded=None, why=wrong)
    carried = any(each.kind is RecordKind.CARRY for each in chain)
    if exact:
        state = State.CARRIED if carried else State.APPROVED
        return Approval(chain=chain, entry=entry, state=state, graded=None, why="exactly this change")
    graded = grader(block, fold, last, entry)
    if isinstance(graded, Unproven):
        return Approval(chain=chain, entry=entry, state=State.UNPROVEN, graded=None, why=graded.why)
    match policy.asks(graded.grade):
        case Carries.BY_ITSELF:
            state = State.CARRIED
        case Carries.BY_WORD:
            state = State.NEEDS_WORD
        case Carries.BY_REVIEW:
            state = State.NEEDS_REVIEW
    why = graded.reasons[0].why if graded.reasons else graded.grade.value
    return Approval(chain=chain, entry=entry, state=state, graded=graded, why=why)


def _condition(record: Record, condition: Condition, reviews: Reviews, stack: Stack) -> ConditionState:
    here = [
        each
        for each in reviews.receipts
        if (each.review, each.condition) == (record.id, condition.id)
        and (each.tree, each.commit) == (stack.tip_tree(), stack.tip_commit())
        and each.failures == 0
    ]
    if condition.kind is ConditionKind.AFTER_RELEASE:
        missing: tuple[str, ...] = () if here else ("after the release",)
        return ConditionState(block=record.block, record=record, condition=condition, met=tuple(here), missing=missing)
    green = [each for each in here if each.leg in condition.legs and each.tests > 0]
    missing = tuple(leg for leg in condition.legs if leg not in {each.leg for each in green})
    return ConditionState(block=record.block, record=record, condition=condition, met=tuple(green), missing=missing)


def owing(folds: Iterable[FoldStanding]) -> tuple[FoldStanding, ...]:
    """The folds of which something is still to be read or said."""
    return tuple(each for each in folds if each.state not in (State.APPROVED, State.CARRIED))
