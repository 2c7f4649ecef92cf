"""A patch as a value: files, hunks and lines, byte exact.

Lines keep their bytes and their line end; a last line without one ends without `\\n`, which is how `\\ No newline at
end of file` is told. Text before the first file (mail, DEP-3) and between files is not part of the value; the
parser hands it out beside it.
"""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.ids import BlobId, RepoPath


class Mode(StrEnum):
    """The file modes that a git tree can hold, in git's octal spelling."""

    FILE = "100644"
    EXECUTABLE = "100755"
    SYMLINK = "120000"
    SUBMODULE = "160000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hunk:
    """Old lines to be replaced by new ones.

    `lines` are (sign, text) in patch order, sign one of b" ", b"-", b"+". `old_start` and `new_start` are 1-based
    as printed after `@@` (0 where the side has no line). `source_line` is the line of the `@@` in the patch file.
    """

    old_start: int
    new_start: int
    lines: tuple[tuple[bytes, bytes], ...]
    source_line: int

    def old(self) -> tuple[bytes, ...]:
        """The preimage lines: context and removed ones."""
        return tuple(text for sign, text in self.lines if sign != b"+")

    def new(self) -> tuple[bytes, ...]:
        """The postimage lines: context and added ones."""
        return tuple(text for sign, text in self.lines if sign != b"-")


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryDelta:
    """One side of a `GIT binary patch`: `literal` whole content, or a git `delta` against the other side; inflated."""

    kind: str
    size: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class BinaryChange:
    """A binary patch: how to go forward, and back where the patch carries it."""

    forward: BinaryDelta
    reverse: BinaryDelta | None


class Action(StrEnum):
    """What happens to the file as a whole."""

    MODIFY = "modify"
    CREATE = "create"
    DELETE = "delete"
    RENAME = "rename"
    COPY = "copy"


@dataclass(frozen=True, slots=True, kw_only=True)
class FileChange:
    """One file of a patch.

    `old_path` is None for a created file, `new_path` for a deleted one. Modes are None where the patch does not say
    them. `old_blob` and `new_blob` are the ids of an `index` line, full or abbreviated as printed, None without one.
    `source_line` is the line of the file's first header in the patch file.
    """

    action: Action
    old_path: RepoPath | None
    new_path: RepoPath | None
    old_mode: Mode | None
    new_mode: Mode | None
    hunks: tuple[Hunk, ...]
    binary: BinaryChange | None
    old_blob: BlobId | None
    new_blob: BlobId | None
    source_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """A whole patch: its files in order."""

    files: tuple[FileChange, ...]
