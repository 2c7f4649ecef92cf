"""Resolving by hand: the first open fold laid in a folder, its conflicts marked, and what was made of it taken back.

The folder is a git work tree on the new base with the folds below as commits, so that any tool can be used in it. What
is taken becomes a resolution of the fold's block for exactly these files (`builder/bump/memory.py`), written in one
operation that `undo` takes back; the stack is then carried anew with it.
"""

import hashlib
import json
import os
import shlex
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from builder.bump.carry_fold import wanted_file
from builder.bump.compared import Compared
from builder.bump.markers import marked, markers_in, whole_file
from builder.bump.memory import make_resolution
from builder.bump.memory_files import render_resolution, resolution_files
from builder.bump.outcome import BumpedFold, FoldKey
from builder.bump.stack_on import Bumped, fold_of, followed
from builder.commit import fold_commit
from builder.edit.desk import Desk
from builder.edit.operations import record
from builder.edit.worktree import told as as_fault
from builder.edit.worktree import work_tree_git
from builder.pack import write_loose
from builder.write import write_file
from verify.git import alternate_line, make_repository
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import CommitId, RepoPath, show_path
from verify.model.patch import FileChange, Mode
from verify.model.wording import count as counted

_STATE = "stackproof-bump.json"
_SCHEMA = "stackproof/bump-resolve/1"
_BRANCH = "bump"


@dataclass(frozen=True, slots=True, kw_only=True)
class LaidOut:
    """The fold that stands in the folder, None when nothing is open; `files` are those to be resolved."""

    fold: FoldKey | None
    files: tuple[str, ...]
    told: tuple[str, ...]


def lay_next(desk: Desk, bumped: Bumped, base_commit: CommitId, directory: Path, *, again: bool) -> LaidOut:
    """Lay the first open fold in the folder; `again` may throw away what stands there and is ours."""
    state = directory / ".git" / _STATE
    opened = bumped.open_folds()
    if not opened:
        state.unlink(missing_ok=True)
        return LaidOut(fold=None, files=(), told=("nothing is open", "next: stackproof bump accept"))
    if state.exists() and not again:
        raise _outdated(directory)
    fold = opened[0]
    commit = _repository(desk, bumped, fold, base_commit, directory)
    git = work_tree_git(directory)
    with as_fault(directory, "lay the conflict in"):
        git.run("update-ref", f"refs/heads/{_BRANCH}", commit)
        git.run("symbolic-ref", "HEAD", f"refs/heads/{_BRANCH}")
        git.run("reset", "--quiet", "--hard")
        git.run("clean", "--quiet", "--force", "-d")
    laid = _texts(desk, bumped, fold)
    before, after = desk.tree(fold.before), fold.tree
    for path, (_, now) in before.differences(after):
        _put(directory, path, after.content(now) if now is not None else None, now.mode if now is not None else None)
    for path, data in laid.items():
        entry = before.entry(path) or after.entry(path)
        _put(directory, path, data, entry.mode if entry is not None else Mode.FILE)
    _remember(state, fold, laid)
    shown = [show_path(path) for path in laid]
    folder = shlex.quote(str(directory))
    return LaidOut(
        fold=fold.key(),
        files=tuple(shown),
        told=(
            f"{fold.block}/{fold.fold} stands in {directory}; {counted(len(laid), 'file')} to resolve:",
            *(f"  {path}" for path in shown),
            f"next: edit them (remove what shall be gone), then stackproof bump resolve {folder}",
        ),
    )


def take_resolved(
    desk: Desk, bumped: Bumped, directory: Path, *, at: int, tell: Callable[[str], None]
) -> tuple[str, ...]:
    """Take what was resolved in the folder into the blocks; nothing when the folder is not there yet.

    Raises `InputFault` where a file still has conflicts, was left as it was laid, or was changed beside them.
    """
    del tell  # the caller has the project alone
    state = directory / ".git" / _STATE
    if not state.is_file():
        if directory.exists() and any(directory.iterdir()) and not (directory / ".git" / "stackproof-bump").exists():
            raise _not_ours(directory)
        return ()
    document = json.loads(state.read_bytes())
    key = tuple(document["fold"])
    fold = next((each for each in bumped.open_folds() if each.key() == key), None)
    if fold is None or fold.before != document["before"]:
        raise _outdated(directory)
    laid = {RepoPath(bytes.fromhex(path)): digest for path, digest in document["files"].items()}
    _refuse_strays(directory, desk, fold, laid)
    problems: list[Diagnostic] = []
    contents: dict[str, bytes | None] = {}
    changes = {_named(change): change for change in _patch_files(desk, bumped, fold)}
    for path, digest in laid.items():
        data, mode = _get(directory, path)
        problem = _unresolved(directory, path, data, digest)
        if problem is not None:
            problems.append(problem)
            continue
        contents |= _resolution(desk, bumped, fold, changes[path], data, mode)
    if problems:
        raise InputFault(*problems)
    summary = f"{fold.block}/{fold.fold}: {', '.join(show_path(path) for path in laid)}"
    record(desk.root, command="bump resolve", summary=summary, contents=contents, at=at)
    state.unlink()
    return (f"{fold.block}/{fold.fold}: resolved, and remembered in {', '.join(sorted(contents))}",)


def _resolution(
    desk: Desk, bumped: Bumped, fold: BumpedFold, change: FileChange, data: bytes | None, mode: Mode
) -> dict[str, bytes | None]:
    back = {new: old for old, new in bumped.follow.items()}
    wanted = wanted_file(
        fold.block,
        change,
        met=desk.met(fold.key()),
        left=desk.left(fold.key()),
        onto=desk.tree(fold.before),
        first_name=lambda path: back.get(path, path),
    )
    file = resolution_files(fold.block, wanted.key())[0]
    after = (data, mode) if data is not None else None
    return dict(render_resolution(make_resolution(wanted, fold.fold, after, source=desk.overlay, file=file)))


def _texts(desk: Desk, bumped: Bumped, fold: BumpedFold) -> dict[RepoPath, bytes]:
    """The files of a fold that are open, with what conflicts marked."""
    back = {new: old for old, new in bumped.follow.items()}
    met, left, onto = desk.met(fold.key()), desk.left(fold.key()), desk.tree(fold.before)
    compared = Compared()
    label = f"{fold.block}/{fold.fold}"
    found: dict[RepoPath, bytes] = {}
    for change in _patch_files(desk, bumped, fold):
        path = _named(change)
        opened = {piece.hunk for piece in fold.open_pieces() if piece.path == path}
        if not opened:
            continue
        old = change.old_path if change.old_path is not None else path
        recorded, present = met.blob(back.get(old, old)), onto.blob(old)
        if 0 in opened or recorded is None or present is None:
            # A file without lines is laid as upstream has it: what it shall be is a choice between whole contents.
            theirs = left.blob(back.get(path, path)) if change.new_path is not None else None
            if change.binary is not None:
                found[path] = present if present is not None else b""
            else:
                found[path] = whole_file(recorded=recorded, present=present, left=theirs, label=label)
            continue
        found[path] = marked(
            hunks=change.hunks, opened=opened, recorded=recorded, present=present, compared=compared, label=label
        )
    return found


def _patch_files(desk: Desk, bumped: Bumped, fold: BumpedFold) -> Sequence[FileChange]:
    return followed(fold_of(desk.release.blocks, fold.key()).patch, bumped.follow).files


def _repository(desk: Desk, bumped: Bumped, fold: BumpedFold, base: CommitId, directory: Path) -> CommitId:
    """The folder as a repository that has the commits below the fold; gives the last one."""
    git_dir = directory / ".git"
    objects = desk.store.git_dir / "objects"
    if not git_dir.is_dir():
        if directory.exists() and any(directory.iterdir()):
            raise _not_ours(directory)
        directory.mkdir(parents=True, exist_ok=True)
        make_repository(git_dir, alternates=(objects,), bare=False, branch=_BRANCH)
        (git_dir / "info").mkdir(exist_ok=True)
        (git_dir / "info/attributes").write_bytes(b"* -text -eol -filter -ident -working-tree-encoding\n")
        (git_dir / "stackproof-bump").write_bytes(b"")
    (git_dir / "objects/info/alternates").write_bytes(alternate_line(objects))
    if b"\nparent " in desk.store.commit(base).partition(b"\n\n")[0]:
        (git_dir / "shallow").write_text(f"{base}\n", "ascii")
    for new in desk.overlay.objects():
        write_loose(git_dir / "objects", new.id, new.kind, new.data)
    commit = base
    for each in bumped.folds:
        if each is fold:
            break
        block = desk.block(each.block)
        made = fold_commit(fold=fold_of(desk.release.blocks, each.key()), block=block, tree=each.tree.id, parent=commit)
        write_loose(git_dir / "objects", made.id, made.kind, made.data)
        commit = CommitId(made.id)
    return commit


def _refuse_strays(directory: Path, desk: Desk, fold: BumpedFold, laid: dict[RepoPath, str]) -> None:
    """Only the files that were to be resolved may differ from what was laid."""
    git = work_tree_git(directory)
    with as_fault(directory, "look at"):
        printed = git.run("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all")
    changed = {RepoPath(line[3:]) for line in printed.split(b"\0")[:-1]}
    before, after = desk.tree(fold.before), fold.tree
    settled = {path: now for path, (_, now) in before.differences(after) if path not in laid}
    strays = []
    for path in sorted(changed | settled.keys()):
        if path in laid:
            continue
        now = settled.get(path, before.entry(path))
        wanted = after.content(now) if now is not None else None
        if _get(directory, path)[0] != wanted:
            strays.append(show_path(path))
    if strays:
        raise InputFault(
            Diagnostic(
                code="resolve-strays",
                message=f"files were changed in {directory} that had no conflict",
                notes=(*strays[:10], "a resolution is kept file by file, for the files that conflict"),
                help=f"git -C {shlex.quote(str(directory))} checkout -- FILE; amend the fold once the bump is accepted",
            )
        )


def _unresolved(directory: Path, path: RepoPath, data: bytes | None, digest: str) -> Diagnostic | None:
    where = Place(file=str(directory / os.fsdecode(path)))
    if data is None:
        return None
    lines = markers_in(data)
    if lines:
        return Diagnostic(
            code="resolve-markers",
            message=f"`{show_path(path)}` still has conflicts marked",
            place=Place(file=where.file, line=lines[0]),
            notes=(f"lines {', '.join(map(str, lines[:12]))}",),
            help=f"resolve them, then stackproof bump resolve {shlex.quote(str(directory))}",
        )
    if hashlib.sha256(data).hexdigest() == digest:
        return Diagnostic(
            code="resolve-unchanged",
            message=f"`{show_path(path)}` is as it was laid",
            place=where,
            notes=("it conflicts as a whole, so what it shall hold must be put there",),
            help=f"write it, or remove it, then stackproof bump resolve {shlex.quote(str(directory))}",
        )
    return None


def _remember(state: Path, fold: BumpedFold, laid: dict[RepoPath, bytes]) -> None:
    document = {
        "schema": _SCHEMA,
        "fold": list(fold.key()),
        "before": fold.before,
        "files": {path.hex(): hashlib.sha256(data).hexdigest() for path, data in laid.items()},
    }
    write_file(state, (json.dumps(document, indent=2) + "\n").encode())


def _put(directory: Path, path: RepoPath, data: bytes | None, mode: Mode | None) -> None:
    """Write one file of the work tree; None removes it."""
    target = directory / os.fsdecode(path)
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    target.unlink(missing_ok=True)
    if data is None:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if mode is Mode.SYMLINK:
        target.symlink_to(os.fsdecode(data))
        return
    target.write_bytes(data)
    target.chmod(0o755 if mode is Mode.EXECUTABLE else 0o644)


def _get(directory: Path, path: RepoPath) -> tuple[bytes | None, Mode]:
    """One file of the work tree and its mode; None when nothing is there."""
    target = directory / os.fsdecode(path)
    if target.is_symlink():
        return os.fsencode(target.readlink()), Mode.SYMLINK
    if not target.is_file():
        return None, Mode.FILE
    return target.read_bytes(), Mode.EXECUTABLE if os.access(target, os.X_OK) else Mode.FILE


def _named(change: FileChange) -> RepoPath:
    path = change.new_path if change.new_path is not None else change.old_path
    if path is None:
        raise ValueError("a file change names no path")
    return path


def _outdated(directory: Path) -> InputFault:
    return InputFault(
        Diagnostic(
            code="resolve-outdated",
            message=f"what stands in {directory} was laid for another state of the stack",
            notes=("it was left as it is",),
            help=f"stackproof bump resolve {shlex.quote(str(directory))} --restart  # throws it away",
        )
    )


def _not_ours(directory: Path) -> InputFault:
    return InputFault(
        Diagnostic(
            code="resolve-not-ours",
            message=f"{directory} is not empty and was not made by `stackproof bump resolve`",
            notes=("it was left as it is",),
            help=f"stackproof bump resolve {shlex.quote(str(directory) + '-bump')}",
        )
    )
