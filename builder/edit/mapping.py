"""Says which fold each commit of a branch is: by its trailers, or as assigned; and that they stand in stack order.

Everything that cannot be mapped is told at once. A commit that belongs to nobody is told with its files and their
owners, since a stray upstream commit looks just like a forgotten assignment.
"""

import re
import shlex
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from builder.edit.branch import BranchCommit, Lens
from builder.edit.worktree import known_ref, work_tree_git
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.glob import glob_matches
from verify.model.ids import BlockName, CommitId, FoldId, RepoPath, is_name, show_path

_SHOWN = 10

FoldKey = tuple[BlockName, FoldId]


def map_commits(
    commits: Sequence[BranchCommit],
    *,
    blocks: Sequence[Block],
    assign: Mapping[str, str],
    lens: Lens,
    directory: Path,
) -> tuple[FoldKey, ...]:
    """The fold of every commit, in order; `assign` maps any name that git knows a commit by to `BLOCK/FOLD`."""
    problems: list[Diagnostic] = []
    given = _given(commits, assign, directory, problems)
    order = {block.name: number for number, block in enumerate(blocks)}
    keys: list[FoldKey] = []
    seen: dict[FoldKey, BranchCommit] = {}
    for commit in commits:
        key = given.get(commit.id) or _by_trailers(commit)
        if key is None:
            problems.append(_unassigned(commit, keys[-1][0] if keys else None, blocks, lens, directory))
            continue
        if key[0] not in order or not is_name(key[1]):
            problems.append(_unknown(commit, key, tuple(order), directory))
            continue
        if key in seen:
            problems.append(_twice(commit, seen[key], key, directory))
        elif keys and order[key[0]] < order[keys[-1][0]]:
            problems.append(_out_of_order(commit, key, keys[-1], tuple(order), directory))
        seen[key] = commit
        keys.append(key)
    if problems:
        raise InputFault(*problems)
    return tuple(keys)


def _by_trailers(commit: BranchCommit) -> FoldKey | None:
    return (BlockName(commit.block), FoldId(commit.fold)) if commit.block and commit.fold else None


def _given(
    commits: Sequence[BranchCommit], assign: Mapping[str, str], directory: Path, problems: list[Diagnostic]
) -> dict[CommitId, FoldKey]:
    git = work_tree_git(directory)
    known = {commit.id for commit in commits}
    given: dict[CommitId, FoldKey] = {}
    for name, target in assign.items():
        commit = known_ref(git, name)
        block, _, fold = target.partition("/")
        if commit in known and block and fold:
            given[commit] = (BlockName(block), FoldId(fold))
            continue
        problems.append(
            Diagnostic(
                code="sync-assign",
                message=f"the assignment `{name}={target}` names no commit of the branch, or no fold",
                notes=("expected COMMIT=BLOCK/FOLD, with a commit that stands on the base",),
                help=f"git -C {shlex.quote(str(directory))} log --oneline refs/stackproof/base..HEAD",
            )
        )
    return given


def _unassigned(
    commit: BranchCommit, below: BlockName | None, blocks: Sequence[Block], lens: Lens, directory: Path
) -> Diagnostic:
    paths = lens.changed_paths(commit.tree_before, commit.tree)
    owners = {path: _owners(blocks, path) for path in paths}
    notes = [f"{show_path(path)}: owned by {', '.join(owners[path]) or 'no block'}" for path in paths[:_SHOWN]]
    if len(paths) > _SHOWN:
        notes.append(f"and {len(paths) - _SHOWN} more files")
    if not any(owners.values()):
        notes.append("is it a commit of upstream? A newer upstream is taken in as the base, not as a fold")
    quoted = shlex.quote(str(directory))
    if commit.subject.startswith(("fixup! ", "squash! ", "amend! ")):
        step = f"git -C {quoted} rebase --interactive --autosquash refs/stackproof/base"
    else:
        block = _proposed(below, blocks, {name for names in owners.values() for name in names})
        step = f"stackproof sync {quoted} --assign {commit.id[:12]}={block}/{_slug(commit.subject)}"
    return Diagnostic(
        code="sync-commit-unassigned",
        message=f"commit {commit.shown()} belongs to no fold: it does not end in Stackproof-Block and Stackproof-Fold",
        notes=tuple(notes),
        help=step,
    )


def _owners(blocks: Sequence[Block], path: RepoPath) -> tuple[BlockName, ...]:
    return tuple(block.name for block in blocks if any(glob_matches(glob, path) for glob in block.owns))


def _proposed(below: BlockName | None, blocks: Sequence[Block], owning: Collection[BlockName]) -> str:
    """The block that a commit can join where it stands: never one below the block of the commit under it."""
    order = [block.name for block in blocks]
    if below in order:
        order = order[order.index(below) :]
    if below in order and (below in owning or not any(name in owning for name in order)):
        return below or ""
    return next((name for name in reversed(order) if name in owning), "BLOCK")


def _slug(subject: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", subject.lower())[:40].strip("-") or "change"


def _unknown(commit: BranchCommit, key: FoldKey, blocks: tuple[BlockName, ...], directory: Path) -> Diagnostic:
    quoted = shlex.quote(str(directory))
    if key[0] in blocks:
        return Diagnostic(
            code="sync-fold-name",
            message=f"commit {commit.shown()} would be fold `{key[1]}`, which cannot name a fold",
            notes=("expected lower-case letters, digits, `.`, `+` and `-`",),
            help=f"stackproof sync {quoted} --assign {commit.id[:12]}={key[0]}/{_slug(key[1])}",
        )
    return Diagnostic(
        code="sync-block-unknown",
        message=f"commit {commit.shown()} belongs to block `{key[0]}`, which release.json does not list",
        notes=(f"listed are {', '.join(blocks) or 'none'}",),
        help=f"list `{key[0]}` in `blocks` of release.json and write blocks/{key[0]}/block.yaml with `folds: []`",
    )


def _twice(commit: BranchCommit, first: BranchCommit, key: FoldKey, directory: Path) -> Diagnostic:
    return Diagnostic(
        code="sync-fold-twice",
        message=f"two commits are fold `{key[1]}` of block `{key[0]}`",
        notes=(first.shown(), commit.shown(), "squash them, or assign one of them to a fold of its own"),
        help=f"git -C {shlex.quote(str(directory))} rebase --interactive refs/stackproof/base",
    )


def _out_of_order(
    commit: BranchCommit, key: FoldKey, before: FoldKey, blocks: tuple[BlockName, ...], directory: Path
) -> Diagnostic:
    return Diagnostic(
        code="sync-order",
        message=f"commit {commit.shown()} of block `{key[0]}` stands above a commit of block `{before[0]}`",
        notes=(f"the blocks stand in the order {', '.join(blocks)}",),
        help=f"git -C {shlex.quote(str(directory))} rebase --interactive refs/stackproof/base",
    )
