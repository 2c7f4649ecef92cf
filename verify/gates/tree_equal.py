"""Tree equality: every derived tree is the recorded one, and git derives the same."""

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
    name="tree-equal",
    about="every tree and the tip commit equal the recorded ones, and git derives the same",
    scope=Scope.RELEASE,
    standing=True,
    params=Params,
    needs=needs,
    check=check,
)
