"""Path safety: no path of a fold leaves the tree or breaks a checkout elsewhere."""

from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.evidence import Need
from verify.model.verdict import Outcome, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """What must have been measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Judge it."""
    del params, case
    return Undecided(summary="this kind has no rule yet", reasons=())


KIND = Kind(
    name="path-safety",
    about="no path of a fold leaves the tree or cannot be checked out elsewhere",
    scope=Scope.RELEASE,
    standing=True,
    params=Params,
    needs=needs,
    check=check,
)
