"""The calls by which files are written for good, and what a user is told when the system refuses one.

`Disk` has one method for each call, so that tests can fail or kill any of them; everything that writes a project's
files goes through it.
"""

import errno
import os
import shlex
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_FEW_NAMES = 64


class Disk:
    """Every call by which this module changes a disk, one method each, so that tests can fail or kill any of them."""

    def create(self, path: Path, permissions: int | None) -> int:
        """Open a new or emptied file for writing, with these permissions or the usual ones."""
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        if permissions is not None:
            os.fchmod(handle, permissions)
        return handle

    def write(self, handle: int, data: bytes) -> int:
        """Write as much as the system takes."""
        return os.write(handle, data)

    def sync(self, handle: int) -> None:
        """Have it on the disk before going on."""
        os.fsync(handle)

    def rename(self, old: Path, new: Path) -> None:
        """Put `old` in the place of `new`."""
        old.replace(new)

    def link(self, old: Path, new: Path) -> None:
        """Give a file a second name."""
        os.link(old, new, follow_symlinks=False)

    def unlink(self, path: Path) -> None:
        """Remove a file."""
        path.unlink()

    def make_folder(self, path: Path) -> None:
        """Make one folder."""
        path.mkdir()

    def remove_folder(self, path: Path) -> None:
        """Remove one empty folder."""
        path.rmdir()


DISK = Disk()


def write_synced(path: Path, data: bytes, permissions: int | None, disk: Disk) -> None:
    """Write a file and have it on the disk; `permissions` None means the usual ones."""
    handle = disk.create(path, permissions)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[disk.write(handle, bytes(rest[: 1 << 20])) :]
        disk.sync(handle)
    finally:
        os.close(handle)


def sync_folder(folder: Path, disk: Disk) -> None:
    """Have a folder's names on the disk."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        disk.sync(handle)
    except OSError as problem:
        if problem.errno not in {errno.EINVAL, errno.ENOTSUP}:  # some file systems cannot, and need not
            raise
    finally:
        os.close(handle)


def mode_of(path: Path) -> int | None:
    """What is there, links not followed; None when nothing is."""
    try:
        return path.lstat().st_mode
    except FileNotFoundError:
        return None


def permissions_of(path: Path) -> int | None:
    """The permissions that a file has; None when it is not there."""
    mode = mode_of(path)
    return stat.S_IMODE(mode) if mode is not None else None


@contextmanager
def told_as_fault(where: Path) -> Iterator[None]:
    """Refusals of the system become diagnostics."""
    try:
        yield
    except OSError as problem:
        raise EnvironmentFault(_refusal(problem, where)) from problem


def _refusal(problem: OSError, where: Path) -> Diagnostic:
    path = str(problem.filename2 or problem.filename or where)
    reason = problem.strerror or str(problem)
    notes = (f"the system says: {reason}", "what was begun is undone, or will be by the next run")
    if problem.errno in _FULL:
        return Diagnostic(
            code="no-space",
            message=f"there is no space left to write {path}",
            place=Place(file=path),
            notes=notes,
            help=f"df -h {shlex.quote(str(where))}",
        )
    return Diagnostic(
        code="cannot-write",
        message=f"{path} cannot be written",
        place=Place(file=path),
        notes=notes,
        help=f"ls -ld {shlex.quote(path)}",
    )


TOO_LITTLE = 64 << 20
"""Bytes below which a file system counts as full: a compiler takes back what it could not finish before it ends."""


def nearly_full(folders: Iterable[Path]) -> Diagnostic | None:
    """What to tell where any of these folders lies on a file system with next to nothing free."""
    for folder in folders:
        there = next((each for each in (folder, *folder.parents) if each.exists()), folder)
        try:
            state = os.statvfs(there)
        except OSError:
            continue
        free = state.f_bavail * state.f_frsize
        names = state.f_favail if state.f_files else _FEW_NAMES
        if free < TOO_LITTLE or names < _FEW_NAMES:
            left = f"{free / (1 << 20):.1f} MiB" if free < TOO_LITTLE else f"room for {names} more files"
            return Diagnostic(
                code="no-space",
                message=f"there is next to no space left at {there}",
                place=Place(file=str(there)),
                notes=(f"{left} free", "what fails on a full disk says nothing about what was built"),
                help=f"df -h {shlex.quote(str(there))}",
            )
    return None
