"""Small stacks for tests: blocks and folds from texts, with everything that is not looked at filled in."""

import dataclasses

from builder.canonical import Run, canonical_hunks
from builder.stack import Derived, derive
from builder.tree import Tree
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.block import Block, Disposition, Fold, Person
from verify.model.ids import BlockName, CommitId, FoldId, RepoPath
from verify.model.patch import Action, FileChange, Mode, Patch
from verify.model.release import Lock

BASE_COMMIT = CommitId("b" * 40)
TEXT = b"".join(b"line %d\n" % number for number in range(1, 31))


def base(**texts: bytes) -> Tree:
    files: Files = {RepoPath(name.encode()): (Mode.FILE, text) for name, text in texts.items()}
    return tree_in_memory(files)[0]


def replacing(content: bytes, old: bytes, new: bytes, name: str = "x") -> bytes:
    """A canonical patch that replaces one line of a file."""
    at = content.index(old)
    run = Run(at=at, line=content.count(b"\n", 0, at) + 1, lines=((b"-", old), (b"+", new)))
    path = RepoPath(name.encode())
    change = FileChange(
        action=Action.MODIFY, old_path=path, new_path=path, old_mode=None, new_mode=None,
        hunks=tuple(printed.hunk for printed in canonical_hunks(content, (run,))),
        binary=None, old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip
    return render_patch(Patch(files=(change,)))


def fold(name: str, patch: bytes, **changes: str) -> Fold:
    file = f"blocks/b/folds/{name}/fold.patch"
    made = Fold(
        id=FoldId(name), subject=f"Do {name}", body="", author=Person(name="A", email="a@example.org"),
        date="@1790000000 +0000", source="maintainers", disposition=Disposition.FOLDED, reason="",
        patch=parse_canonical(patch, file=file), patch_bytes=patch, patch_file=file,
    )  # fmt: skip
    return dataclasses.replace(made, **changes)  # type: ignore[arg-type]  # only text fields are changed


def block(name: str, *folds: Fold) -> Block:
    return Block(
        name=BlockName(name), title=name, why="", until="", owns=(), requires=(), switches=(), claims=(), gates=(),
        folds=folds, file=f"blocks/{name}/block.yaml",
    )  # fmt: skip


def derived(tree: Tree, *blocks: Block, lock: Lock | None = None) -> Derived:
    return derive(blocks=blocks, lock=lock, base_tree=tree.id, base_commit=BASE_COMMIT, source=tree._overlay)
