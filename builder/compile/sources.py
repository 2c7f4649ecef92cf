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
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from builder.tree import ObjectSource
from verify.diff.paths import unsafe_path
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId, RepoPath, TreeId, show_path
from verify.model.patch import Mode
from verify.model.progress import Stage

_SCHEMA = "stackproof/laid/1"
_SETTLE_SECONDS = 0.02
"""Longer than the kernel's clock tick, so that a later change can't carry the recorded times."""

Signature = tuple[int, int, int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """What was done: counts of files, and whether the set of paths differs from what lay there before."""

    tree: TreeId
    written: int
    removed: int
    kept: int
    paths_changed: bool


def update_sources(*, tree: TreeId, source: ObjectSource, folder: Path, record: Path, stage: Stage) -> Update:
    """Make `folder` hold the tree and nothing else; `record` is a file of ours beside it."""
    wanted = {path: (mode, blob) for path, mode, blob in tree_files(tree, source)}
    before = _read_record(record)
    record.unlink(missing_ok=True)
    found, folders = _scan(folder)
    keep = {
        path
        for path, (mode, blob) in wanted.items()
        if path in before and before[path] == (mode, blob, found.get(path))
    }
    stale = [path for path in found if path not in keep]
    for path in stale:
        _at(folder, path).unlink()
    needed = {RepoPath(b"")}
    for path, (mode, _) in wanted.items():
        above = path if mode is Mode.SUBMODULE else _above(path)
        while above not in needed:
            needed.add(above)
            above = _above(above)
    for path in sorted(folders - needed, reverse=True):
        _at(folder, path).rmdir()
    for path in sorted(needed - folders):
        _at(folder, path).mkdir()
    signatures = {path: found[path] for path in keep}
    missing = sorted(path for path, (mode, _) in wanted.items() if path not in keep and mode is not Mode.SUBMODULE)
    for number, path in enumerate(missing):
        if number % 100 == 0:
            stage.tell(f"{number}/{len(missing)} files")
        _write(_at(folder, path), *wanted[path], source)
    if missing:
        time.sleep(_SETTLE_SECONDS)
    signatures |= {path: _signature(_at(folder, path).lstat()) for path in missing}
    _write_record(record, tree, {path: (*wanted[path], signatures[path]) for path in signatures})
    return Update(
        tree=tree,
        written=len(missing),
        removed=len(set(stale) - set(missing)),
        kept=len(keep),
        paths_changed=found.keys() != signatures.keys(),
    )


def disturbed(*, folder: Path, record: Path) -> tuple[RepoPath, ...]:
    """Laid files that have been changed or removed since; files added beside them are not meant."""
    found, _ = _scan(folder)
    return tuple(path for path, (_, _, signature) in _read_record(record).items() if found.get(path) != signature)


def tree_files(tree: TreeId, source: ObjectSource, prefix: bytes = b"") -> Iterator[tuple[RepoPath, Mode, BlobId]]:
    """Every file of a tree, depth first; raises `InputFault` for a name that would leave the folder."""
    payload = source.tree(tree)
    at = 0
    while at < len(payload):
        space, end = payload.index(b" ", at), payload.index(b"\0", at)
        mode, name, child = payload[at:space], payload[space + 1 : end], payload[end + 1 : end + 21].hex()
        at = end + 21
        path = RepoPath(prefix + name)
        unsafe = unsafe_path(path) or ("a name holds a `/`" if b"/" in name else None)
        if unsafe is not None:
            raise InputFault(
                Diagnostic(
                    code="tree-path-unsafe",
                    message=f"the tree holds a path that must not be written: `{show_path(path)}`: {unsafe}",
                    notes=(f"in tree {tree}",),
                    help="take the base from a source whose tree git itself accepts: git fsck --strict",
                )
            )
        if mode == b"40000":
            yield from tree_files(TreeId(child), source, path + b"/")
        else:
            # old trees hold group-writable files; git reads them as plain ones
            known = Mode.FILE if mode == b"100664" else Mode(mode.decode())
            yield path, known, BlobId(child)


def _at(folder: Path, path: RepoPath) -> Path:
    return folder / os.fsdecode(path)


def _above(path: RepoPath) -> RepoPath:
    return RepoPath(path.rpartition(b"/")[0])


def _write(path: Path, mode: Mode, blob: BlobId, source: ObjectSource) -> None:
    data = source.blob(blob)
    try:
        if mode is Mode.SYMLINK:
            path.symlink_to(os.fsdecode(data))
            return
        bits = 0o755 if mode is Mode.EXECUTABLE else 0o644
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
    return (
        status.st_size,
        status.st_mtime_ns,
        status.st_ctime_ns,
        status.st_ino,
        stat.S_IFMT(status.st_mode) | (status.st_mode & 0o111),
    )


def _read_record(record: Path) -> dict[RepoPath, tuple[Mode, BlobId, Signature]]:
    """What was laid; empty when that is not known for sure."""
    try:
        value = json.loads(record.read_bytes())
        if value["schema"] != _SCHEMA:
            return {}
        return {
            RepoPath(path.encode("latin-1")): (Mode(mode), BlobId(blob), (size, modified, changed, inode, bits))
            for path, mode, blob, size, modified, changed, inode, bits in value["files"]
        }
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def _write_record(record: Path, tree: TreeId, files: dict[RepoPath, tuple[Mode, BlobId, Signature]]) -> None:
    # any byte string is a path: Latin-1 maps each byte to one character and back
    rows = [[path.decode("latin-1"), mode, blob, *signature] for path, (mode, blob, signature) in files.items()]
    part = record.with_name(record.name + ".part")
    part.write_text(json.dumps({"schema": _SCHEMA, "tree": tree, "files": rows}))
    part.replace(record)
