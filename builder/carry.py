"""A fold on another tree than the one it was recorded on: placed two ways, printed again, and compared with itself.

This is how a stack moves to a new upstream, how folds change their order, how a block is laid alone. Every hunk goes
by its context and by a three-way merge from the file that the fold met when it was recorded; what the tree has already
is taken as done and never made twice. What comes out is a canonical patch for the new tree, or every reason why not.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from builder.exchange.lay_submission import HunkFate, Refused, Rules, SectionNote, lay_submission
from builder.tree import Tree
from verify.diff.identity import change_identity
from verify.diff.submission import Dialect, parse_sections
from verify.model.diagnostic import Diagnostic
from verify.model.ids import RepoPath
from verify.model.patch import Patch
from verify.model.release import LockedFile

_RULES = Rules(dialect=Dialect.GIT, drop_empty=False, take_present=True)


class Drift(StrEnum):
    """How a carried fold differs from itself."""

    NONE = "identical"
    MOVED = "moved"
    CHANGED = "changed"
    ABSORBED = "absorbed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Carried:
    """The fold's canonical patch for the new tree, and how it differs from the old one.

    `MOVED` means the same lines removed and added, at other places or in other context; `ABSORBED` that the tree had
    all of it already, so that the fold is empty now.
    """

    drift: Drift
    patch: Patch
    text: bytes
    tree: Tree
    files: tuple[LockedFile, ...]
    fates: tuple[HunkFate, ...]
    notes: tuple[SectionNote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotCarried:
    """Why the fold does not go on the tree: every hunk that conflicts, with what is known of each."""

    findings: tuple[Diagnostic, ...]
    fates: tuple[HunkFate, ...]


def carry_patch(
    patch: Patch, text: bytes, *, onto: Tree, recorded: Callable[[RepoPath], bytes | None], file: str
) -> Carried | NotCarried:
    """The canonical patch `text` on the tree `onto`; `recorded` is what the fold met at a path when it was recorded."""
    sections = parse_sections(text, file=file, dialect=Dialect.GIT)
    made = lay_submission([sections], onto, _RULES, file=file, recorded_at=recorded)
    if isinstance(made, Refused):
        return NotCarried(findings=made.findings, fates=made.fates)
    if made.text == text:
        drift = Drift.NONE
    elif not made.patch.files:
        drift = Drift.ABSORBED
    else:
        drift = Drift.MOVED if change_identity(made.patch) == change_identity(patch) else Drift.CHANGED
    return Carried(
        drift=drift,
        patch=made.patch,
        text=made.text,
        tree=made.tree,
        files=made.files,
        fates=made.fates,
        notes=made.notes,
    )
