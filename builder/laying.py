"""Any folds of the stack laid on the base, in order, by the rules of carry: trees that are built and never released.

Pure. Takes the blocks with the layers as derived; gives the layers of some folds alone, as if the others had never
been written. As long as every fold so far is laid, its tree is the stack's own and nothing is carried.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from builder.carry import NotCarried, carry_patch
from builder.tree import NewObject, ObjectSource, Overlay, Tree
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, FoldId
from verify.model.stack import Layer, Stack

FoldName = tuple[BlockName, FoldId]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoPlace:
    """The first fold that does not go on without those that were left out, and its hunks that conflict."""

    fold: FoldName
    findings: tuple[Diagnostic, ...]


class Laying:
    """Lays folds of one stack, and remembers what was laid."""

    def __init__(
        self, blocks: Sequence[Block], stack: Stack, source: ObjectSource, made: Iterable[NewObject] = ()
    ) -> None:
        self._overlay = Overlay(source)
        for new in made:
            self._overlay.add(new)
        self._stack = stack
        self._folds = {(block.name, fold.id): fold for block in blocks for fold in block.folds}
        self._layers = {(layer.block, layer.fold): layer for layer in stack.layers}
        self._known: dict[tuple[FoldName, ...], tuple[Layer, ...] | NoPlace] = {(): ()}

    @property
    def order(self) -> tuple[FoldName, ...]:
        """Every fold, in stack order."""
        return tuple(self._layers)

    def objects(self) -> tuple[NewObject, ...]:
        """Every object that was made or given."""
        return self._overlay.objects()

    def lay(self, folds: Iterable[FoldName]) -> Stack | NoPlace:
        """The stack of these folds alone, whatever order they are given in."""
        wanted = set(folds)
        chosen = tuple(name for name in self._layers if name in wanted)
        laid: tuple[Layer, ...] | NoPlace = ()
        for end in range(1, len(chosen) + 1):
            part = chosen[:end]
            if part not in self._known:
                assert not isinstance(laid, NoPlace)
                self._known[part] = self._on(laid, part[-1])
            laid = self._known[part]
            if isinstance(laid, NoPlace):
                return laid
        assert not isinstance(laid, NoPlace)
        return replace(self._stack, layers=laid)

    def _on(self, below: tuple[Layer, ...], name: FoldName) -> tuple[Layer, ...] | NoPlace:
        layer, fold = self._layers[name], self._folds[name]
        met = below[-1].after if below else self._stack.base_tree
        if met == layer.before:
            return (*below, layer)
        carried = carry_patch(
            fold.patch,
            fold.patch_bytes,
            onto=Tree.at(self._overlay, met),
            recorded=Tree.at(self._overlay, layer.before).blob,
            file=fold.patch_file,
        )
        if isinstance(carried, NotCarried):
            return NoPlace(fold=name, findings=carried.findings)
        # these trees have no commits: the layer's stays the stack's
        return (*below, replace(layer, before=met, after=carried.tree.id, files=carried.files))
