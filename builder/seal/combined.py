"""The whole release as one patch: what changes from the base to the tip, in the canonical form; pure.

Only paths that a fold touched are compared. Text is printed as hunks on the base's file, whatever folds it came by;
content that git would call binary is carried whole on both sides, since a delta would depend on a tool's version.
A renamed file is a deletion and a creation: which file became which is told by the folds. That the patch makes the tip
of the base is not believed but proven, by git, before it is published.
"""

from collections.abc import Iterable, Iterator

from builder.canonical import canonical_hunks
from builder.seal.lines import runs_between
from builder.tree import Tree
from verify.model.ids import RepoPath
from verify.model.patch import Action, BinaryChange, BinaryDelta, FileChange, Mode, Patch
from verify.model.release import BlobState

_SEARCHED_FOR_NUL = 8000  # as git does


def combined_patch(*, base: Tree, tip: Tree, touched: Iterable[RepoPath]) -> Patch:
    """One patch from the base to the tip over the touched paths."""
    files: list[FileChange] = []
    for path in sorted(set(touched)):
        before, after = base.entry(path), tip.entry(path)
        if before == after:
            continue
        if before is not None and after is not None and _kind(before.mode) == _kind(after.mode):
            files.append(_modified(path, base, before, tip, after))
        else:
            files += _replaced(path, base, before, tip, after)
    return Patch(files=tuple(files))


def _kind(mode: Mode) -> Mode:
    """What the file is, whoever may execute it."""
    return Mode.FILE if mode is Mode.EXECUTABLE else mode


def _modified(path: RepoPath, base: Tree, before: BlobState, tip: Tree, after: BlobState) -> FileChange:
    modes = (before.mode, after.mode) if before.mode is not after.mode else (None, None)
    return _change(Action.MODIFY, path, modes, (before, base.content(before)), (after, tip.content(after)))


def _replaced(
    path: RepoPath, base: Tree, before: BlobState | None, tip: Tree, after: BlobState | None
) -> Iterator[FileChange]:
    """A deletion, a creation, or both where a file becomes a link or the like."""
    if before is not None:
        yield _change(Action.DELETE, path, (before.mode, None), (before, base.content(before)), None)
    if after is not None:
        yield _change(Action.CREATE, path, (None, after.mode), None, (after, tip.content(after)))


_Side = tuple[BlobState, bytes] | None


def _change(
    action: Action, path: RepoPath, modes: tuple[Mode | None, Mode | None], old: _Side, new: _Side
) -> FileChange:
    old_data, new_data = (b"" if side is None else side[1] for side in (old, new))
    binary = old_data != new_data and (_is_binary(old_data) or _is_binary(new_data))
    hunks = () if binary else canonical_hunks(old_data, runs_between(old_data, new_data))
    return FileChange(
        action=action,
        old_path=None if old is None else path,
        new_path=None if new is None else path,
        old_mode=modes[0],
        new_mode=modes[1],
        hunks=tuple(printed.hunk for printed in hunks),
        binary=BinaryChange(forward=_whole(new_data), reverse=_whole(old_data)) if binary else None,
        old_blob=old[0].blob if binary and old is not None else None,
        new_blob=new[0].blob if binary and new is not None else None,
        source_line=0,
    )


def _is_binary(data: bytes) -> bool:
    return b"\0" in data[:_SEARCHED_FOR_NUL]


def _whole(data: bytes) -> BinaryDelta:
    return BinaryDelta(kind="literal", size=len(data), data=data)
