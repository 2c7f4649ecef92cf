"""A fold in the making: files of a tree under change, and in the end the one canonical patch that makes the change.

A submission may name a file twice, move it and change it again; a canonical patch names it once and refers to the
tree before it. The draft keeps for each path where it came from and the changes on that very text, composed line by
line as they were submitted, so that nothing is ever diffed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from builder.canonical import Run, canonical_hunks, split_lines
from builder.tree import Tree, file_state
from verify.model.ids import BlobId, RepoPath
from verify.model.patch import Action, BinaryChange, BinaryDelta, FileChange, Hunk, Mode, Patch


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftFile:
    """What a path holds now: `origin` is the path of the tree that it came from, None for a new file.

    `base` is the origin's content and `runs` the changes on it that give `content`; `binary` says how a content is
    made that is no text change.
    """

    origin: RepoPath | None
    base: bytes
    content: bytes
    mode: Mode
    runs: tuple[Run, ...] = ()
    binary: BinaryChange | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """The canonical patch of a draft; `sources` says for each of its hunks, by file and hunk, where they come from."""

    patch: Patch
    sources: dict[tuple[RepoPath, int], tuple[int, ...]]


class Draft:
    """Files of a tree under change."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._files: dict[RepoPath, DraftFile | None] = {}
        self._removed_by: dict[RepoPath, tuple[int, ...]] = {}

    def get(self, path: RepoPath) -> DraftFile | None:
        """What the path holds now; None when nothing is there."""
        if path in self._files:
            return self._files[path]
        state = self._tree.entry(path)
        if state is None:
            return None
        content = self._tree.content(state)
        return DraftFile(origin=path, base=content, content=content, mode=state.mode)

    def exists(self, path: RepoPath) -> bool:
        """Whether the path holds a file now."""
        if path in self._files:
            return self._files[path] is not None
        return self._tree.entry(path) is not None

    def is_folder(self, path: RepoPath) -> bool:
        """Whether the path is a folder of the tree, or of a file that the draft made."""
        if self._tree.is_folder(path):
            return True
        return any(file is not None and made.startswith(path + b"/") for made, file in self._files.items())

    def put(self, path: RepoPath, file: DraftFile) -> None:
        """Set what the path holds."""
        self._files[path] = file

    def remove(self, path: RepoPath, runs: Sequence[Run] = ()) -> None:
        """Take the path away; `runs` are the changes that emptied it."""
        self._files[path] = None
        self._removed_by[path] = tuple(dict.fromkeys(source for run in runs for source in run.sources))

    def finish(self) -> Drafted:
        """The canonical patch from the tree to what the files hold now."""
        gone = {path for path, file in self._files.items() if file is None and self._tree.entry(path) is not None}
        free = set(gone)
        changes: list[FileChange] = []
        sources: dict[tuple[RepoPath, int], tuple[int, ...]] = {}
        for path, file in sorted(self._files.items()):
            if file is None:
                continue
            settled = self._settled(path, file)
            if settled.origin != path and self._tree.entry(path) is not None:
                gone.add(path)
            change = self._change(path, settled, free, sources)
            if change is not None:
                changes.append(change)
                if change.action is Action.RENAME and change.old_path is not None:
                    free.discard(change.old_path)
                    gone.discard(change.old_path)
        changes += (self._deletion(path, sources) for path in sorted(gone))
        return Drafted(patch=Patch(files=tuple(changes)), sources=sources)

    def _settled(self, path: RepoPath, file: DraftFile) -> DraftFile:
        """A new file where the tree has one of the same kind is a change of that file."""
        state = self._tree.entry(path)
        if file.origin is not None or state is None or _kind(state.mode) != _kind(file.mode):
            return file
        base = self._tree.content(state)
        lines = tuple((b"-", line) for line in split_lines(base)) + tuple(
            (b"+", line) for line in split_lines(file.content)
        )
        origins = tuple(dict.fromkeys(source for run in file.runs for source in run.sources))
        runs = (Run(at=0, line=1, lines=lines, sources=origins),) if base != file.content else ()
        return replace(file, origin=path, base=base, runs=runs, binary=None)

    def _change(
        self, path: RepoPath, file: DraftFile, free: set[RepoPath], sources: dict[tuple[RepoPath, int], tuple[int, ...]]
    ) -> FileChange | None:
        state = self._tree.entry(file.origin) if file.origin is not None else None
        old_mode = state.mode if state is not None else None
        if file.origin is None:
            action = Action.CREATE
        elif file.origin == path:
            action = Action.MODIFY
            if file.content == file.base and file.mode is old_mode:
                return None
        else:
            action = Action.RENAME if file.origin in free else Action.COPY
        printed = () if file.binary is not None else canonical_hunks(file.base, file.runs)
        for number, item in enumerate(printed):
            sources[path, number] = item.sources
        modes_differ = old_mode is not None and old_mode is not file.mode
        return FileChange(
            action=action,
            old_path=file.origin,
            new_path=path,
            old_mode=old_mode if modes_differ else None,
            new_mode=file.mode if modes_differ or action is Action.CREATE else None,
            hunks=tuple(item.hunk for item in printed),
            binary=file.binary,
            old_blob=_blob(file.base) if file.binary is not None and file.origin is not None else None,
            new_blob=_blob(file.content) if file.binary is not None else None,
            source_line=0,
        )

    def _deletion(self, path: RepoPath, sources: dict[tuple[RepoPath, int], tuple[int, ...]]) -> FileChange:
        state = self._tree.entry(path)
        if state is None:
            raise ValueError("a file that is not in the tree cannot be deleted from it")
        content = self._tree.content(state)
        lines = tuple((b"-", line) for line in split_lines(content))
        hunks: tuple[Hunk, ...] = ()
        if lines:
            hunks = tuple(item.hunk for item in canonical_hunks(content, (Run(at=0, line=1, lines=lines),)))
            sources.setdefault((path, 0), self._removed_by.get(path, ()))
        return FileChange(
            action=Action.DELETE,
            old_path=path,
            new_path=None,
            old_mode=state.mode,
            new_mode=None,
            hunks=hunks,
            binary=None,
            old_blob=None,
            new_blob=None,
            source_line=0,
        )


def whole_file(content: bytes, sources: tuple[int, ...]) -> tuple[Run, ...]:
    """The change that makes a new file."""
    lines = tuple((b"+", line) for line in split_lines(content))
    return (Run(at=0, line=1, lines=lines, sources=sources),) if lines else ()


def literal(content: bytes) -> BinaryChange:
    """A binary change that carries the whole content."""
    return BinaryChange(forward=BinaryDelta(kind="literal", size=len(content), data=content), reverse=None)


def compose(base: bytes, first: Sequence[Run], second: Sequence[Run]) -> tuple[Run, ...]:
    """The changes `second`, made on what `first` leaves of `base`, as changes on `base` itself."""
    if not first:
        return tuple(second)
    return tuple(_runs(_rewritten(_atoms(base, first), second)))


_Atom = tuple[bytes, bytes, tuple[int, ...]]  # sign, line, sources; b" " is a line of the base that stays


def _atoms(base: bytes, runs: Sequence[Run]) -> Iterator[_Atom]:
    done = 0
    for run in runs:
        yield from ((b" ", line, ()) for line in split_lines(base[done : run.at]))
        yield from ((sign, line, run.sources) for sign, line in run.lines)
        done = run.end()
    yield from ((b" ", line, ()) for line in split_lines(base[done:]))


def _rewritten(atoms: Iterator[_Atom], runs: Sequence[Run]) -> Iterator[_Atom]:
    line = 1
    for run in runs:
        while line < run.line:
            atom = next(atoms)
            line += atom[0] != b"-"
            yield atom
        for sign, text in run.lines:
            if sign == b"+":
                yield b"+", text, run.sources
                continue
            while (atom := next(atoms))[0] == b"-":
                yield atom
            line += 1
            if atom[0] == b" ":
                yield b"-", atom[1], run.sources
            # A line that the earlier change added and this one removes was never there.
    yield from atoms


def _runs(atoms: Iterator[_Atom]) -> Iterator[Run]:
    at, line = 0, 1
    start, signed, sources = (0, 1), [], ()  # type: tuple[int, int], list[tuple[bytes, bytes]], tuple[int, ...]
    for sign, text, origins in atoms:
        if sign == b" ":
            if signed:
                yield Run(at=start[0], line=start[1], lines=tuple(signed), sources=tuple(dict.fromkeys(sources)))
                signed, sources = [], ()
            at, line = at + len(text), line + 1
            start = at, line
            continue
        signed.append((sign, text))
        sources += origins
        if sign == b"-":
            at, line = at + len(text), line + 1
    if signed:
        yield Run(at=start[0], line=start[1], lines=tuple(signed), sources=tuple(dict.fromkeys(sources)))


def _kind(mode: Mode) -> str:
    return "file" if mode in (Mode.FILE, Mode.EXECUTABLE) else mode.value


def _blob(content: bytes) -> BlobId:
    return file_state(content, Mode.FILE).blob
