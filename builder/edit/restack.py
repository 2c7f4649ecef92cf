"""The stack laid again after an edit: every fold in its new order on what now lies below it.

An `Item` is a fold as it shall be and a function from the tree it meets to its canonical patch there. The first one
that does not go on ends the work: whatever lies above may rest on it, and a conflict refuses the whole edit, so that
nothing half-laid is ever written.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from builder.edit.desk import Desk
from builder.edit.mapping import FoldKey
from builder.edit.refresh import lay_again, paths_of
from builder.exchange.lay_submission import HunkFate, Refused, SectionNote, Taken
from builder.tree import Tree
from verify.manifest.block import patch_file
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, FoldId, TreeId
from verify.model.patch import FileChange


class How(StrEnum):
    """What an edit did to a fold's patch."""

    IDENTICAL = "body-identical"
    OFFSET = "offset only"
    CONTEXT = "context changed"
    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One fold as it shall be.

    `was` names the declared fold that it comes from, None for a new one. `fold` holds its fields; its patch is the
    one that `lay` gives. `source` is a new source.patch; None leaves the one that it has.
    """

    fold: Fold
    was: FoldKey | None
    lay: Callable[[Tree], Taken | Refused]
    source: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockPlan:
    """A block with the folds that it shall have, in order."""

    block: Block
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """An item on its tree: the fold with its patch, the trees around it, and what became of each hunk."""

    block: BlockName
    fold: Fold
    item: Item
    before: TreeId
    after: TreeId
    how: How
    fates: tuple[HunkFate, ...]
    notes: tuple[SectionNote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """The fold that does not go on, with the reason for every hunk; nothing was written."""

    block: BlockName
    fold: FoldId
    findings: tuple[Diagnostic, ...]


def kept(desk: Desk, block: Block, fold: Fold) -> Item:
    """A declared fold as it is."""
    return moved(desk, block, fold, fold)


def moved(desk: Desk, block: Block, fold: Fold, changed: Fold) -> Item:
    """A declared fold with other fields; its patch stays what it was, as far as the tree below lets it."""
    key = (block.name, fold.id)
    met = desk.met(key)
    return Item(fold=changed, was=key, lay=lambda tree: lay_again(fold, met=met, tree=tree, blobs=desk.blob))


def plan_of(desk: Desk) -> tuple[BlockPlan, ...]:
    """The stack as it stands."""
    return tuple(
        BlockPlan(block=block, items=tuple(kept(desk, block, fold) for fold in block.folds))
        for block in desk.release.blocks
    )


def restack(desk: Desk, plans: Sequence[BlockPlan]) -> tuple[Placed, ...] | Conflict:
    """Every item in order on the base."""
    tree = desk.tree(desk.stack.base_tree)
    declared = {(block.name, fold.id): fold for block in desk.release.blocks for fold in block.folds}
    placed: list[Placed] = []
    for plan in plans:
        for item in plan.items:
            taken = item.lay(tree)
            if isinstance(taken, Refused):
                return _conflict(plan.block.name, item, taken.findings, _what_moved(desk, item, placed))
            fold = replace(
                item.fold,
                patch=taken.patch,
                patch_bytes=taken.text,
                patch_file=patch_file(plan.block.name, item.fold.id),
            )
            was = declared[item.was] if item.was is not None else None
            placed.append(
                Placed(
                    block=plan.block.name,
                    fold=fold,
                    item=item,
                    before=tree.id,
                    after=taken.tree.id,
                    how=how_changed(was, fold),
                    fates=taken.fates,
                    notes=taken.notes,
                )
            )
            tree = taken.tree
    return tuple(placed)


def _what_moved(desk: Desk, item: Item, placed: Sequence[Placed]) -> tuple[str, ...]:
    """How what lies below a fold differs from what lay there, as far as it changes the same files."""
    if item.was is None:
        return ()
    folds = {(block.name, fold.id): fold for block in desk.release.blocks for fold in block.folds}
    order = list(folds)
    paths = paths_of(folds[item.was].patch)
    before = [key for key in order[: order.index(item.was)] if paths & paths_of(folds[key].patch)]
    now = [each for each in placed if paths & paths_of(each.fold.patch)]
    kept_below = {each.item.was for each in now}
    groups = (
        ("not below it any more", [f"{block}/{fold}" for block, fold in before if (block, fold) not in kept_below]),
        ("newly below it", [f"{each.block}/{each.fold.id}" for each in now if each.item.was not in before]),
        (
            "changed below it",
            [f"{each.block}/{each.fold.id}" for each in now if each.item.was in before and each.how is How.CHANGED],
        ),
    )
    return tuple(f"{word}: {', '.join(names)}" for word, names in groups if names)


def _conflict(block: BlockName, item: Item, findings: Sequence[Diagnostic], below: tuple[str, ...]) -> Conflict:
    fold = item.fold.id
    where = f"fold `{fold}` of block `{block}`"
    text = f"{where} does not fit the files that it would meet" if item.was else f"{where} cannot be laid"
    head = Diagnostic(
        code="edit-conflict",
        message=text,
        notes=(*below, f"{len(findings)} of its hunks or files, told next", "nothing was written"),
        help="stackproof checkout DIR, resolve it there, then stackproof sync DIR"
        if item.was
        else "bring the patch up to date with the stack, and fold it again",
    )
    return Conflict(block=block, fold=fold, findings=(head, *findings))


def how_changed(was: Fold | None, now: Fold) -> How:
    """What became of a fold's patch."""
    if was is None:
        return How.NEW
    if was.patch_bytes == now.patch_bytes:
        return How.IDENTICAL
    before, after = was.patch.files, now.patch.files
    if [_body(change, context=True) for change in before] == [_body(change, context=True) for change in after]:
        return How.OFFSET
    if [_body(change, context=False) for change in before] == [_body(change, context=False) for change in after]:
        return How.CONTEXT
    return How.CHANGED


def _body(change: FileChange, *, context: bool) -> tuple[object, ...]:
    """What a change says without line numbers, hunk by hunk with its context, or as one run without."""
    head = (change.action, change.old_path, change.new_path, change.old_mode, change.new_mode, change.binary)
    if context:
        return (*head, tuple(hunk.lines for hunk in change.hunks))
    return (*head, tuple(line for hunk in change.hunks for line in hunk.lines if line[0] != b" "))
