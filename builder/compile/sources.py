"""Lays a tree's files into a folder, writing only what differs and trusting nothing that it can't prove.

Takes a tree id and an object source; gives the folder with exactly that tree's paths and bytes. A record beside the
folder holds, for every file laid, its blob and its stat signature (size, times, inode, mode). A file is kept only when
the record names the wanted blob and the signature still is what it was: whatever has touched the file since has changed
its `ctime`. The record is taken away before the first change and written after the last, so a lay that was cut short
is done anew. Every written file gets the present time, since build tools compare times.
"""

import contextlib
import json
import os
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from builder.tree import ObjectSource, Tree
from verify.diff.paths import unsafe_path
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId, RepoPath, TreeId, show_path
from verify.model.patch import Mode
from verify.model.progress import Stage
from verify.model.release import BlobState

_SCHEMA = "stackproof/laid/1"
_FORMAT_BITS = 0o170000
_SETTLE_SECONDS = 0.02
"""Longer than the kernel's clock tick, so that a later change can't carry the recorded times."""

Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What was done, in counts of files."""

    written: int
    removed: int
    kept: int


def update_sources(*, tree: TreeId, source: ObjectSource, folder: Path, record: Path, stage: Stage) -> Update:
    """Make `folder` hold the tree and nothing else; `record` is a file of ours beside it."""
    wanted = _wanted(tree, source)
    laid = _read_record(record)
    record.unlink(missing_ok=True)
    found, folders = _scan(folder)
    kept = {
        path: found[path] for path, state in wanted.items() if path in found and laid.get(path) == (state, found[path])
    }
    stale = [path for path in found if path not in kept]
    for path in stale:
        _at(folder, path).unlink()
    _update_folders(folder, folders, _needed_folders(wanted))
    missing = sorted(path for path, state in wanted.items() if path not in kept and state.mode is not Mode.SUBMODULE)
    for number, path in enumerate(missing):
        if number % 100 == 0:
            stage.tell(f"{number}/{len(missing)} files")
        _write(_at(folder, path), wanted[path], source)
    if missing:
        time.sleep(_SETTLE_SECONDS)
    written = {path: _signature(_at(folder, path).lstat()) for path in missing}
    _write_record(record, {path: (wanted[path], signature) for path, signature in (kept | written).items()})
    return Update(written=len(missing), removed=len(set(stale) - set(missing)), kept=len(kept))


def disturbed(*, folder: Path, record: Path) -> tuple[RepoPath, ...]:
    """Laid files that have been changed or removed since; files added beside them are not meant."""
    found, _ = _scan(folder)
    return tuple(path for path, (_, signature) in _read_record(record).items() if found.get(path) != signature)


def _wanted(tree: TreeId, source: ObjectSource) -> dict[RepoPath, BlobState]:
    files = {}
    for path, state in Tree.at(source, tree).walk():
        unsafe = unsafe_path(path)
        if unsafe is not None:
            raise InputFault(
                Diagnostic(
                    code="tree-path-unsafe",
                    message=f"the tree holds a path that must not be written, `{show_path(path)}`: {unsafe}",
                    notes=(f"in tree {tree}",),
                    help="take the base from a source whose trees git itself accepts (git fsck --strict)",
                )
            )
        files[path] = state
    return files


def _needed_folders(wanted: dict[RepoPath, BlobState]) -> set[RepoPath]:
    needed = {RepoPath(b"")}
    for path, state in wanted.items():
        # a submodule is an empty folder in its parent
        above = path if state.mode is Mode.SUBMODULE else _above(path)
        while above not in needed:
            needed.add(above)
            above = _above(above)
    return needed


def _update_folders(folder: Path, found: set[RepoPath], needed: set[RepoPath]) -> None:
    for path in sorted(found - needed, reverse=True):
        _at(folder, path).rmdir()
    for path in sorted(needed - found):
        _at(folder, path).mkdir()


def _at(folder: Path, path: RepoPath) -> Path:
    return folder / os.fsdecode(path)


def _above(path: RepoPath) -> RepoPath:
    return RepoPath(path.rpartition(b"/")[0])


def _write(path: Path, state: BlobState, source: ObjectSource) -> None:
    data = source.blob(state.blob)
    try:
        if state.mode is Mode.SYMLINK:
            path.symlink_to(os.fsdecode(data))
            return
        bits = 0o755 if state.mode is Mode.EXECUTABLE else 0o644
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), bits)
    except FileExistsError as error:
        raise InputFault(
            Diagnostic(
                code="tree-path-clash",
                message=f"two paths of the tree are one file here: `{path}`",
                notes=("this file system does not tell upper from lower case",),
                help="put the cache on a case-sensitive volume: STACKPROOF_CACHE=/path/to/it",
            )
        ) from error
    with os.fdopen(handle, "wb") as file:
        os.fchmod(handle, bits)
        file.write(data)


def _scan(folder: Path) -> tuple[dict[RepoPath, Signature], set[RepoPath]]:
    """Everything in the folder: files and links with their signatures, and folders (the top is the empty path)."""
    if folder.is_symlink() or not folder.is_dir():
        folder.unlink(missing_ok=True)
        folder.mkdir(parents=True)
    files: dict[RepoPath, Signature] = {}
    folders = {RepoPath(b"")}
    pending = [RepoPath(b"")]
    while pending:
        prefix = pending.pop()
        try:
            with os.scandir(os.fsencode(_at(folder, prefix))) as entries:
                for entry in entries:
                    path = RepoPath(prefix + entry.name)
                    if entry.is_dir(follow_symlinks=False):
                        folders.add(path)
                        pending.append(RepoPath(path + b"/"))
                    else:
                        files[path] = _signature(entry.stat(follow_symlinks=False))
        except PermissionError:
            # a build took the rights away: begin with nothing
            remove_folder(folder)
            folder.mkdir()
            return {}, {RepoPath(b"")}
    return files, folders


def remove_folder(folder: Path) -> None:
    """Remove a folder and all in it, also where rights were taken away; nothing happens when it is not there."""
    if not folder.is_dir() or folder.is_symlink():
        folder.unlink(missing_ok=True)
        return
    with contextlib.suppress(OSError):
        shutil.rmtree(folder)
        return
    for above, inner, _ in os.walk(folder):
        for name in (".", *inner):
            with contextlib.suppress(OSError):
                Path(above, name).chmod(0o700, follow_symlinks=False)
    shutil.rmtree(folder)


def _signature(status: os.stat_result) -> Signature:
    kind = status.st_mode & (_FORMAT_BITS | 0o111)
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, kind)


def _read_record(record: Path) -> dict[RepoPath, tuple[BlobState, Signature]]:
    """What was laid; empty when that is not known for sure."""
    try:
        value = json.loads(record.read_bytes())
        if value["schema"] != _SCHEMA:
            return {}
        return {
            RepoPath(path.encode("latin-1")): (
                BlobState(blob=BlobId(blob), mode=Mode(mode)),
                (size, modified, changed, inode, kind),
            )
            for path, blob, mode, size, modified, changed, inode, kind in value["files"]
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _write_record(record: Path, files: dict[RepoPath, tuple[BlobState, Signature]]) -> None:
    # any byte string is a path: Latin-1 maps each byte to one character and back
    rows = [[path.decode("latin-1"), state.blob, state.mode, *signature] for path, (state, signature) in files.items()]
    part = record.with_name(record.name + ".part")
    part.write_text(json.dumps({"schema": _SCHEMA, "files": rows}))
    part.replace(record)
