"""Where every line of the tip comes from: followed through the folds' own hunks, never found by comparing texts.

A file is a row of pieces: runs of upstream's lines, and runs of lines that one fold added. Each fold cuts the row
where its hunks say and puts its lines in, so that a line keeps its origin through every offset, rename and copy. No
text of upstream is needed for that, only how many lines its files have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from verify.model.block import Block, Fold
from verify.model.ids import BlobId, BlockName, FoldId, RepoPath, show_path
from verify.model.patch import Action, FileChange, Mode
from verify.model.release import BlobState
from verify.model.stack import Layer


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """Lines of an upstream file, from `start` (1-based) on."""

    path: RepoPath
    start: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Added:
    """Lines that a fold added; `patch_line` is the first one's line in fold.patch, and they stand there in a row.

    `texts` are the lines themselves; of a binary file only how many they are is known, and all share one patch line.
    """

    block: BlockName
    fold: FoldId
    patch_line: int
    count: int
    texts: tuple[bytes, ...] = ()


Piece = Upstream | Added


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """A line of upstream that a fold took away."""

    path: RepoPath
    text: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """Every file that some fold touched as the tip holds it, what upstream lost, and where following went wrong."""

    files: Mapping[RepoPath, tuple[Piece, ...]]
    removed: tuple[Removed, ...]
    broken: tuple[str, ...]

    def at(self, path: RepoPath, line: int) -> tuple[Piece, int] | None:
        """The piece that holds a line (1-based) of a file, and the place within it (0-based)."""
        for piece in self.files.get(path, ()):
            if line <= piece.count:
                return piece, line - 1
            line -= piece.count
        return None

    def added(self) -> Iterator[tuple[RepoPath, int, Added]]:
        """Every run of added lines with its file and its first line there."""
        for path, pieces in sorted(self.files.items()):
            line = 1
            for piece in pieces:
                if isinstance(piece, Added):
                    yield path, line, piece
                line += piece.count


def count_lines(data: bytes) -> int:
    """How many lines a content has; a last one without a line end counts."""
    return data.count(b"\n") + (not data.endswith(b"\n") and data != b"")


def blobs_to_count(blocks: Sequence[Block], layers: Sequence[Layer]) -> frozenset[BlobId]:
    """The contents whose numbers of lines a trace needs: upstream's, the tip's, and what binary changes leave."""
    wanted: set[BlobId] = set()
    last: dict[RepoPath, BlobState | None] = {}
    for layer, fold in _steps(blocks, layers):
        binary = {change.new_path for change in fold.patch.files if change.binary is not None}
        for file in layer.files:
            states = [file.before] if file.path not in last else []
            states += [file.after] if file.path in binary else []
            wanted |= set(_contents(states))
            last[file.path] = file.after
    return frozenset(wanted.union(_contents(last.values())))


def trace(blocks: Sequence[Block], layers: Sequence[Layer], counts: Mapping[BlobId, int]) -> Trace:
    """Follow every line from the base to the last layer."""
    work = _Work(counts)
    for layer, fold in _steps(blocks, layers):
        work.take(layer, fold)
    return Trace(files=work.files, removed=tuple(work.removed), broken=tuple(work.broken))


def tip_states(layers: Iterable[Layer]) -> dict[RepoPath, BlobState | None]:
    """What each touched path holds after the last layer."""
    return {file.path: file.after for layer in layers for file in layer.files}


def lines_of(state: BlobState, counts: Mapping[BlobId, int]) -> int | None:
    """How many lines an entry has; None when nobody counted."""
    return 1 if state.mode is Mode.SUBMODULE else counts.get(state.blob)


def _contents(states: Iterable[BlobState | None]) -> Iterator[BlobId]:
    return (state.blob for state in states if state is not None and state.mode is not Mode.SUBMODULE)


def _steps(blocks: Sequence[Block], layers: Sequence[Layer]) -> Iterator[tuple[Layer, Fold]]:
    folds = {(block.name, fold.id): fold for block in blocks for fold in block.folds}
    return ((layer, folds[layer.block, layer.fold]) for layer in layers if (layer.block, layer.fold) in folds)


class _Work:
    def __init__(self, counts: Mapping[BlobId, int]) -> None:
        self.files: dict[RepoPath, tuple[Piece, ...]] = {}
        self.removed: list[Removed] = []
        self.broken: list[str] = []
        self._seen: set[RepoPath] = set()
        self._counts = counts

    def take(self, layer: Layer, fold: Fold) -> None:
        """All files of a fold refer to the tree before it; so nothing is put back before all were followed."""
        states = {file.path: file for file in layer.files}
        made: dict[RepoPath, tuple[Piece, ...]] = {}
        gone: set[RepoPath] = set()
        for change in fold.patch.files:
            before = states[change.old_path].before if change.old_path in states else None
            after = states[change.new_path].after if change.new_path in states else None
            pieces = self._follow(layer, change, before, after)
            if change.new_path is not None:
                made[change.new_path] = pieces
            if change.old_path is not None and change.action in (Action.DELETE, Action.RENAME):
                gone.add(change.old_path)
        for path in gone:
            self.files.pop(path, None)
        self.files.update(made)
        self._seen |= gone | made.keys()

    def _follow(
        self, layer: Layer, change: FileChange, before: BlobState | None, after: BlobState | None
    ) -> tuple[Piece, ...]:
        if change.binary is not None:
            count = lines_of(after, self._counts) if after is not None else 0
            whole = Added(block=layer.block, fold=layer.fold, patch_line=change.source_line, count=count or 0)
            return (whole,) if whole.count else ()
        row = _Row(self._met(change.old_path, before))
        made: list[Piece] = []
        done = 0
        for hunk in change.hunks:
            old = hunk.old_start - 1 if hunk.old() else hunk.old_start
            made += row.pass_by(old - done)
            done, line, run_line = old, hunk.source_line, 0
            run: list[bytes] = []
            for sign, text in hunk.lines:
                line += 1
                if sign == b"+":
                    run_line = run_line if run else line
                    run.append(text)
                else:
                    _put(made, layer, run_line, run)
                    run = []
                    done += 1
                    passed = row.pass_by(1)
                    if sign == b" ":
                        made += passed
                    else:
                        self._lost(passed, text)
                line += not text.endswith(b"\n")  # the patch's own line about the missing line end
            _put(made, layer, run_line, run)
        made += row.rest()
        if row.short:
            self.broken.append(f"{layer.block}/{layer.fold}: {show_path(change.old_path or RepoPath(b''))}")
        return _joined(made)

    def _met(self, path: RepoPath | None, before: BlobState | None) -> tuple[Piece, ...]:
        if path is None:
            return ()
        if path in self._seen:
            return self.files.get(path, ())
        count = lines_of(before, self._counts) if before is not None else None
        if count is None:
            self.broken.append(f"{show_path(path)}: its lines were not counted")
        return (Upstream(path=path, start=1, count=count),) if count else ()

    def _lost(self, pieces: Sequence[Piece], text: bytes) -> None:
        self.removed += (Removed(path=piece.path, text=text) for piece in pieces if isinstance(piece, Upstream))


class _Row:
    """The pieces of a file, passed by from the front; `short` when more was asked for than there is."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._pieces = list(reversed(pieces))
        self.short = False

    def pass_by(self, count: int) -> list[Piece]:
        found: list[Piece] = []
        while count > 0 and self._pieces:
            piece = self._pieces.pop()
            if piece.count > count:
                self._pieces.append(_cut(piece, count, piece.count))
                piece = _cut(piece, 0, count)
            count -= piece.count
            found.append(piece)
        self.short = self.short or count != 0
        return found

    def rest(self) -> list[Piece]:
        return self._pieces[::-1]


def _cut(piece: Piece, start: int, end: int) -> Piece:
    match piece:
        case Upstream():
            return replace(piece, start=piece.start + start, count=end - start)
        case Added(texts=()):
            return replace(piece, count=end - start)
        case Added():
            return replace(piece, patch_line=piece.patch_line + start, count=end - start, texts=piece.texts[start:end])


def _put(made: list[Piece], layer: Layer, line: int, run: list[bytes]) -> None:
    if run:
        made.append(Added(block=layer.block, fold=layer.fold, patch_line=line, count=len(run), texts=tuple(run)))


def _joined(pieces: Iterable[Piece]) -> tuple[Piece, ...]:
    """Neighbours that belong together as one piece, so that rows stay short."""
    found: list[Piece] = []
    for piece in pieces:
        last = found[-1] if found else None
        match last, piece:
            case Upstream(), Upstream() if last.path == piece.path and last.start + last.count == piece.start:
                found[-1] = replace(last, count=last.count + piece.count)
            case _:
                found.append(piece)
    return tuple(found)
