"""A kind of gate: typed parameters, what must have been measured for it, and the rule; all pure."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from verify.gates.case import Case
from verify.model.evidence import Need
from verify.model.figure import Figure
from verify.model.verdict import Outcome

P = TypeVar("P")


class Scope(StrEnum):
    """Who may declare gates of a kind."""

    RELEASE = "release"
    BLOCK = "block"
    ANY = "any"


def no_figures(params: object, case: Case) -> tuple[Figure, ...]:  # noqa: ARG001 - what kinds have that compare no numbers
    """None."""
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind(Generic[P]):
    """One kind of gate.

    `params` is its frozen dataclass of parameters: fields of type str, int, float, bool, StrEnum, tuple[str, ...] or
    a NewType of str; a field with a default is optional. Field metadata may hold `about` (one line for people),
    `refers` (`model`, `configuration`, `switch` or `block`: the name must be declared), `min` and `max` (numbers,
    both inclusive), `pattern` (True: the text is a regular expression). A `standing` kind has no parameters that
    must be given and always applies: where a release declares no required gate of it, the judge adds one. What a
    kind finds that is not `waivable` cannot be accepted as a deviation. `figures` are what it measured, to be shown;
    they are asked for where every need is met, whatever was found.
    """

    name: str
    about: str
    scope: Scope
    standing: bool
    structural: bool
    params: type[P]
    needs: Callable[[P, Case], tuple[Need, ...]]
    check: Callable[[P, Case], Outcome]
    waivable: bool = True
    figures: Callable[[P, Case], tuple[Figure, ...]] = no_figures


AnyKind = Kind[Any]
