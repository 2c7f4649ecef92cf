"""reviews.json: how every fold stands with its reviews, as a program without YAML reads it, and the check of it.

Takes what the seal printed of the standings that the verdict's gate judged; gives findings. The changes that it is
about are computed again, every record that it names must be a declared file of that digest, and release.json's policy
is asked once more: who approved, how many, signed by whom. What a record says beyond its bytes is not read here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verify.bundle.document import read_document, render_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import REVIEWS
from verify.bundle.policy import review_policy_of
from verify.diff.identity import change_identity
from verify.diff.parse import parse_canonical
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import BlockName, FoldId, Sha256, TreeId
from verify.model.review import ConditionKind, Decision, Grade, RecordKind, ReviewPolicy
from verify.model.verdict import Outcome, Undecided
from verify.model.wording import count
from verify.review.standing import State
from verify.signature import REVIEW_NAMESPACE, check_signature

SCHEMA = "stackproof/bundle-reviews/1"
_STANDS = (State.APPROVED, State.CARRIED)
_RECORD = re.compile(r"blocks/[^/]+/reviews/(?:review|delta|carry)-[0-9a-f]{16}\.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleRecord:
    """One record of a chain; `reviewer` is `Name <email>`."""

    file: str
    sha256: Sha256
    kind: RecordKind
    decision: Decision
    reviewer: str
    scope: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleApproval:
    """A chain of records, and how far it reaches; `exact` where it is about the change as it is, byte for byte."""

    state: State
    grade: Grade
    exact: bool
    approver: str
    records: tuple[BundleRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleReviewed:
    """One fold: its change as it is, and every chain about it, the best first."""

    block: BlockName
    fold: FoldId
    patch: Sha256
    identity: Sha256
    before: TreeId
    after: TreeId
    state: State
    approvals: tuple[BundleApproval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleCondition:
    """A condition of an approval that stands; `met` are receipts by their files, `missing` the legs without one."""

    block: BlockName
    record: str
    id: str
    kind: ConditionKind
    says: str
    met: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleReviews:
    """The whole of reviews.json."""

    schema: str
    folds: tuple[BundleReviewed, ...]
    conditions: tuple[BundleCondition, ...]

    def standing(self) -> tuple[BundleReviewed, ...]:
        """The folds whose approval stands."""
        return tuple(fold for fold in self.folds if fold.state in _STANDS)


def render_reviews(reviews: BundleReviews) -> bytes:
    """The document's bytes."""
    return render_document(reviews)


def reviews_of(bundle: Bundle) -> BundleReviews:
    """The document; `CodecError` says why it is none."""
    data = bundle.data(REVIEWS)
    if data is None:
        raise CodecError("it is missing")
    reviews = read_document(BundleReviews, data)
    if reviews.schema != SCHEMA:
        raise CodecError(f"its schema is {reviews.schema!r:.80}, expected {SCHEMA!r}")
    return reviews


def check_reviews(bundle: Bundle) -> Outcome:
    """It is about these very folds, rests on records that are there, and is what the policy asks for."""
    try:
        reviews, policy = reviews_of(bundle), review_policy_of(bundle)
    except CodecError as error:
        return ruled([finding("bundle-reviews-differ", f"`{REVIEWS}` cannot be read: {error}", REVIEWS)], "")
    findings = [*_folds(bundle, reviews), *_records(bundle, reviews), *_asked(bundle, reviews, policy)]
    try:
        findings += _signatures(bundle, reviews, policy)
    except EnvironmentFault as fault:
        if not findings:
            return Undecided(summary=fault.diagnostics[0].message, reasons=fault.diagnostics)
    asked = "asked for" if policy.required else "not asked for"
    stands = f"{len(reviews.standing())} of {count(len(reviews.folds), 'fold')} stand approved, which is {asked}"
    left = sum(bool(each.missing) for each in reviews.conditions)
    return ruled(findings, stands + (f"; {count(left, 'condition')} open" if left else ""))


def _folds(bundle: Bundle, reviews: BundleReviews) -> Iterator[Diagnostic]:
    """Every fold, with the change that its patch makes between the recorded trees."""
    met = [(each.block, each.fold, each.patch, each.identity, each.before, each.after) for each in reviews.folds]
    expected = []
    before = bundle.stack.base.tree
    for block, fold in bundle.stack.folds():
        try:
            change = change_identity(parse_canonical(bundle.data(fold.patch) or b"", file=fold.patch))
        except InputFault:
            return  # told by the check of the patches
        expected.append((block, fold.id, fold.patch_sha256, change, before, fold.tree))
        before = fold.tree
    for at in range(max(len(met), len(expected))):
        said = " ".join(met[at]) if at < len(met) else "nothing"
        wanted = " ".join(expected[at]) if at < len(expected) else "nothing"
        if said != wanted:
            message = f"`{REVIEWS}` is about another change than fold {at + 1}"
            yield differs("bundle-reviews-differ", message, REVIEWS, met=said, expected=wanted)


def _records(bundle: Bundle, reviews: BundleReviews) -> Iterator[Diagnostic]:
    """Every record that is named is a declared file, and an approval of exactly a change names that change."""
    for fold in reviews.folds:
        where = f"fold `{fold.fold}` of block `{fold.block}`"
        good = [each for each in fold.approvals if each.state in _STANDS]
        if fold.state in _STANDS and not good:
            yield finding("bundle-reviews-differ", f"{where} stands on no approval", REVIEWS)
        for approval in fold.approvals:
            for record in approval.records:
                member = bundle.files.get(record.file)
                if member is None or member.sha256 != record.sha256 or _RECORD.fullmatch(record.file) is None:
                    met = None if member is None else member.sha256
                    message = f"{where} rests on `{record.file}`, which is no record of this bundle"
                    yield differs("bundle-reviews-differ", message, record.file, met=met, expected=record.sha256)
            last = bundle.data(approval.records[-1].file) if approval.records else b""
            if approval.exact and fold.patch.encode() not in (last or b""):
                message = f"{where} is said to be reviewed as it is, and the record is about another patch"
                yield finding("bundle-reviews-differ", message, REVIEWS)


def _asked(bundle: Bundle, reviews: BundleReviews, policy: ReviewPolicy) -> Iterator[Diagnostic]:
    """What release.json asks of reviews."""
    authors = {(block, fold.id): f"{fold.author.name} <{fold.author.email}>" for block, fold in bundle.stack.folds()}
    for fold in reviews.folds:
        where = f"fold `{fold.fold}` of block `{fold.block}`"
        if fold.state is State.REJECTED or (policy.required and fold.state not in _STANDS):
            message = f"{where} does not stand approved: {fold.state}"
            yield finding("bundle-review-owed", message, REVIEWS)
        elif policy.required:
            people = {each.approver for each in fold.approvals if each.state in _STANDS}
            people -= {authors.get((fold.block, fold.fold), "")}
            if len(people) < policy.approvals:
                message = f"{where} has {count(len(people), 'approval')}, and release.json asks for {policy.approvals}"
                yield finding("bundle-review-owed", message, REVIEWS)
    for condition in reviews.conditions:
        if policy.required and condition.kind is ConditionKind.CI and condition.missing:
            message = f"condition `{condition.id}` of `{condition.record}` is open: {', '.join(condition.missing)}"
            yield finding("bundle-review-owed", message, REVIEWS)


def _signatures(bundle: Bundle, reviews: BundleReviews, policy: ReviewPolicy) -> Iterator[Diagnostic]:
    """Where release.json asks for signed records: each that is named was signed by one of its signers."""
    if not policy.signed:
        return
    named = {record.file for fold in reviews.folds for each in fold.approvals for record in each.records}
    for file in sorted(named & bundle.files.keys()):
        signature = bundle.data(f"{file}.sig")
        refused: list[Diagnostic] = []
        for signer in policy.signers if signature is not None else ():
            try:
                check_signature(
                    bundle.data(file) or b"", signature or b"", signer, file=file, namespace=REVIEW_NAMESPACE
                )
                break
            except InputFault as fault:
                refused += fault.diagnostics
        else:
            why = refused[0].message if refused else f"`{file}` is not signed"
            yield finding("bundle-review-unsigned", f"{why}; release.json asks for signed reviews", file)
