"""Two releases next to each other: which blocks and folds are the same, only moved in their file, changed, new or gone.

All comes from the declared files; neither base is needed. Patches are compared byte by byte, white space included: a
fold is `offset` when nothing but the line numbers of its hunks differ. Pure.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from enum import StrEnum

from verify.model.block import Block, Fold
from verify.model.ids import BlockName, FoldId
from verify.model.patch import Patch
from verify.model.release import Release


class What(StrEnum):
    """What became of a block or a fold on the way from one release to the other."""

    IDENTICAL = "identical"
    OFFSET = "offset"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldChange:
    """One fold: `fields` are the declared ones that differ, `moved_from` the block that had it before."""

    block: BlockName
    fold: FoldId
    what: What
    fields: tuple[str, ...]
    moved_from: BlockName | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockChange:
    """One block with its folds; `reordered` when it, or one of its folds, stands behind another one than before."""

    block: BlockName
    what: What
    fields: tuple[str, ...]
    reordered: bool
    folds: tuple[FoldChange, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseChange:
    """Everything that differs; `fields` are those of release.json, and each pair is (before, after) as text."""

    name: tuple[str, str]
    base_moved: bool
    base: tuple[str, str]
    tip: tuple[str | None, str | None]
    fields: tuple[str, ...]
    blocks: tuple[BlockChange, ...]

    def is_same(self) -> bool:
        """Whether both promise and declare the same."""
        return (
            not self.base_moved
            and not self.fields
            and self.tip[0] == self.tip[1]
            and all(each.what is What.IDENTICAL and not each.reordered for each in self.blocks)
        )


def compare(old: Release, new: Release) -> ReleaseChange:
    """What the second release has that the first had not, and the other way about."""
    return ReleaseChange(
        name=(old.name, new.name),
        base_moved=_base(old) != _base(new),
        base=(str(_base(old)), str(_base(new))),
        tip=(_tip(old), _tip(new)),
        fields=tuple(
            name
            for name in ("parent", "engine", "configurations", "models", "gates")
            if _plain(getattr(old, name)) != _plain(getattr(new, name))
        ),
        blocks=tuple(_blocks(old, new)),
    )


def sameness(old: Patch, new: Patch) -> What:
    """Identical, offset or changed."""
    if _bodies(old, places=True) == _bodies(new, places=True):
        return What.IDENTICAL
    return What.OFFSET if _bodies(old, places=False) == _bodies(new, places=False) else What.CHANGED


def _bodies(patch: Patch, *, places: bool) -> list[object]:
    """The patch without where it stands in its own file, and, if so asked, without where its hunks go."""
    return [
        replace(
            change,
            source_line=0,
            hunks=tuple(
                replace(
                    hunk,
                    source_line=0,
                    old_start=hunk.old_start if places else 0,
                    new_start=hunk.new_start if places else 0,
                )
                for hunk in change.hunks
            ),
        )
        for change in patch.files
    ]


def _blocks(old: Release, new: Release) -> Iterator[BlockChange]:
    before, after = _by_name(old), _by_name(new)
    homes = {fold.id: block.name for block in old.blocks for fold in block.folds}
    shared = [name for name in before if name in after]
    kept_order = [name for name in after if name in before]
    for name, block in after.items():
        was = before.get(name)
        folds = tuple(_folds(was, block, before, homes))
        if was is None:
            yield BlockChange(block=name, what=What.NEW, fields=(), reordered=False, folds=folds)
            continue
        changed = _changed_fields(was, block, skip=("folds", "file"))
        reordered = _behind(shared, name) != _behind(kept_order, name) or _order(was, block) != _order(block, was)
        yield BlockChange(block=name, what=_together(changed, folds), fields=changed, reordered=reordered, folds=folds)
    for name, block in before.items():
        if name not in after:
            gone = tuple(
                FoldChange(block=name, fold=fold.id, what=What.GONE, fields=(), moved_from=None) for fold in block.folds
            )
            yield BlockChange(block=name, what=What.GONE, fields=(), reordered=False, folds=gone)


def _folds(
    was: Block | None, block: Block, before: Mapping[BlockName, Block], homes: Mapping[FoldId, BlockName]
) -> Iterator[FoldChange]:
    known = {fold.id: fold for fold in was.folds} if was is not None else {}
    for fold in block.folds:
        old, origin = known.get(fold.id), None
        home = homes.get(fold.id)
        if old is None and home is not None and home != block.name:
            old, origin = next(each for each in before[home].folds if each.id == fold.id), home
        if old is None:
            yield FoldChange(block=block.name, fold=fold.id, what=What.NEW, fields=(), moved_from=None)
            continue
        changed = _changed_fields(old, fold, skip=("patch", "patch_bytes", "patch_file"))
        what = What.IDENTICAL if old.patch_bytes == fold.patch_bytes else sameness(old.patch, fold.patch)
        if changed:
            what = What.CHANGED
        yield FoldChange(block=block.name, fold=fold.id, what=what, fields=changed, moved_from=origin)
    there = {fold.id for fold in block.folds}
    for fold_id in known:
        if fold_id not in there:
            yield FoldChange(block=block.name, fold=fold_id, what=What.GONE, fields=(), moved_from=None)


def _together(changed: tuple[str, ...], folds: tuple[FoldChange, ...]) -> What:
    whats = {fold.what for fold in folds}
    if changed or whats & {What.CHANGED, What.NEW, What.GONE} or any(fold.moved_from for fold in folds):
        return What.CHANGED
    return What.OFFSET if What.OFFSET in whats else What.IDENTICAL


def _changed_fields(old: Block | Fold, new: Block | Fold, *, skip: tuple[str, ...]) -> tuple[str, ...]:
    names = [field.name for field in fields(old) if field.name not in skip]
    return tuple(name for name in names if _plain(getattr(old, name)) != _plain(getattr(new, name)))


def _plain(value: object) -> object:
    """A declared value without the place where it was declared."""
    if isinstance(value, tuple):
        return tuple(
            (each.name, each.kind, each.required, each.params) if hasattr(each, "params") else each for each in value
        )
    return value


def _by_name(release: Release) -> dict[BlockName, Block]:
    return {block.name: block for block in release.blocks}


def _behind(order: list[BlockName], name: BlockName) -> BlockName | None:
    at = order.index(name)
    return order[at - 1] if at else None


def _order(of: Block, also: Block) -> list[FoldId]:
    there = {fold.id for fold in also.folds}
    return [fold.id for fold in of.folds if fold.id in there]


def _base(release: Release) -> object:
    return release.base.upstream_commit or release.base.source


def _tip(release: Release) -> str | None:
    return release.reference.tip_tree if release.reference is not None else None
