"""Every fold of a stack on another base, past every conflict: later folds are tried on what could be applied.

Old and new stack run side by side. What a hunk of the old one changed and the new one lacks is remembered as a stretch
of lines, shifted by every later fold, so that a fold that rests on it says which one it waits for. Pure.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from builder.bump.carry_fold import Ground, carry_fold
from builder.bump.compared import Compared
from builder.bump.memory import Resolution, Wanted
from builder.bump.outcome import OPEN, BumpedFold, FoldKey, Outcome
from builder.tree import Overlay, Tree
from verify.model.block import Block, Fold
from verify.model.ids import BlockName, FoldId, RepoPath, TreeId
from verify.model.patch import Hunk, Patch
from verify.model.stack import Stack

Follow = Mapping[RepoPath, RepoPath]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bumped:
    """The stack on the new base, as far as it goes; `dropped` are folds that were left out on purpose."""

    old: Stack
    base: TreeId
    folds: tuple[BumpedFold, ...]
    tip: Tree
    dropped: tuple[FoldKey, ...]
    follow: Follow

    def open_folds(self) -> tuple[BumpedFold, ...]:
        """The folds that need a hand or a word."""
        return tuple(fold for fold in self.folds if fold.outcome in OPEN)


def stack_on(
    *,
    blocks: Sequence[Block],
    old: Stack,
    base: TreeId,
    overlay: Overlay,
    memory: Mapping[Wanted, Resolution],
    follow: Follow | None = None,
    dropped: frozenset[FoldKey] = frozenset(),
    compared: Compared | None = None,
) -> Bumped:
    """The folds of `blocks`, whose layers are `old`, on `base`; `follow` maps old names of files to new ones."""
    work = _Work(blocks, old, base, overlay, memory, follow or {}, compared or Compared())
    for block in blocks:
        for fold in block.folds:
            work.take(block, fold, drop=(block.name, fold.id) in dropped)
    return Bumped(
        old=old,
        base=base,
        folds=tuple(work.folds),
        tip=work.tree,
        dropped=tuple(key for key in work.keys if key in dropped),
        follow=follow or {},
    )


@dataclass(slots=True)
class _Stretch:
    """Lines of the old stack that are not in the new one, as its files stand now: first and behind, or all for None."""

    fold: FoldKey
    lines: tuple[int, int] | None


class _Work:
    def __init__(
        self,
        blocks: Sequence[Block],
        old: Stack,
        base: TreeId,
        overlay: Overlay,
        memory: Mapping[Wanted, Resolution],
        follow: Follow,
        compared: Compared,
    ) -> None:
        self.folds: list[BumpedFold] = []
        self.keys: list[FoldKey] = [(block.name, fold.id) for block in blocks for fold in block.folds]
        self.tree = Tree.at(overlay, base)
        self._bases = Tree.at(overlay, old.base_tree), self.tree
        self._layers = {(layer.block, layer.fold): layer for layer in old.layers}
        self._order = {key: number for number, key in enumerate(self.keys)}
        self._overlay = overlay
        self._memory = memory
        self._follow = follow
        self._back = {new: old for old, new in follow.items()}
        self._compared = compared
        self._open: dict[RepoPath, list[_Stretch]] = {}

    def take(self, block: Block, fold: Fold, *, drop: bool) -> None:
        """Carry the next fold, and note what is missing of it."""
        key = block.name, fold.id
        layer = self._layers[key]
        ground = Ground(
            met=Tree.at(self._overlay, layer.before),
            left=Tree.at(self._overlay, layer.after),
            base=self._bases,
            compared=self._compared,
            futures=lambda path: self._futures(key, path),
            remembered=self._memory.get,
            waits_for=self._waits_for,
            followed=lambda path: self._back.get(path, path),
        )
        missing: set[tuple[RepoPath, int]] = set()
        if drop:
            missing = {(path, 0) for path in _paths(fold.patch)}
        else:
            done = carry_fold(block.name, fold, followed(fold.patch, self._follow), onto=self.tree, ground=ground)
            self.folds.append(done)
            self.tree = done.tree
            missing = {
                (self._back.get(piece.path, piece.path), piece.hunk) for piece in done.pieces if piece.outcome in OPEN
            }
        self._shift(fold.patch, key, missing, drop=drop)

    def _futures(self, key: FoldKey, path: RepoPath) -> tuple[tuple[FoldKey, bytes], ...]:
        found = []
        for later in self.keys[self._order[key] + 1 :]:
            layer = self._layers[later]
            state = next((file.after for file in layer.files if file.path == path), None)
            if state is not None:
                found.append((later, self._overlay.blob(state.blob)))
        return tuple(found)

    def _waits_for(self, path: RepoPath, lines: tuple[int, int] | None) -> FoldKey | None:
        for each in self._open.get(path, ()):
            if lines is None or each.lines is None or (each.lines[0] <= lines[1] and lines[0] <= each.lines[1]):
                return each.fold
        return None

    def _shift(self, patch: Patch, key: FoldKey, missing: set[tuple[RepoPath, int]], *, drop: bool) -> None:
        for change in patch.files:
            old, new = change.old_path, change.new_path
            path = new if new is not None else old
            if path is None:
                continue
            stretches = self._open.pop(old, []) if old is not None else []
            moved = [_shifted(each, change.hunks) for each in stretches]
            if (path, 0) in missing and not drop:
                moved.append(_Stretch(key, None))
            for number, hunk in enumerate(change.hunks, start=1):
                if (path, number) in missing or (drop and (path, 0) in missing):
                    first = hunk.new_start - 1 if hunk.new() else hunk.new_start
                    moved.append(_Stretch(key, (first, first + len(hunk.new()))))
            if drop and not change.hunks:
                moved.append(_Stretch(key, None))
            if moved:
                self._open[path] = moved


def _shifted(stretch: _Stretch, hunks: Sequence[Hunk]) -> _Stretch:
    if stretch.lines is None:
        return stretch
    first, behind = stretch.lines
    low, high = first, behind
    for hunk in hunks:
        start = hunk.old_start - 1 if hunk.old() else hunk.old_start
        end = start + len(hunk.old())
        grown = len(hunk.new()) - len(hunk.old())
        if end <= first:
            low, high = low + grown, high + grown
        elif start < behind:
            high += grown
    return _Stretch(stretch.fold, (max(low, 0), max(high, low, 0)))


def followed(patch: Patch, follow: Follow) -> Patch:
    """The patch with the names that upstream gave to its files; itself where none was renamed."""
    if not any(path in follow for path in _paths(patch)):
        return patch
    files = tuple(
        replace(
            change,
            old_path=follow.get(change.old_path, change.old_path) if change.old_path is not None else None,
            new_path=follow.get(change.new_path, change.new_path) if change.new_path is not None else None,
        )
        for change in patch.files
    )
    return Patch(files=files)


def whole_blocks(bumped: Bumped, blocks: Sequence[Block]) -> tuple[BlockName, ...]:
    """The blocks of which upstream has everything."""
    gone = {fold.key() for fold in bumped.folds if fold.outcome is Outcome.UPSTREAMED}
    return tuple(
        block.name for block in blocks if block.folds and all((block.name, fold.id) in gone for fold in block.folds)
    )


def _paths(patch: Patch) -> set[RepoPath]:
    return {path for change in patch.files for path in (change.old_path, change.new_path) if path is not None}


def fold_of(blocks: Sequence[Block], key: FoldKey) -> Fold:
    """A declared fold by its key."""
    return next(fold for block in blocks if block.name == key[0] for fold in block.folds if fold.id == FoldId(key[1]))
