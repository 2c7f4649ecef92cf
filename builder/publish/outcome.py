"""How publishing ended, and what is said when a name is taken."""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.diagnostic import Diagnostic, InputFault


class How(StrEnum):
    """What became of the target."""

    NEW = "new"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """Where it is, whether it is new there, and what else there is to know, a line each."""

    where: str
    how: How
    notes: tuple[str, ...] = ()


def name_taken(where: str, *, met: str, expected: str) -> InputFault:
    """The name exists with other content: it is never moved or replaced."""
    return InputFault(
        Diagnostic(
            code="publish-name-taken",
            message=f"{where} exists already, with other content",
            notes=(f"met       {met}", f"expected  {expected}", "what is published is never replaced"),
            help="give the release another name in release.json (stackproof pin), or publish somewhere else",
        )
    )
