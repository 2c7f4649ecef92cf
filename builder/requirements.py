"""What each block needs, found out: its text by laying it, its meaning by building it.

A block is built with nothing but what its text needs. Each name that the compiler misses and another block brings is
a need, that block is put in, and it is built again, until it builds or nothing more can be read off its errors.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from builder.alone import Apart, required
from verify.gates.alone import AloneTree
from verify.gates.blame import Missed, missed
from verify.model.block import Block
from verify.model.ids import BlockName
from verify.model.observation import BuildObservation

Build = Callable[[AloneTree], BuildObservation | None]
"""Builds a tree; None when that could not be done."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockNeeds:
    """One block: what it says and what was found.

    `laid` is the tree at which the search ended: its `textual` are needs of the text. `missed` are needs of the
    meaning, in the order of their finding. `ended` is the build of that tree; None where nothing was built.
    """

    block: BlockName
    declared: tuple[BlockName, ...]
    laid: AloneTree
    missed: tuple[Missed, ...]
    ended: BuildObservation | None

    def on(self) -> tuple[BlockName, ...]:
        """The blocks whose names it uses."""
        return tuple(dict.fromkeys(each.bringer.block for each in self.missed))

    def missing(self) -> tuple[Missed, ...]:
        """Needs that it does not declare, one a block."""
        first = {each.bringer.block: each for each in reversed(self.missed)}
        return tuple(each for name, each in first.items() if name not in self.declared)

    def unneeded(self) -> tuple[BlockName, ...]:
        """What it declares, and builds without; nothing while it is not known to build."""
        if self.ended is None or not self.ended.ok:
            return ()
        textual = {each.on for each in self.laid.textual}
        return tuple(name for name in self.declared if name not in self.on() and name not in textual)


def find_needs(blocks: Sequence[Block], block: Block, apart: Apart, build: Build) -> BlockNeeds:
    """What one block needs; asks for as many builds as it uses other blocks, and one more."""
    found: list[Missed] = []
    while True:
        direct = {each.bringer.block for each in found}
        keep = frozenset(direct).union(*(required(blocks, each) for each in blocks if each.name in direct))
        laid = apart.beside(block, keep)
        ended = build(laid)
        more = [] if ended is None or ended.ok else _earlier(missed(ended, laid.blocks(), blocks), blocks, block)
        if not more:
            return BlockNeeds(block=block.name, declared=block.requires, laid=laid, missed=tuple(found), ended=ended)
        found += more


def _earlier(found: Iterable[Missed], blocks: Sequence[Block], block: Block) -> list[Missed]:
    """Those that a block below brings: a later one cannot be put in."""
    names = [each.name for each in blocks]
    below = set(names[: names.index(block.name)])
    return [each for each in found if each.bringer.block in below]
