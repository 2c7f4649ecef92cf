"""Reads a checkout's branch back into the folds: what was committed there becomes the project's patches.

`plan_sync` maps every commit to a fold (by its trailers, or as assigned), says everything that does not fit, and
proves on a copy that the new files give the very trees of the branch; `apply_sync` writes them in one transaction. A
commit that is still the derived one keeps its patch byte for byte, as does one whose patch still makes its tree from
where it stands now. What a release then promises is for `pin` to say.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from builder.edit.branch import BranchCommit, Lens, amending, lens_on, read_branch
from builder.edit.folds_text import FoldText, with_folds
from builder.edit.mapping import FoldKey, map_commits
from builder.edit.operations import record
from builder.edit.rehearse import rehearse
from builder.edit.unreadable import told_of_commits
from builder.edit.worktree import (
    SYNCED_REF,
    TIP_REF,
    dirty,
    in_progress,
    known_ref,
    told,
    under_way,
    work_tree_git,
)
from builder.layer import Laid, lay
from builder.pack import write_loose
from builder.stack import derive
from builder.store import Store
from builder.tree import NewObject, Tree
from builder.write import project_lock
from verify.manifest.block import patch_file
from verify.manifest.read import read_release
from verify.model.block import Block, Disposition, Fold
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId, FoldId, Sha256
from verify.model.release import Release
from verify.model.stack import Stack


class What(StrEnum):
    """What becomes of a fold."""

    KEPT = "kept"
    NEW = "new"
    PATCH = "patch changed"
    IDENTITY = "message, author or date changed"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldSync:
    """One fold after a sync: what becomes of it, and the commit it was read from (None when it is removed)."""

    block: BlockName
    fold: FoldId
    what: tuple[What, ...]
    commit: CommitId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncPlan:
    """What a sync would write, and the stack that the project then gives.

    `contents` are the files (None: removed), `digest` names the very project that the plan was made for.
    """

    directory: Path
    head: CommitId
    stack: Stack
    objects: tuple[NewObject, ...]
    folds: tuple[FoldSync, ...]
    reordered: tuple[BlockName, ...]
    contents: tuple[tuple[str, bytes | None], ...]
    digest: Sha256

    def is_empty(self) -> bool:
        """Whether the project holds all of the branch already."""
        return not self.contents


def plan_sync(
    *, root: Path, release: Release, stack: Stack, store: Store, directory: Path, assign: Mapping[str, str]
) -> SyncPlan:
    """Read the branch at `directory`; `assign` maps a commit (any name git knows it by) to `BLOCK/FOLD`."""
    known = _checked_out(directory)
    with told(directory, "read the branch in"), lens_on(directory, store) as lens:
        commits = read_branch(directory, lens, stack.base_commit)
        keys = map_commits(commits, blocks=release.blocks, assign=assign, lens=lens, directory=directory)
        made = _Made(release, stack, lens)
        for commit, key in zip(commits, keys, strict=True):
            made.take(commit, key)
        made.finish(root, directory)
        if made.contents and known != stack.tip_commit():
            raise _stale(directory, known, stack.tip_commit())
        try:
            proven, objects = _prove(root, made.contents, commits, keys, stack, lens)
        except InputFault as fault:
            by_key = dict(zip(keys, commits, strict=True))
            amend = {key: amending(directory, each.id, commits[-1].id) for key, each in by_key.items()}
            raise told_of_commits(fault, made.contents, by_key, amend) from fault
    return SyncPlan(
        directory=directory,
        head=commits[-1].id if commits else stack.base_commit,
        stack=proven,
        objects=objects,
        folds=tuple(made.folds),
        reordered=tuple(made.reordered),
        contents=tuple(sorted(made.contents.items())),
        digest=release.digest,
    )


def apply_sync(*, root: Path, plan: SyncPlan, tell: Callable[[str], None], at: int = 0) -> None:
    """Write the plan; raises `InputFault` when the project changed after it was made."""
    with project_lock(root, tell=tell):
        if read_release(root, pinned=False).digest != plan.digest:
            raise InputFault(
                Diagnostic(
                    code="sync-outdated",
                    message="the project changed while the branch was read",
                    notes=("nothing was written",),
                    help=f"stackproof sync {shlex.quote(str(plan.directory))}",
                )
            )
        if plan.contents:
            summary = f"{len(plan.contents)} files from {plan.head[:12]}"
            record(root, command="sync", summary=summary, contents=dict(plan.contents), at=at)
    for new in plan.objects:
        write_loose(plan.directory / ".git/objects", new.id, new.kind, new.data)
    git = work_tree_git(plan.directory)
    with told(plan.directory, "record the sync in"):
        git.run("update-ref", SYNCED_REF, plan.head)
        git.run("update-ref", TIP_REF, plan.stack.tip_commit())


def _checked_out(directory: Path) -> CommitId:
    """The tip of the project when the branch was last one with it; refuses a folder that is not ready to be read."""
    git = work_tree_git(directory)
    if not (directory / ".git").is_dir() or (known := known_ref(git, TIP_REF)) is None:
        raise InputFault(
            Diagnostic(
                code="sync-not-a-checkout",
                message=f"{directory} was not made by `stackproof checkout`",
                help=f"stackproof checkout {shlex.quote(str(directory) + '-stack')}",
            )
        )
    if (step := under_way(directory)) is not None:
        raise in_progress(directory, step)
    with told(directory, "look at"):
        changed = git.run("status", "--porcelain", "-z", "--no-renames").split(b"\0")[:-1]
    if changed:
        raise dirty(directory, changed)
    return known


class _Made:
    """The folds as they will be, and the files that say so."""

    def __init__(self, release: Release, stack: Stack, lens: Lens) -> None:
        self.folds: list[FoldSync] = []
        self.reordered: list[BlockName] = []
        self.contents: dict[str, bytes | None] = {}
        self._release = release
        self._lens = lens
        self._derived = {(layer.block, layer.fold): layer.commit for layer in stack.layers}
        self._declared = {(block.name, fold.id): fold for block in release.blocks for fold in block.folds}
        self._texts: dict[BlockName, list[FoldText | FoldId]] = {block.name: [] for block in release.blocks}

    def take(self, commit: BranchCommit, key: FoldKey) -> None:
        """Make the fold of one commit."""
        fold = self._declared.get(key)
        if fold is None:
            what: tuple[What, ...] = (What.NEW,)
        elif self._derived.get(key) == commit.id:
            what = (What.KEPT,)
        else:
            what = self._differences(fold, commit)
        if What.NEW in what or What.PATCH in what:
            patch = self._lens.canonical_patch(commit.tree_before, commit.tree)
            self.contents[patch_file(*key)] = patch
        if What.NEW in what or What.IDENTITY in what:
            self._texts[key[0]].append(_fold_text(key[1], commit, fold))
        else:
            self._texts[key[0]].append(key[1])
        self.folds.append(FoldSync(block=key[0], fold=key[1], what=what, commit=commit.id))

    def _differences(self, fold: Fold, commit: BranchCommit) -> tuple[What, ...]:
        tree = Tree.at(self._lens.objects, commit.tree_before)
        laid = lay(fold.patch, tree, file=fold.patch_file, text=fold.patch_bytes)
        same_patch = isinstance(laid, Laid) and laid.tree.id == commit.tree
        declared = (fold.author, fold.date, fold.subject, fold.body.strip("\n"))
        same_identity = declared == (commit.author, commit.date, commit.subject, commit.body)
        found = ((What.PATCH, same_patch), (What.IDENTITY, same_identity))
        return tuple(what for what, same in found if not same) or (What.KEPT,)

    def finish(self, root: Path, directory: Path) -> None:
        """Drop folds that have no commit, and write the block files whose folds changed."""
        for block in self._release.blocks:
            wanted = self._texts[block.name]
            ids = [text if isinstance(text, str) else text.id for text in wanted]
            declared = [fold.id for fold in block.folds]
            gone = [fold for fold in declared if fold not in ids]
            for fold in gone:
                self._remove(root, block, fold)
            if declared and not ids:
                raise InputFault(_emptied(block, directory))
            stays = [fold for fold in declared if fold in ids]
            if stays != [fold for fold in ids if fold in stays]:
                self.reordered.append(block.name)
            if ids != declared or any(not isinstance(text, str) for text in wanted):
                text = (root / block.file).read_bytes().decode("utf-8")
                self.contents[block.file] = with_folds(text, block.file, wanted).encode("utf-8")

    def _remove(self, root: Path, block: Block, fold: FoldId) -> None:
        canonical = patch_file(block.name, fold)
        for name in (canonical, canonical.removesuffix("fold.patch") + "source.patch"):
            if (root / name).exists():
                self.contents[name] = None
        self.folds.append(FoldSync(block=block.name, fold=fold, what=(What.REMOVED,), commit=None))


def _fold_text(name: FoldId, commit: BranchCommit, fold: Fold | None) -> FoldText:
    return FoldText(
        id=name,
        fields=(
            ("id", name),
            ("subject", commit.subject),
            ("body", commit.body),
            ("author", f"{commit.author.name} <{commit.author.email}>"),
            ("date", commit.date),
            ("source", fold.source if fold is not None else "maintainers"),
            ("disposition", (fold.disposition if fold is not None else Disposition.FOLDED).value),
            ("reason", fold.reason if fold is not None else ""),
        ),
    )


def _prove(
    root: Path,
    contents: Mapping[str, bytes | None],
    commits: Sequence[BranchCommit],
    keys: Sequence[FoldKey],
    stack: Stack,
    lens: Lens,
) -> tuple[Stack, tuple[NewObject, ...]]:
    """Read and derive a copy of the project with the new files: it must give every tree of the branch."""
    release = rehearse(root, contents, near=lens.objects.git_dir)
    derived = derive(
        blocks=release.blocks,
        lock=None,
        base_tree=stack.base_tree,
        base_commit=stack.base_commit,
        source=lens.objects,
    )
    if not isinstance(derived.result, Stack):
        raise InputFault(*derived.findings)
    layers = {(layer.block, layer.fold): layer.after for layer in derived.result.layers}
    wrong = [key for key, commit in zip(keys, commits, strict=True) if layers.get(key) != commit.tree]
    if wrong or len(layers) != len(keys):
        raise AssertionError(f"the folds do not give the trees of the branch: {wrong}")
    return derived.result, derived.objects


def _emptied(block: Block, directory: Path) -> Diagnostic:
    return Diagnostic(
        code="sync-block-emptied",
        message=f"the branch has no commit of block `{block.name}` any more",
        notes=("a block is dropped by taking it out of `blocks` in release.json and removing its folder",),
        help=f"git -C {shlex.quote(str(directory))} log --oneline refs/stackproof/base..HEAD",
    )


def _stale(directory: Path, known: CommitId, met: CommitId) -> InputFault:
    return InputFault(
        Diagnostic(
            code="sync-stale",
            message=f"the folds of the project changed after {directory} was checked out or synced",
            notes=(
                f"tip of the project then {known}",
                f"tip of the project now  {met}",
                "what the branch does not know would be lost; nothing was written",
            ),
            help=f"stackproof checkout {shlex.quote(str(directory) + '-new')}",
        )
    )
