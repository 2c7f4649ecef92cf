"""The stack as derived: every fold's layer on the base, or where and why it stuck."""

from dataclasses import dataclass

from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, CommitId, FoldId, TreeId
from verify.model.release import LockedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One fold's step: the tree it met and the tree it left, the commit that records it, and each file's two sides."""

    block: BlockName
    fold: FoldId
    before: TreeId
    after: TreeId
    commit: CommitId
    files: tuple[LockedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Every layer in order on the base; an empty stack's tip is the base."""

    base_tree: TreeId
    base_commit: CommitId
    layers: tuple[Layer, ...]

    def tip_tree(self) -> TreeId:
        """The tree after the last fold."""
        return self.layers[-1].after if self.layers else self.base_tree

    def tip_commit(self) -> CommitId:
        """The commit of the last fold."""
        return self.layers[-1].commit if self.layers else self.base_commit

    def block_tree(self, block: BlockName) -> TreeId | None:
        """The tree after the block's last fold; None for a block that is not in the stack."""
        return next((layer.after for layer in reversed(self.layers) if layer.block == block), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stuck:
    """The folds that did not go on, with the reason for every hunk, and the layers that did."""

    done: tuple[Layer, ...]
    block: BlockName
    fold: FoldId
    findings: tuple[Diagnostic, ...]
