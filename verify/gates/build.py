"""Builds: every tree that a configuration promises to prove was built without error."""

from dataclasses import dataclass, field

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.evidence import Need
from verify.model.verdict import Outcome, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`configurations`: which ones, all declared ones when empty."""

    configurations: tuple[str, ...] = field(default=(), metadata={"refers": "configuration", "about": "all when empty"})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """What must have been measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Judge it."""
    del params, case
    return Undecided(summary="this kind has no rule yet", reasons=())


KIND = Kind(
    name="build",
    about="every proof tree of every configuration builds",
    scope=Scope.RELEASE,
    standing=True,
    params=Params,
    needs=needs,
    check=check,
)
