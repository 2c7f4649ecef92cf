"""Two trees as one canonical patch, for changes that come as trees: the commits of a git range.

Only folders that differ are read. Lines are compared by our own alignment, so that the patch does not depend on
anybody's diff settings; a file that moved unchanged is a rename, anything else that moved is a deletion and a creation.
"""

from collections.abc import Iterator

from builder.align import align
from builder.canonical import Run, split_lines
from builder.draft import Draft, DraftFile, literal, whole_file
from builder.tree import Tree
from verify.model.ids import RepoPath
from verify.model.patch import Mode, Patch
from verify.model.release import BlobState

_LOOKS_BINARY = 8000


def patch_between(before: Tree, after: Tree) -> Patch:
    """The canonical patch that makes the second tree of the first."""
    draft = Draft(before)
    changed = dict(before.differences(after))
    gone: dict[BlobState, list[RepoPath]] = {}
    for path, (old, new) in changed.items():
        if old is not None and new is None:
            gone.setdefault(old, []).append(path)
            draft.remove(path)
    for path, (old, new) in changed.items():
        if new is None:
            continue
        content = after.content(new)
        if old is None and gone.get(new):
            origin = gone[new].pop(0)
            draft.put(path, DraftFile(origin=origin, base=content, content=content, mode=new.mode))
        elif old is None or _kind(old.mode) != _kind(new.mode):
            draft.put(path, _created(content, new.mode))
        else:
            draft.put(path, _modified(path, before.content(old), content, new.mode))
    return draft.finish().patch


def _created(content: bytes, mode: Mode) -> DraftFile:
    binary = literal(content) if _is_binary(content) else None
    runs = () if binary is not None else whole_file(content, ())
    return DraftFile(origin=None, base=b"", content=content, mode=mode, runs=runs, binary=binary)


def _modified(path: RepoPath, base: bytes, content: bytes, mode: Mode) -> DraftFile:
    if base != content and (_is_binary(base) or _is_binary(content)):
        return DraftFile(origin=path, base=base, content=content, mode=mode, binary=literal(content))
    return DraftFile(origin=path, base=base, content=content, mode=mode, runs=tuple(runs_between(base, content)))


def runs_between(base: bytes, content: bytes) -> Iterator[Run]:
    """The changes that make one text of another."""
    olds, news = split_lines(base), split_lines(content)
    alignment, _ = align(olds, news)
    at = old = new = 0
    while old <= len(olds):
        start, first, first_at = old, new, at
        while old < len(olds) and alignment.of(old) < 0:
            at += len(olds[old])
            old += 1
        new = alignment.of(old)
        signed = [(b"-", line) for line in olds[start:old]] + [(b"+", line) for line in news[first:new]]
        if signed:
            yield Run(at=first_at, line=start + 1, lines=tuple(signed))
        if old < len(olds):
            at += len(olds[old])
        old, new = old + 1, new + 1


def _is_binary(content: bytes) -> bool:
    return b"\0" in content[:_LOOKS_BINARY]


def _kind(mode: Mode) -> str:
    return "file" if mode in (Mode.FILE, Mode.EXECUTABLE) else mode.value
