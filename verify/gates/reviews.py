"""Reviews: every fold stands approved as the release's policy asks, and the approvals' conditions are met."""

from collections.abc import Iterator
from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.review import ConditionKind
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted
from verify.review.standing import ConditionState, FoldStanding, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters: `policy.reviews` of release.json says what is asked."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every fold, and every condition of an approval that stands."""
    del params
    records = sum(len(reviews.records) for _, reviews in case.release.reviews)
    policy = case.release.review_policy
    if not records and not policy.required:
        return Passed(summary="no review is on record, and none is asked for")
    if case.reviews is None:
        reason = Diagnostic(code="reviews-not-read", message="nobody looked at the reviews", help="stackproof check")
        return Undecided(summary=f"{counted(records, 'record')} not looked at", reasons=(reason,))
    findings = tuple(case.review_faults)
    unproven = tuple(fold for fold in case.reviews.folds if fold.state is State.UNPROVEN)
    if policy.required:
        findings += tuple(_not_standing(fold) for fold in case.reviews.folds if _owes(fold))
        findings += tuple(_unmet(each) for each in case.reviews.conditions if _blocks(each))
    else:
        findings += tuple(_not_standing(fold) for fold in case.reviews.folds if fold.state is State.REJECTED)
    if findings:
        return Failed(summary=f"{counted(len(findings), 'fault')} with reviews", findings=findings)
    if policy.required and unproven:
        return Undecided(
            summary=f"{counted(len(unproven), 'fold')} cannot be compared with what was reviewed",
            reasons=tuple(_unproven(fold) for fold in unproven),
        )
    return Passed(summary=", ".join(_summary(case.reviews.folds, case.reviews.conditions)))


def _owes(fold: FoldStanding) -> bool:
    return fold.state not in (State.APPROVED, State.CARRIED, State.UNPROVEN)


def _blocks(each: ConditionState) -> bool:
    return each.condition.kind is ConditionKind.CI and not each.holds()


def _summary(folds: tuple[FoldStanding, ...], conditions: tuple[ConditionState, ...]) -> Iterator[str]:
    for state in State:
        number = sum(fold.state is state for fold in folds)
        if number:
            yield f"{counted(number, 'fold')} {state}"
    open_ones = sum(not each.holds() for each in conditions)
    if open_ones:
        yield f"{counted(open_ones, 'condition')} open"


def _not_standing(fold: FoldStanding) -> Finding:
    best = fold.approvals[0] if fold.approvals else None
    notes = () if best is None else (f"{best.chain[-1].file}: {best.grade()}; {best.why}",)
    return Diagnostic(
        code="review-rejected" if fold.state is State.REJECTED else "review-owed",
        message=f"fold `{fold.fold}` of block `{fold.block}` does not stand approved: {fold.state}",
        place=Place(file=f"blocks/{fold.block}/folds/{fold.fold}/fold.patch", line=1),
        notes=notes,
        help=f"stackproof review packet {fold.block}/{fold.fold}",
    )


def _unproven(fold: FoldStanding) -> Diagnostic:
    return Diagnostic(
        code="review-unproven",
        message=f"fold `{fold.fold}` of block `{fold.block}` cannot be compared with the change that was reviewed",
        notes=tuple(each.why for each in fold.approvals[:3]),
        help="stackproof review carry, on a machine that has the base that was reviewed",
    )


def _unmet(each: ConditionState) -> Finding:
    return Diagnostic(
        code="condition-unmet",
        message=f"a condition of the approval of block `{each.block}` is not met: {each.condition.says}",
        place=Place(file=each.record.file, line=1),
        notes=(f"no receipt at this very head from: {', '.join(each.missing)}",),
        help=f"stackproof review receipt REPORT.xml --condition {each.condition.id} --leg {each.missing[0]}",
    )


KIND = Kind(
    name="reviews",
    about="every fold stands approved as `policy.reviews` asks, and conditions have receipts at this very head",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
    waivable=False,
)
