"""The project laid out for a change: the release, its stack, the trees around every fold, and all blobs by id.

A desk is made once for a command, from a stack that is whole. It answers what each fold met and left, finds folds as
people name them, and finds the file that an `index` line of a submission names, also by a short id.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from builder.edit.mapping import FoldKey
from builder.stack import Derived
from builder.store import Store
from builder.tree import NewObject, Overlay, Tree
from verify.manifest.mistakes import did_you_mean, listed
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.glob import glob_matches
from verify.model.ids import BlobId, BlockName, RepoPath, TreeId
from verify.model.release import Release
from verify.model.stack import Stack

_FULL = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """What every change starts from."""

    root: Path
    release: Release
    stack: Stack
    store: Store
    overlay: Overlay

    def tree(self, tree: TreeId) -> Tree:
        """A tree of the base or of the stack."""
        return Tree.at(self.overlay, tree)

    def met(self, key: FoldKey) -> Tree:
        """The tree that a declared fold goes on."""
        return self.tree(next(each.before for each in self.stack.layers if (each.block, each.fold) == key))

    def left(self, key: FoldKey) -> Tree:
        """The tree that a declared fold leaves."""
        return self.tree(next(each.after for each in self.stack.layers if (each.block, each.fold) == key))

    def blob(self, name: BlobId) -> bytes | None:
        """The content of a blob of the base or of the stack, by its whole id or the start of it."""
        found = name if len(name) == _FULL else self._whole(name)
        if found is None:
            return None
        try:
            return self.overlay.blob(BlobId(found))
        except EnvironmentFault:
            return None

    def _whole(self, name: str) -> str | None:
        made = {new.id for new in self.overlay.objects() if new.kind == "blob" and new.id.startswith(name)}
        stored = self.store.blob_named(name)
        found = made | ({stored} if stored is not None else set())
        return found.pop() if len(found) == 1 else None

    def block(self, name: str) -> Block:
        """A block by its name."""
        found = next((block for block in self.release.blocks if block.name == name), None)
        if found is None:
            names = [block.name for block in self.release.blocks]
            raise InputFault(
                Diagnostic(
                    code="block-unknown",
                    message=f"there is no block `{name}`",
                    notes=listed("blocks", names),
                    help=did_you_mean(name, names) or "stackproof status",
                )
            )
        return found

    def fold(self, name: str) -> tuple[Block, Fold]:
        """A fold by `BLOCK/ID`, or by its id alone where one fold has it."""
        block_name, slash, fold_id = name.rpartition("/")
        found = [
            (block, fold)
            for block in self.release.blocks
            for fold in block.folds
            if fold.id == fold_id and (not slash or block.name == block_name)
        ]
        if len(found) == 1:
            return found[0]
        known = [f"{block.name}/{fold.id}" for block in self.release.blocks for fold in block.folds]
        if found:
            places = [f"{block.name}/{fold.id}" for block, fold in found]
            raise InputFault(
                Diagnostic(
                    code="fold-unclear",
                    message=f"several blocks have a fold `{fold_id}`",
                    notes=listed("folds of that name", places),
                    help=f"name it with its block: {places[0]}",
                )
            )
        raise InputFault(
            Diagnostic(
                code="fold-unknown",
                message=f"there is no fold `{name}`",
                notes=listed("folds", known),
                help=did_you_mean(name, [*known, *(each.partition("/")[2] for each in known)]) or "stackproof status",
            )
        )

    def owners(self, path: RepoPath) -> tuple[BlockName, ...]:
        """The blocks that own a path."""
        return tuple(b.name for b in self.release.blocks if any(glob_matches(glob, path) for glob in b.owns))


def open_desk(*, root: Path, release: Release, derived: Derived, store: Store) -> Desk:
    """The desk of a project; raises `InputFault` where the stack as it stands is stuck."""
    if not isinstance(derived.result, Stack):
        raise InputFault(*derived.findings)
    return Desk(
        root=root, release=release, stack=derived.result, store=store, overlay=overlay_of(store, derived.objects)
    )


def overlay_of(store: Store, objects: Iterable[NewObject]) -> Overlay:
    """The store with objects that are not in it yet."""
    overlay = Overlay(store)
    for new in objects:
        overlay.add(new)
    return overlay


def owners_told(desk: Desk, paths: Iterable[RepoPath]) -> tuple[str, ...]:
    """Who owns each path, in words."""
    return tuple(
        f"{path.decode('utf-8', 'backslashreplace')}: owned by {', '.join(desk.owners(path)) or 'no block'}"
        for path in sorted(set(paths))
    )
