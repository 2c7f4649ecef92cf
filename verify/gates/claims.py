"""Claims: what the blocks' reviews rest on still holds of the tip, run again on every base."""

from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.claim import Answer, told
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Need
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted
from verify.review.claims import claims_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every claim that can be run, on the tip."""
    del params
    declared = sum(1 for _ in claims_of(case.release))
    words = sum(len(block.claims) for block in case.release.blocks)
    in_words = f"; {counted(words, 'claim')} in words alone" if words else ""
    if not declared:
        return Passed(summary=f"no claim is declared that can be run{in_words}")
    if case.claims is None:
        reason = Diagnostic(code="claims-not-run", message="nobody ran the claims", help="stackproof check")
        return Undecided(summary=f"{counted(declared, 'claim')} not run", reasons=(reason,))
    failed = tuple(told(each) for each in case.claims if each.answer is Answer.FAILS)
    undecided = tuple(told(each) for each in case.claims if each.answer is Answer.UNDECIDED)
    if failed:
        return Failed(summary=f"{counted(len(failed), 'claim')} of {declared} fails", findings=(*failed, *undecided))
    if undecided:
        return Undecided(summary=f"{counted(len(undecided), 'claim')} of {declared} undecided", reasons=undecided)
    return Passed(summary=f"{counted(declared, 'claim')} run on the tip, and all hold{in_words}")


KIND = Kind(
    name="claims",
    about="what block.yaml claims of the source holds of the tip, on its syntax tree",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
