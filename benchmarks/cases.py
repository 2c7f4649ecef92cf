"""Stacks to measure: synthetic ones of any size, the project's own, and imported Debian series.

A case is a bare repository that holds the base, and blocks with canonical patches, which every tool is given.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from builder.canonical import Run, canonical_hunks
from builder.commit import root_commit
from builder.exchange.quilt import import_quilt
from builder.stack import derive
from builder.store import Store
from builder.tree import FileState, Obstructed, Tree, file_state
from builder.upstream import import_base
from verify.diff.render import render_patch
from verify.diff.submission import Dialect
from verify.manifest.read import read_release
from verify.model.block import Block, Disposition, Fold, Person
from verify.model.ids import EMPTY_TREE, BlockName, CommitId, FoldId, RepoPath, TreeId
from verify.model.patch import Action, FileChange, Mode, Patch
from verify.model.progress import Silent
from verify.model.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One stack: where the base lies, its ids, the blocks, and the tree that must come out."""

    name: str
    git_dir: Path
    base_tree: TreeId
    base_commit: CommitId
    blocks: tuple[Block, ...]
    tip: TreeId

    def folds(self) -> Iterator[tuple[Block, Fold]]:
        """Every fold in order."""
        return ((block, fold) for block in self.blocks for fold in block.folds)


def synthetic(folder: Path, *, folds: int, files: int, seed: int = 1) -> Case:
    """`folds` small folds (one to three files, one or two hunks each) on a tree of `files` files."""
    rng = random.Random(seed)
    paths = [RepoPath(b"top%d/sub%d/file%d.c" % (n % 20, n // 20 % 20, n)) for n in range(files)]
    contents = {path: _text(rng, path) for path in paths}
    store = Store.open(folder / "base.git")
    states: dict[RepoPath, FileState | None] = {path: file_state(data, Mode.FILE) for path, data in contents.items()}
    made = Tree.at(store, EMPTY_TREE).with_changes(states)
    if isinstance(made, Obstructed):
        raise TypeError
    base = root_commit(made.id)
    store.write((*made.new_objects(), base))
    tree: Tree | Obstructed = Tree.at(store, made.id)
    block_folds = []
    for number in range(folds):
        chosen = sorted(rng.sample(paths, rng.randint(1, 3)))
        changes = []
        after: dict[RepoPath, FileState | None] = {}
        for path in chosen:
            runs = _runs(rng, contents[path], number)
            changes.append(_change(path, contents[path], runs))
            contents[path] = _edited(contents[path], runs)
            after[path] = file_state(contents[path], Mode.FILE)
        patch = Patch(files=tuple(changes))
        block_folds.append(_fold(number, patch))
        if isinstance(tree, Tree):
            tree = tree.with_changes(after)
    if isinstance(tree, Obstructed):
        raise TypeError
    return Case(
        name=f"synthetic-{folds}-{files}",
        git_dir=store.git_dir,
        base_tree=made.id,
        base_commit=CommitId(base.id),
        blocks=(_block("synthetic", tuple(block_folds)),),
        tip=tree.id,
    )


def debian(folder: Path, scratch: Path) -> Case:
    """A stack as `benchmarks.corpus` takes it: `orig/`, `patches/` and `ref.git`."""
    out = scratch / f"{folder.name}-project"
    taken = import_quilt(
        orig=folder / "orig", patches=folder / "patches", series=None, dialect=Dialect.GNU, mapping=None, out=out,
        strict=False,
    )  # fmt: skip
    store = Store.open(folder / "ref.git")
    store.write((root_commit(taken.stack.base_tree),))
    return Case(
        name=folder.name,
        git_dir=folder / "ref.git",
        base_tree=taken.stack.base_tree,
        base_commit=taken.stack.base_commit,
        blocks=taken.blocks,
        tip=taken.stack.tip_tree(),
    )


def own(root: Path, cache: Path) -> Case:
    """The project's own release, its base from the object cache."""
    release = read_release(root)
    store = Store.open(cache / "objects.git")
    base = import_base(base=release.base, store=store, cache=cache, offline=True, progress=Silent(), root=root)
    derived = derive(
        blocks=release.blocks, lock=release.lock, base_tree=base.tree, base_commit=base.commit, source=store
    )
    if not isinstance(derived.result, Stack):
        raise TypeError
    return Case(
        name="own-blocks",
        git_dir=store.git_dir,
        base_tree=base.tree,
        base_commit=base.commit,
        blocks=release.blocks,
        tip=derived.result.tip_tree(),
    )


def _text(rng: random.Random, path: RepoPath) -> bytes:
    return path + b"\n" + b"".join(b"line %d of %d\n" % (n, rng.randint(0, 9999)) for n in range(rng.randint(30, 120)))


def _runs(rng: random.Random, content: bytes, number: int) -> tuple[Run, ...]:
    lines = content.split(b"\n")[:-1]
    found = []
    for line in sorted(rng.sample(range(2, len(lines)), rng.randint(1, 2))):
        at = sum(len(text) + 1 for text in lines[:line])
        signed = ((b"-", lines[line] + b"\n"), (b"+", b"fold %d\n" % number), (b"+", b"more %d\n" % number))
        found.append(Run(at=at, line=line + 1, lines=signed))
    return tuple(found)


def _edited(content: bytes, runs: tuple[Run, ...]) -> bytes:
    for run in reversed(runs):
        added = b"".join(text for sign, text in run.lines if sign == b"+")
        content = content[: run.at] + added + content[run.end() :]
    return content


def _change(path: RepoPath, content: bytes, runs: tuple[Run, ...]) -> FileChange:
    return FileChange(
        action=Action.MODIFY, old_path=path, new_path=path, old_mode=None, new_mode=None,
        hunks=tuple(item.hunk for item in canonical_hunks(content, runs)),
        binary=None, old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip


def _fold(number: int, patch: Patch) -> Fold:
    data = render_patch(patch)
    return Fold(
        id=FoldId(f"fold-{number}"), subject=f"Fold {number}", body="", author=Person(name="A", email="a@example.org"),
        date="@1700000000 +0000", source="generated", disposition=Disposition.FOLDED, reason="", patch=patch,
        patch_bytes=data, patch_file=f"blocks/synthetic/folds/fold-{number}/fold.patch",
    )  # fmt: skip


def _block(name: str, folds: tuple[Fold, ...]) -> Block:
    return Block(
        name=BlockName(name), title=name, why="", until="", owns=("**",), requires=(), switches=(), claims=(), gates=(),
        folds=folds, file="",
    )  # fmt: skip
