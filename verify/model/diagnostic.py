"""What a user is told when something is wrong: a stable code, a message, a place, notes and one next step.

A wrong release is a `Finding` (data; there may be many). A tool that cannot go on raises a `Fault`: `InputFault`
for the user's files, `EnvironmentFault` for compiler, git, model, disk. Anything else that is raised is our defect.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class ExitCode(IntEnum):
    """What the process says to its caller."""

    HOLDS = 0
    DOES_NOT_HOLD = 1
    CANNOT_JUDGE = 2
    OUR_DEFECT = 70


class Severity(StrEnum):
    """How much a diagnostic weighs; only errors make a release not hold."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where: a file as the user names it, with 1-based line and column (in characters) where known.

    `excerpt` is that line's text and `width` how many characters from `column` on are meant; `label` stands behind
    the underline.
    """

    file: str
    line: int | None = None
    column: int | None = None
    excerpt: str | None = None
    width: int = 1
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnostic:
    """One thing to tell: `code` is kebab-case and stable, `help` one next step that works when pasted."""

    code: str
    message: str
    place: Place | None = None
    notes: tuple[str, ...] = ()
    help: str = ""
    severity: Severity = Severity.ERROR


Finding = Diagnostic


class Fault(Exception):
    """The tool cannot go on; carries every diagnostic that was collected."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.code}: {d.message}" for d in diagnostics))
        self.diagnostics = diagnostics


class InputFault(Fault):
    """Something in the user's files, arguments or downloads is wrong."""


class EnvironmentFault(Fault):
    """The machine lacks or refuses something: compiler, git, model, network, disk."""
