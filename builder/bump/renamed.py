"""Files that upstream moved, as a proposal: the new name of a file that a fold changes and that is not there any more.

The same content under another name is certain enough to be proposed first; else the most alike of upstream's new files
of the same kind is. Nothing is followed without a word (`--follow OLD=NEW`): a likeness is no proof.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from builder.canonical import split_lines
from builder.tree import Tree
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.model.release import BlobState

_LEAST = 0.4
_LARGEST = 4 << 20
_MOST = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """A file's old name, its likely new one, and how much of it is the same (1 for all bytes)."""

    old: RepoPath
    new: RepoPath
    alike: float


def renamed_files(paths: Iterable[RepoPath], old: Tree, new: Tree) -> tuple[Renamed, ...]:
    """The likely new names of paths that the old base has and the new one has not."""
    gone = [path for path in dict.fromkeys(paths) if old.entry(path) is not None and new.entry(path) is None]
    if not gone:
        return ()
    made = {path: after for path, (before, after) in old.differences(new) if before is None and after is not None}
    return tuple(found for path in gone if (found := _best(path, old, new, made)) is not None)


def _best(path: RepoPath, old: Tree, new: Tree, made: dict[RepoPath, BlobState]) -> Renamed | None:
    state = old.entry(path)
    if state is None or state.mode is Mode.SUBMODULE:
        return None
    same = sorted(each for each, after in made.items() if after.blob == state.blob)
    if same:
        return Renamed(old=path, new=min(same, key=lambda each: (_name(each) != _name(path), each)), alike=1.0)
    content = old.content(state)
    ours = Counter(split_lines(content))
    best: Renamed | None = None
    for each in _likely(path, made):
        text = new.blob(each) or b""
        if len(text) > _LARGEST or not len(content) // 4 <= len(text) <= len(content) * 4 + 1000:
            continue
        theirs = Counter(split_lines(text))
        alike = 2 * sum((ours & theirs).values()) / max(ours.total() + theirs.total(), 1)
        if alike >= _LEAST and (best is None or alike > best.alike):
            best = Renamed(old=path, new=each, alike=alike)
    return best


def _likely(path: RepoPath, made: dict[RepoPath, BlobState]) -> Iterator[RepoPath]:
    """New files of the same suffix, those of the same name or folder first."""
    suffix = _name(path).rpartition(b".")[2]
    found = [each for each in made if _name(each).rpartition(b".")[2] == suffix]
    folder = path.rpartition(b"/")[0]
    yield from sorted(found, key=lambda each: (_name(each) != _name(path), each.rpartition(b"/")[0] != folder, each))[
        :_MOST
    ]


def _name(path: RepoPath) -> bytes:
    return path.rpartition(b"/")[2]
