"""Accepted deviations stand: none of the register is over by what the release itself declares.

Whether each was met is told by all gates together (`verify/judge.py`); what one covers is in `verify/waive.py`.
"""

from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.deviation import REGISTER, ended_by
from verify.model.diagnostic import Diagnostic, Place
from verify.model.evidence import Need
from verify.model.verdict import Failed, Outcome, Passed
from verify.model.wording import count


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Nothing can be set."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every accepted deviation is still within its term."""
    del params
    standing = case.release.standing(case.base_tree)
    findings = tuple(
        Diagnostic(
            code="deviation-ended",
            message=f"deviation {each.number} of gate `{each.gate}` does not stand any more: {why}",
            place=Place(file=REGISTER),
            notes=(f"accepted by {each.owner.name} since {each.since}: {each.reason}",),
            help=f"move number {each.number} to `ended`, or accept the finding anew under the next number",
        )
        for each in case.release.deviations
        if (why := ended_by(each, standing))
    )
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if not case.release.deviations:
        return Passed(summary="nothing is accepted")
    return Passed(summary=f"{count(len(case.release.deviations), 'accepted deviation')} within their terms")


KIND = Kind(
    name="deviations",
    about="accepted deviations are within their terms; one that no gate meets any more fails as `deviations-met`",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
    waivable=False,
)
