"""The one writer of a project's files: a file, or several at once, are as they were or as they shall be.

A run that is killed while it writes is finished or undone by the next one that enters `project_lock`; two runs at
once wait for each other there. How that is done is in `journal.py`, the calls are in `disk.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from builder.disk import DISK, Disk, permissions_of, sync_folder, told_as_fault, write_synced
from builder.journal import Recovered, carry_out, own_folder, recover


def write_files(root: Path, contents: Mapping[str, bytes | None], *, disk: Disk = DISK) -> None:
    """Give the named files (relative to `root`, `/`-separated) these contents, None removes one: all or none.

    The caller holds `project_lock(root)`. Raises `EnvironmentFault` when the disk is full or refuses; everything is
    then as it was.
    """
    with told_as_fault(root):
        recover(root, disk)
        carry_out(root, contents, disk)


def write_file(path: Path, data: bytes, *, disk: Disk = DISK) -> None:
    """Give one file outside of a project new content, or leave the old; its folder must be there.

    One writer at a time: the caller has the folder to itself.
    """
    beside = path.with_name(f".{path.name}.stackproof-new")
    with told_as_fault(path):
        try:
            write_synced(beside, data, permissions_of(path), disk)
            disk.rename(beside, path)
        except BaseException:
            with suppress(FileNotFoundError):
                disk.unlink(beside)
            raise
        sync_folder(path.parent, disk)


def finish_interrupted(root: Path, *, disk: Disk = DISK) -> Recovered:
    """Finish or undo what a killed run left; `project_lock` does this on entry."""
    with told_as_fault(root):
        return recover(root, disk)


@contextmanager
def project_lock(root: Path, *, tell: Callable[[str], None], disk: Disk = DISK) -> Iterator[Recovered]:
    """Have the project alone; `tell` is called once when another run has it and must be waited for.

    Entering it again in the same thread is free. Gives what was found of a killed run.
    """
    from filelock import FileLock, Timeout

    with told_as_fault(root):
        own = own_folder(root, disk)
        lock = FileLock(own / "lock", is_singleton=True)
        held = lock.is_locked
        try:
            lock.acquire(timeout=0)
        except Timeout:
            tell(f"another stackproof run is changing {root}; waiting for it to end")
            lock.acquire()
    try:
        yield Recovered.NOTHING if held else finish_interrupted(root, disk=disk)
    finally:
        lock.release()
