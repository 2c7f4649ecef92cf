"""The stack as a branch of another repository: the derived commits, or one for each block."""

from collections.abc import Iterable
from pathlib import Path

from builder.commit import root_commit
from builder.exchange.git_range import git_dir_of
from builder.exchange.stack_out import block_commits
from builder.store import Store
from builder.tree import NewObject
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId, CommitId, TreeId
from verify.model.stack import Stack


def export_branch(
    *,
    blocks: tuple[Block, ...],
    stack: Stack,
    objects: Iterable[NewObject],
    source: Store,
    repository: Path,
    branch: str,
    by_block: bool,
) -> CommitId:
    """Write the stack's commits and point a new branch at the last; gives its commit.

    `objects` are those that the stack brought, `source` is where its base lies.
    """
    target = Store.open(git_dir_of(repository))
    if not target.has(stack.base_commit):
        if root_commit(stack.base_tree).id != stack.base_commit:
            raise InputFault(
                Diagnostic(
                    code="base-commit-missing",
                    message=f"{repository} does not have the base commit {stack.base_commit}",
                    notes=("a branch can only grow on a commit that is there",),
                    help=f"git -C {repository} fetch UPSTREAM {stack.base_commit}",
                )
            )
        _copy_base(source, target, stack.base_tree)
    tip = stack.tip_commit()
    extra = block_commits(blocks, stack) if by_block else ()
    target.write(item for item in objects if not (by_block and item.kind == "commit"))
    target.write(extra)
    if extra:
        tip = CommitId(extra[-1].id)
    target.set_branch(branch, tip)
    return tip


def _copy_base(source: Store, target: Store, tree: TreeId) -> None:
    with target.batch() as batch:
        todo = [tree]
        while todo:
            folder = todo.pop()
            batch.put("tree", source.tree(folder))
            for _, mode, name in source.entries(folder):
                if mode == "40000":
                    todo.append(TreeId(name))
                elif mode != "160000":
                    batch.put("blob", source.blob(BlobId(name)))
        new = root_commit(tree)
        batch.put(new.kind, new.data)
