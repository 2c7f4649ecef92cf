"""Trees other than prefixes: a block on the base with what it requires, and with one requirement less."""

from dataclasses import dataclass

from verify.diff.trace import Trace
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, FoldId, TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class TextualNeed:
    """Without block `on` a fold of `block` has no place: its hunks meet lines that only `on` brings.

    `findings` are the hunks that conflict, with their lines in the fold's patch.
    """

    block: BlockName
    fold: FoldId
    on: BlockName
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AloneTree:
    """The base with `below` and `block` laid on it; `trace` follows its lines to the folds as they are recorded.

    `below` is the closure of what the block requires, less the one requirement `without` where one is named, and with
    the blocks that are there for their text alone (`textual`). Nothing else of the stack is in it.
    """

    block: BlockName
    without: BlockName | None
    below: tuple[BlockName, ...]
    textual: tuple[TextualNeed, ...]
    tree: TreeId
    trace: Trace

    def blocks(self) -> tuple[BlockName, ...]:
        """Every block that is in the tree."""
        return (*self.below, self.block)
