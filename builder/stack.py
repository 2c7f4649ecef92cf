"""Folds onto a base: every layer of a stack, derived in memory over touched paths only.

`derive` lays each fold's patch on the tree that the folds before it left, records the commit, and compares every
preimage, postimage, tree and commit with the lock. A fold that does not go on is left out whole, and the folds
behind it are tried all the same, so that one conflict never hides another.
"""

import hashlib
from dataclasses import dataclass

from builder.commit import fold_commit
from builder.layer import Laid, NotLaid, lay
from builder.locked import LockCheck
from builder.tree import NewObject, ObjectSource, Overlay, Tree
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic
from verify.model.ids import CommitId, Sha256, TreeId
from verify.model.release import Lock, LockedFold
from verify.model.stack import Layer, Stack, Stuck


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """The stack, or where it stuck, and the objects that were made on the way (blobs, trees, commits).

    `findings` are all differences: folds that did not go on, and everything that is not as the lock records it. A
    `Stack` with findings was derived whole, yet is not the locked one.
    """

    result: Stack | Stuck
    findings: tuple[Diagnostic, ...]
    objects: tuple[NewObject, ...]


def derive(
    *,
    blocks: tuple[Block, ...],
    lock: Lock | None,
    base_tree: TreeId,
    base_commit: CommitId,
    source: ObjectSource,
) -> Derived:
    """Every fold of every block in order on the base; with a lock, compared with it fold by fold."""
    return Stacker(source).derive(blocks=blocks, lock=lock, base_tree=base_tree, base_commit=base_commit)


class Stacker:
    """Derives stacks on one source of objects and remembers what each patch made of each tree.

    Equal bytes on an equal tree make an equal tree, so that after a change in one block only that block and those
    behind it are laid again.
    """

    def __init__(self, source: ObjectSource) -> None:
        self._overlay = Overlay(source)
        self._laid: dict[tuple[TreeId, bytes], Laid] = {}

    def derive(
        self, *, blocks: tuple[Block, ...], lock: Lock | None, base_tree: TreeId, base_commit: CommitId
    ) -> Derived:
        """See `derive`."""
        overlay = self._overlay
        tree, commit = Tree.at(overlay, base_tree), base_commit
        layers: list[Layer] = []
        stuck: list[tuple[Block, Fold]] = []
        findings: list[Diagnostic] = []
        check = LockCheck(lock, blocks)
        for block in blocks:
            for fold in block.folds:
                met = tree
                laid = self._lay(fold, tree)
                if isinstance(laid, NotLaid):
                    stuck.append((block, fold))
                    findings += check.not_laid(block, fold, laid.findings, met)
                    continue
                tree = laid.tree
                new = fold_commit(fold=fold, block=block, tree=tree.id, parent=commit)
                overlay.add(new)
                commit = CommitId(new.id)
                layer = _layer(block, fold, met, laid, commit)
                layers.append(layer)
                differs, exact = check.laid(layer, fold)
                findings += differs
                if not exact:
                    stuck.append((block, fold))
        findings += check.rest()
        result = _result(layers, stuck, findings, base_tree, base_commit)
        return Derived(result=result, findings=tuple(findings), objects=overlay.objects())

    def _lay(self, fold: Fold, tree: Tree) -> Laid | NotLaid:
        key = tree.id, fold.patch_bytes
        known = self._laid.get(key)
        if known is not None:
            return known
        laid = lay(fold.patch, tree, file=fold.patch_file, text=fold.patch_bytes)
        if isinstance(laid, Laid):
            self._laid[key] = laid
        return laid


def _result(
    layers: list[Layer],
    stuck: list[tuple[Block, Fold]],
    findings: list[Diagnostic],
    base_tree: TreeId,
    base_commit: CommitId,
) -> Stack | Stuck:
    if not stuck:
        return Stack(base_tree=base_tree, base_commit=base_commit, layers=tuple(layers))
    left_out = {(block.name, fold.id) for block, fold in stuck}
    done = tuple(layer for layer in layers if (layer.block, layer.fold) not in left_out)
    block, fold = stuck[0]
    return Stuck(done=done, block=block.name, fold=fold.id, findings=tuple(findings))


def _layer(block: Block, fold: Fold, met: Tree, laid: Laid, commit: CommitId) -> Layer:
    return Layer(block=block.name, fold=fold.id, before=met.id, after=laid.tree.id, commit=commit, files=laid.files)


def make_lock(stack: Stack, blocks: tuple[Block, ...]) -> Lock:
    """What the lock must record of this stack."""
    patches = {(block.name, fold.id): fold.patch_bytes for block in blocks for fold in block.folds}
    folds = (
        LockedFold(
            block=layer.block,
            fold=layer.fold,
            patch_sha256=Sha256(hashlib.sha256(patches[layer.block, layer.fold]).hexdigest()),
            files=layer.files,
            tree=layer.after,
            commit=layer.commit,
        )
        for layer in stack.layers
    )
    return Lock(folds=tuple(folds))
