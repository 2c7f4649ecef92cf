"""The stack as a branch to work on: one commit a fold, exactly the derived commits, on upstream's own commit.

The folder is a git repository of its own that borrows the objects of the store, so a checkout costs its files and no
history. It is made beside its place and renamed, so it is whole or not there. A folder that holds work which `sync`
has not read is never touched.
"""

import errno
import shlex
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from builder.edit.worktree import (
    BASE_REF,
    SYNCED_REF,
    TIP_REF,
    branch_name,
    dirty,
    in_progress,
    known_ref,
    told,
    under_way,
    work_tree_git,
)
from builder.pack import write_loose
from builder.scratch import scratch
from builder.store import Store
from builder.tree import NewObject
from verify.git import Git, alternate_line, make_repository
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import CommitId, ReleaseName
from verify.model.stack import Stack

# Bytes as they are in the tree: whatever an upstream .gitattributes asks for, nothing is converted on the way.
_ATTRIBUTES = b"* -text -filter -ident -working-tree-encoding\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedOut:
    """A working folder: where, on which branch and commit, and whether it was there already."""

    directory: Path
    branch: str
    commit: CommitId
    commits: int
    renewed: bool


def checkout(
    *, name: ReleaseName, stack: Stack, objects: Iterable[NewObject], store: Store, directory: Path
) -> CheckedOut:
    """Have the stack of release `name` at `directory`, on its branch; `objects` are those that the stack brought."""
    if not directory.exists() or (directory.is_dir() and not any(directory.iterdir())):
        _make(name, stack, objects, store, directory)
        renewed = False
    else:
        _renew(name, stack, objects, store, directory)
        renewed = True
    return CheckedOut(
        directory=directory,
        branch=branch_name(name),
        commit=stack.tip_commit(),
        commits=len(stack.layers),
        renewed=renewed,
    )


def _make(name: ReleaseName, stack: Stack, objects: Iterable[NewObject], store: Store, directory: Path) -> None:
    place = directory.absolute()
    place.parent.mkdir(parents=True, exist_ok=True)
    with scratch(place.parent, f".{place.name}-checkout-") as work:
        tree = work / "tree"
        git_dir = tree / ".git"
        tree.mkdir()
        make_repository(git_dir, alternates=(store.git_dir / "objects",), bare=False, branch=branch_name(name))
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info/attributes").write_bytes(_ATTRIBUTES)
        _bring(git_dir, stack, objects, store)
        git = work_tree_git(tree)
        with told(directory, "check the stack out at"):
            git.run("update-ref", f"refs/heads/{branch_name(name)}", stack.tip_commit())
            _note(git, stack)
            git.run("reset", "--quiet", "--hard")
        try:
            tree.rename(place)
        except OSError as error:
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR):
                raise
            # Somebody was there first, with another checkout or with anything else.
            raise _not_ours(directory) from error


def _renew(name: ReleaseName, stack: Stack, objects: Iterable[NewObject], store: Store, directory: Path) -> None:
    git = work_tree_git(directory)
    if not (directory / ".git").is_dir() or (known := known_ref(git, TIP_REF)) is None:
        raise _not_ours(directory)
    _refuse_unsynced(name, stack, known, git, directory)
    (directory / ".git/objects/info/alternates").write_bytes(alternate_line(store.git_dir / "objects"))
    _bring(directory / ".git", stack, objects, store)
    with told(directory, "check the stack out at"):
        git.run("checkout", "--quiet", "--no-overwrite-ignore", "-B", branch_name(name), stack.tip_commit(), "--")
        _note(git, stack)


def _not_ours(directory: Path) -> InputFault:
    return InputFault(
        Diagnostic(
            code="checkout-not-ours",
            message=f"{directory} is not empty and was not made by `stackproof checkout`",
            notes=("it was left as it is",),
            help=f"stackproof checkout {shlex.quote(str(directory) + '-stack')}",
        )
    )


def _refuse_unsynced(name: ReleaseName, stack: Stack, known: CommitId, git: Git, directory: Path) -> None:
    step = under_way(directory)
    if step is not None:
        raise in_progress(directory, step)
    shown = shlex.quote(str(directory))
    safe = {known, stack.tip_commit(), known_ref(git, SYNCED_REF)}
    for ref in ("HEAD", f"refs/heads/{branch_name(name)}"):
        commit = known_ref(git, ref)
        if commit is not None and commit not in safe:
            raise InputFault(
                Diagnostic(
                    code="checkout-unsynced",
                    message=f"{directory} has commits that were not synced",
                    notes=(f"{ref} is {commit}", f"checked out was {known}", "it was left as it is"),
                    help=f"stackproof sync {shown}",
                )
            )
    with told(directory, "look at"):
        changed = git.run("status", "--porcelain", "-z", "--untracked-files=no").split(b"\0")[:-1]
    if changed:
        raise dirty(directory, changed)


def _bring(git_dir: Path, stack: Stack, objects: Iterable[NewObject], store: Store) -> None:
    """The stack's own objects are kept in the checkout too: it then needs nothing of the store but the base."""
    for new in objects:
        write_loose(git_dir / "objects", new.id, new.kind, new.data)
    if b"\nparent " in store.commit(stack.base_commit).partition(b"\n\n")[0]:
        shallow = git_dir / "shallow"
        known = shallow.read_text("ascii").split() if shallow.exists() else []
        shallow.write_text("".join(f"{commit}\n" for commit in sorted({*known, stack.base_commit})), "ascii")


def _note(git: Git, stack: Stack) -> None:
    git.run("update-ref", BASE_REF, stack.base_commit)
    git.run("update-ref", TIP_REF, stack.tip_commit())
