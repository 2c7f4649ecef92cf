"""Mutants of a release: the stack without one block, or without one fold of a block. Pure.

With a block go the blocks that require it, and those whose text has no place without it: what is left must be able to
show what the block did, and not merely that something is missing. A fold whose neighbours have no place without it
has no mutant; that is told.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from builder.laying import FoldName, Laying, NoPlace
from verify.model.block import Block
from verify.model.ids import BlockName, FoldId
from verify.model.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """The stack without `block`, or without its `fold`; `also` are the blocks that had to go with it."""

    block: BlockName
    fold: FoldId | None
    stack: Stack
    also: tuple[BlockName, ...]

    def name(self) -> str:
        """The mutant by what it lacks."""
        return self.block if self.fold is None else f"{self.block}/{self.fold}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoMutant:
    """Without the fold of `block` another one of the same block has no place, so there is nothing to build."""

    block: BlockName
    fold: FoldId
    no_place: NoPlace

    def name(self) -> str:
        """The mutant that there is not, by what it would lack."""
        return f"{self.block}/{self.fold}"


def mutants(blocks: Sequence[Block], laying: Laying) -> Iterator[Mutant | NoMutant]:
    """Each block left out, then each of its folds where it has several, in stack order."""
    for block in blocks:
        gone = {name for name in laying.order if name[0] == block.name}
        yield _without(block, None, gone, blocks, laying)
        if len(block.folds) > 1:
            for fold in block.folds:
                yield _without(block, fold.id, {(block.name, fold.id)}, blocks, laying)


def _without(
    block: Block, fold: FoldId | None, gone: set[FoldName], blocks: Sequence[Block], laying: Laying
) -> Mutant | NoMutant:
    also = _requiring(block.name, blocks) if fold is None else []
    while True:
        left = [name for name in laying.order if name not in gone and name[0] not in also]
        laid = laying.lay(left)
        match laid:
            case Stack():
                order = [each.name for each in blocks]
                return Mutant(block=block.name, fold=fold, stack=laid, also=tuple(sorted(also, key=order.index)))
            case NoPlace(fold=(other, _)):
                if other == block.name:
                    assert fold is not None  # a block that is left out has no fold to place
                    return NoMutant(block=block.name, fold=fold, no_place=laid)
                also.append(other)


def _requiring(block: BlockName, blocks: Sequence[Block]) -> list[BlockName]:
    """The blocks that require it, and those that require them."""
    found = [block]
    for each in blocks:  # needs stand before, so one pass is enough
        if each.name not in found and set(each.requires) & set(found):
            found.append(each.name)
    return found[1:]
