"""Lines that the stack takes away on the new base and that the old base did not have.

Whoever wrote the folds has never seen them. Where they stood in a conflict that was resolved by hand they were shown
there, and that they go was decided; everywhere else it was not.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from builder.bump.compared import Compared
from builder.bump.outcome import Outcome
from builder.bump.stack_on import Bumped
from builder.tree import Tree
from verify.diff.net import REMOVED, Item, net_changes
from verify.model.ids import BlockName, FoldId, RepoPath


@dataclass(frozen=True, slots=True, kw_only=True)
class SilentDeletion:
    """A run of upstream's new lines that a fold removes; `line` is the first one's in the new base (1-based).

    `decided` says that all of them stood in a conflict that was resolved by hand.
    """

    block: BlockName
    fold: FoldId
    path: RepoPath
    line: int
    texts: tuple[bytes, ...]
    decided: bool


def silent_deletions(bumped: Bumped, compared: Compared) -> tuple[SilentDeletion, ...]:
    """Every such run, by file and line."""
    overlay = bumped.tip.overlay
    bases = Tree.at(overlay, bumped.old.base_tree), Tree.at(overlay, bumped.base)
    back = {new: old for old, new in bumped.follow.items()}
    found: list[SilentDeletion] = []
    shown = _shown(bumped)
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
        found += _runs(origin, fresh, shown)
    return tuple(found)


def _shown(bumped: Bumped) -> set[tuple[FoldId, RepoPath, int]]:
    """The lines of the new base that a resolved conflict showed."""
    return {
        (fold.fold, change.path, change.new_start + at)
        for fold in bumped.folds
        for piece in fold.pieces
        if piece.outcome is Outcome.RESOLVED
        for change in piece.upstream
        for at in range(len(change.added))
    }


def _runs(path: RepoPath, items: list[Item], shown: set[tuple[FoldId, RepoPath, int]]) -> Iterator[SilentDeletion]:
    group: list[Item] = []
    for item in sorted(items, key=lambda each: each.base_line):
        if group and (item.base_line != group[-1].base_line + 1 or item.fold != group[-1].fold):
            yield _deletion(path, group, shown)
            group = []
        group.append(item)
    if group:
        yield _deletion(path, group, shown)


def _deletion(path: RepoPath, group: list[Item], shown: set[tuple[FoldId, RepoPath, int]]) -> SilentDeletion:
    first = group[0]
    return SilentDeletion(
        block=first.block,
        fold=first.fold,
        path=path,
        line=first.base_line,
        texts=tuple(item.text for item in group),
        decided=all((item.fold, path, item.base_line) in shown for item in group),
    )
