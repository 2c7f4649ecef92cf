"""Puts a folder of files where it shall stand: as a whole or not at all, and never over anything that is not ours.

It is made beside its place, synced, looked over by the caller, and moved there by one rename. Where an equal one
stands, nothing is done. Where another one of ours stands (all of it as its own SHA256SUMS lists it), the two change
places in one step; anything else is refused and kept. A killed run leaves the old folder or the new one, and two runs
at once wait for each other.
"""

import ctypes
import errno
import fcntl
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from builder.disk import Disk, mode_of, sync_folder, told_as_fault, write_synced
from builder.scratch import scratch
from verify.bundle.layout import SUMS, VERDICT
from verify.bundle.members import read_members
from verify.bundle.sums import check_sums
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.verdict import Passed

_EXCHANGE = 2
_NOT_HERE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM}


class How(StrEnum):
    """What became of the place."""

    NEW = "new"
    UNCHANGED = "unchanged"
    REPLACED = "replaced"


class FolderDisk(Disk):
    """The disk's calls, and those that a folder as a whole needs."""

    def exchange(self, one: Path, other: Path) -> None:
        """Let two names change places in one step; `OSError` with ENOSYS where the system has no such step."""
        rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
        if rename is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        here = -100  # AT_FDCWD; both paths are absolute
        if rename(here, os.fsencode(one), here, os.fsencode(other), _EXCHANGE) != 0:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), str(one), None, str(other))

    def stamp(self, path: Path, permissions: int, seconds: int) -> None:
        """Give permissions and a time that depend on nobody's umask or clock."""
        path.chmod(permissions)
        os.utime(path, (seconds, seconds))


FOLDER_DISK = FolderDisk()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Foreign:
    """What stands in the way, and why it is not ours."""

    why: str


def place_folder(
    target: Path,
    contents: Mapping[str, bytes],
    *,
    seconds: int,
    look_over: Callable[[Path], None],
    disk: FolderDisk = FOLDER_DISK,
) -> How:
    """Have exactly these files in the folder `target`; `look_over` may refuse what was made before it is visible."""
    target = target.absolute()
    with told_as_fault(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(target.parent):
            _put_back(target, disk)
            _refuse_foreign(target)
            with scratch(target.parent, ".seal-") as work:
                made = work / target.name
                write_folder(made, contents, seconds, disk)
                look_over(made)
                how = _move(made, target, contents, disk)
                sync_folder(target.parent, disk)
        return how


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Wait until no other run places something there: one that is moved while it is looked at looks broken.

    The folder itself carries the lock, so that no file of ours is left in it, and a killed run holds none.
    """
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def write_folder(folder: Path, contents: Mapping[str, bytes], seconds: int, disk: FolderDisk) -> None:
    """Write the files below a new folder, synced, with permissions and a time that depend on nobody."""
    folders = sorted({folder / parent for name in contents for parent in PurePosixPath(name).parents})
    for each in folders:
        disk.make_folder(each)
    for name, data in sorted(contents.items()):
        write_synced(folder / name, data, 0o644, disk)
        disk.stamp(folder / name, 0o644, seconds)
    for each in reversed(folders):  # inner ones first, since a new name changes the time of its folder
        disk.stamp(each, 0o755, seconds)
        sync_folder(each, disk)


def _move(made: Path, target: Path, contents: Mapping[str, bytes], disk: FolderDisk) -> How:
    met = _met(target, contents)
    match met:
        case _Foreign(why=why):
            raise InputFault(_in_the_way(target, why))
        case How.NEW:
            disk.rename(made, target)
        case How.REPLACED:
            _exchange(made, target, disk)
        case How.UNCHANGED:
            pass
    return met


def _met(target: Path, contents: Mapping[str, bytes]) -> How | _Foreign:
    """What has to be done about what stands at the place."""
    mode = mode_of(target)
    if mode is None:
        return How.NEW
    if not stat.S_ISDIR(mode):
        return _Foreign(why="it is not a folder")
    if not (target / SUMS).is_file() or not (target / VERDICT).is_file():
        return _Foreign(why=f"it has no {SUMS} and {VERDICT} of ours")
    members = read_members(target)
    outcome = check_sums(members)
    if not isinstance(outcome, Passed):
        return _Foreign(why=f"it was changed after it was sealed: {outcome.summary}")
    digests = {name: hashlib.sha256(data).hexdigest() for name, data in contents.items()}
    same = digests == {name: member.sha256 for name, member in members.files.items()}
    return How.UNCHANGED if same else How.REPLACED


def _refuse_foreign(target: Path) -> None:
    met = _met(target, {})
    if isinstance(met, _Foreign):
        raise InputFault(_in_the_way(target, met.why))


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.replaced")


def _exchange(made: Path, target: Path, disk: FolderDisk) -> None:
    """The new folder for the old one; the old one goes with the scratch folder.

    Where the system cannot do it in one step, the old one is kept under a hidden name in between, from where the next
    run puts it back when this one is killed.
    """
    try:
        disk.exchange(made, target)
    except OSError as error:
        if error.errno not in _NOT_HERE:
            raise
        disk.rename(target, _aside(target))
        disk.rename(made, target)
        disk.rename(_aside(target), made)


def _put_back(target: Path, disk: FolderDisk) -> None:
    """Mend what a run left that was killed between the two renames of `_exchange`."""
    aside = _aside(target)
    if mode_of(aside) is None:
        return
    if mode_of(target) is None:
        disk.rename(aside, target)
    else:
        with scratch(target.parent, ".seal-") as work:
            disk.rename(aside, work / target.name)


def _in_the_way(target: Path, why: str) -> Diagnostic:
    return Diagnostic(
        code="seal-in-the-way",
        message=f"{target} is in the way and is kept: {why}",
        place=Place(file=str(target)),
        notes=("only a bundle that is exactly as it was sealed is replaced",),
        help=f"move {target} away, or name another folder with --out",
    )
