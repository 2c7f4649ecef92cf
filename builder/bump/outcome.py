"""What became of a fold and of each of its hunks on another base, and what of upstream is behind it; values only."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from builder.tree import Tree
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlobId, BlockName, FoldId, RepoPath, TreeId
from verify.model.patch import Patch
from verify.model.release import LockedFile

FoldKey = tuple[BlockName, FoldId]


class Outcome(StrEnum):
    """What became of a fold, or of one hunk. `PARTLY` is of folds alone."""

    UNCHANGED = "unchanged"
    MOVED = "moved"
    MERGED = "merged"
    RESOLVED = "resolved"
    UPSTREAMED = "upstreamed"
    PARTLY = "partly upstreamed"
    SUPERSEDED = "superseded"
    CONFLICT = "conflict"


OPEN = frozenset({Outcome.SUPERSEDED, Outcome.CONFLICT})
"""What needs a hand or a word before a bump can be accepted."""


class Cause(StrEnum):
    """Why a hunk is not as it was, or is not placed."""

    NONE = "-"
    OFFSET = "offset"
    CONTEXT = "context"
    HAS_IT = "has-it"
    SAME_LINES = "same-lines"
    OPEN_PLACE = "open-place"
    WAYS_DIFFER = "ways-differ"
    LINES_GONE = "lines-gone"
    FILE_GONE = "file-gone"
    FILE_MOVED = "file-moved"
    FILE_THERE = "file-there"
    FILE_KIND = "file-kind"
    BINARY = "binary"
    WAITS = "waits"


CAUSES = {
    Cause.OFFSET: "lines above it came or went",
    Cause.CONTEXT: "upstream changed lines beside it",
    Cause.HAS_IT: "upstream has it",
    Cause.SAME_LINES: "upstream changed the same lines",
    Cause.OPEN_PLACE: "equal lines leave its place open",
    Cause.WAYS_DIFFER: "context and merge name two places",
    Cause.LINES_GONE: "upstream removed what it stands on",
    Cause.FILE_GONE: "upstream removed the file",
    Cause.FILE_MOVED: "upstream moved the file",
    Cause.FILE_THERE: "upstream has another file there",
    Cause.FILE_KIND: "upstream's file has another mode or kind",
    Cause.BINARY: "upstream changed the binary file",
    Cause.WAITS: "an earlier fold is not resolved",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamChange:
    """Lines that upstream changed: where they start in the old and in the new base (1-based), and both versions."""

    path: RepoPath
    old_start: int
    new_start: int
    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """How much of a hunk the base has: lines that it adds and that stand there, lines that it removes and are gone.

    Counted at its place, in order, byte for byte. `by_reverse` says whether the hunk, turned around, goes on the base:
    then all of its effect is there.
    """

    added: int
    removed: int
    added_there: int
    removed_gone: int
    by_reverse: bool

    def lines(self) -> int:
        """How many lines the hunk adds and removes."""
        return self.added + self.removed

    def there(self) -> int:
        """How many of them the base has."""
        return self.added_there + self.removed_gone


NO_SHARE = Share(added=0, removed=0, added_there=0, removed_gone=0, by_reverse=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """One hunk (its number from 1, by the file's order), or with 0 a file as a whole.

    `line` is where it stands now, `offset` how far that is from where it stood; `waits_for` is the earlier fold that
    is not resolved, `others` the later folds together with which upstream took it.
    """

    path: RepoPath
    hunk: int
    outcome: Outcome
    cause: Cause
    line: int = 0
    offset: int = 0
    source_line: int = 0
    notes: tuple[str, ...] = ()
    upstream: tuple[UpstreamChange, ...] = ()
    share: Share = NO_SHARE
    waits_for: FoldKey | None = None
    others: tuple[FoldKey, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedResolution:
    """A resolution that was used: its key, the file, and the blob that it made."""

    key: str
    path: RepoPath
    result: BlobId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpedFold:
    """One fold on the new base: its patch as far as it goes on, the trees around it, and every piece."""

    block: BlockName
    fold: FoldId
    outcome: Outcome
    pieces: tuple[Piece, ...]
    patch: Patch
    text: bytes
    before: TreeId
    tree: Tree
    files: tuple[LockedFile, ...]
    resolutions: tuple[UsedResolution, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    def key(self) -> FoldKey:
        """Its block and id."""
        return self.block, self.fold

    def open_pieces(self) -> tuple[Piece, ...]:
        """The pieces that need a hand."""
        return tuple(piece for piece in self.pieces if piece.outcome in OPEN)

    def is_whole(self) -> bool:
        """Whether upstream has all of it."""
        return self.outcome is Outcome.UPSTREAMED


def fold_outcome(pieces: Iterable[Piece]) -> Outcome:
    """What the outcomes of its pieces make of a fold: the one that needs most attention."""
    met = {piece.outcome for piece in pieces}
    for outcome in (Outcome.CONFLICT, Outcome.SUPERSEDED):
        if outcome in met:
            return outcome
    if Outcome.UPSTREAMED in met:
        return Outcome.UPSTREAMED if met == {Outcome.UPSTREAMED} else Outcome.PARTLY
    for outcome in (Outcome.RESOLVED, Outcome.MERGED, Outcome.MOVED):
        if outcome in met:
            return outcome
    return Outcome.UNCHANGED
