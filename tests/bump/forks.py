"""A fork made of texts: an old base, a stack on it in blocks, and a new base; everything in memory."""

from collections.abc import Mapping
from dataclasses import dataclass

from builder.bump.memory import Resolution, Wanted
from builder.bump.outcome import BumpedFold, FoldKey, Piece
from builder.bump.stack_on import Bumped, Follow, stack_on
from builder.exchange.tree_diff import patch_between
from builder.stack import derive
from builder.tree import FileState, Obstructed, Overlay, Tree, file_state
from tests.core.memory import Memory
from tests.core.stacks import BASE_COMMIT, block, fold
from verify.diff.render import render_patch
from verify.model.block import Block, Fold
from verify.model.ids import EMPTY_TREE, RepoPath
from verify.model.patch import Mode, Patch
from verify.model.stack import Stack

Texts = Mapping[str, bytes | None]


def numbered(count: int = 40, /, **changed: bytes) -> bytes:
    """Lines `line 1` to `line COUNT`; `_7=b"…"` puts other text in place of line 7 (nothing removes it)."""
    return b"".join(changed.get(f"_{number}", b"line %d\n" % number) for number in range(1, count + 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """The stack on its base, all trees in one overlay."""

    blocks: tuple[Block, ...]
    stack: Stack
    overlay: Overlay

    def tree(self, texts: Texts) -> Tree:
        """A tree of these files."""
        return changed(Tree.at(self.overlay, EMPTY_TREE), texts)

    def on(
        self,
        texts: Texts,
        *,
        memory: Mapping[Wanted, Resolution] | None = None,
        follow: Follow | None = None,
        drop: tuple[str, ...] = (),
    ) -> Bumped:
        """The stack on a base of these files."""
        return self.on_tree(self.tree(texts), memory=memory, follow=follow, drop=drop)

    def on_tree(
        self,
        base: Tree,
        *,
        memory: Mapping[Wanted, Resolution] | None = None,
        follow: Follow | None = None,
        drop: tuple[str, ...] = (),
    ) -> Bumped:
        """The stack on a tree of the fork's overlay."""
        return stack_on(
            blocks=self.blocks,
            old=self.stack,
            base=base.id,
            overlay=self.overlay,
            memory=memory or {},
            follow=follow,
            dropped=frozenset(key for key in self.keys() if "/".join(key) in drop or key[0] in drop),
        )

    def keys(self) -> list[FoldKey]:
        return [(block.name, fold.id) for block in self.blocks for fold in block.folds]


def changed(tree: Tree, texts: Texts) -> Tree:
    """The tree with these files; None removes one."""
    states: dict[RepoPath, FileState | None] = {
        RepoPath(name.encode()): None if text is None else file_state(text, Mode.FILE) for name, text in texts.items()
    }
    after = tree.with_changes(states)
    assert not isinstance(after, Obstructed)
    return after


def fork(base: Texts, *steps: tuple[str, Texts]) -> Fork:
    """A stack of one fold a step, each `block/fold` and the files that it leaves; blocks in their order."""
    overlay = Overlay(Memory())
    first = tree = changed(Tree.at(overlay, EMPTY_TREE), base)
    made: list[tuple[str, str, Patch]] = []
    for name, texts in steps:
        after = changed(tree, texts)
        block_name, _, fold_name = name.partition("/")
        made.append((block_name, fold_name, patch_between(tree, after)))
        tree = after
    return fork_of(first, made)


def fork_of(base: Tree, steps: list[tuple[str, str, Patch]]) -> Fork:
    """A stack of these patches on a tree."""
    folds: dict[str, list[Fold]] = {}
    for block_name, fold_name, patch in steps:
        folds.setdefault(block_name, []).append(fold(fold_name, render_patch(patch)))
    blocks = tuple(block(name, *items) for name, items in folds.items())
    made = derive(blocks=blocks, lock=None, base_tree=base.id, base_commit=BASE_COMMIT, source=base.overlay)
    assert isinstance(made.result, Stack), made.findings
    for new in made.objects:
        base.overlay.add(new)
    return Fork(blocks=blocks, stack=made.result, overlay=base.overlay)


def outcomes(bumped: Bumped) -> list[str]:
    """What became of each fold."""
    return [str(each.outcome) for each in bumped.folds]


def piece(folded: BumpedFold, number: int) -> Piece:
    """A fold's piece by its place (from 0)."""
    return folded.pieces[number]
