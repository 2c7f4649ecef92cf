"""Lines that the stack takes away on the new base and that the old base did not have: nobody decided that they go."""

from collections.abc import Iterator
from dataclasses import dataclass

from builder.bump.compared import Compared
from builder.bump.stack_on import Bumped
from builder.tree import Tree
from verify.diff.net import REMOVED, Item, net_changes
from verify.model.ids import BlockName, FoldId, RepoPath


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentDeletion:
    """A run of upstream's new lines that a fold removes; `line` is the first one's in the new base (1-based)."""

    block: BlockName
    fold: FoldId
    path: RepoPath
    line: int
    texts: tuple[bytes, ...]


def silent_deletions(bumped: Bumped, compared: Compared) -> tuple[SilentDeletion, ...]:
    """Every such run, by file and line."""
    overlay = bumped.tip.overlay
    bases = Tree.at(overlay, bumped.old.base_tree), Tree.at(overlay, bumped.base)
    back = {new: old for old, new in bumped.follow.items()}
    found: list[SilentDeletion] = []
    net = net_changes((fold.block, fold.fold, fold.patch) for fold in bumped.folds)
    for path, file in net.items():
        origin = file.origin if file.origin is not None else path
        removed = [item for item in file.items if item.sign == REMOVED]
        new = bases[1].blob(origin)
        if not removed or new is None:
            continue
        old = bases[0].blob(back.get(origin, origin))
        if old == new:
            continue
        known: set[int] = set()
        if old is not None:
            for alignment in compared.alignments(old, new):
                known.update(alignment.to_other[1:-1])
        fresh = [item for item in removed if item.base_line - 1 not in known]
        found += _runs(origin, fresh)
    return tuple(found)


def _runs(path: RepoPath, items: list[Item]) -> Iterator[SilentDeletion]:
    group: list[Item] = []
    for item in sorted(items, key=lambda each: each.base_line):
        if group and (item.base_line != group[-1].base_line + 1 or item.fold != group[-1].fold):
            yield _deletion(path, group)
            group = []
        group.append(item)
    if group:
        yield _deletion(path, group)


def _deletion(path: RepoPath, group: list[Item]) -> SilentDeletion:
    first = group[0]
    return SilentDeletion(
        block=first.block,
        fold=first.fold,
        path=path,
        line=first.base_line,
        texts=tuple(item.text for item in group),
    )
