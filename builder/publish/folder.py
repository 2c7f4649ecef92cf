"""Publishes into a folder: the whole of it appears by one rename, and what stands there is never touched.

An equal folder is left alone, another one is refused. A killed run leaves a hidden folder, which the next one removes.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from builder.disk import mode_of, sync_folder, told_as_fault
from builder.publish.outcome import How, name_taken
from builder.scratch import scratch
from builder.seal.place import FOLDER_DISK, FolderDisk, alone_in, write_folder


def place_new(
    target: Path,
    contents: Mapping[str, bytes],
    *,
    seconds: int,
    look_over: Callable[[Path], None],
    disk: FolderDisk = FOLDER_DISK,
) -> How:
    """Have exactly these files in the new folder `target`; `look_over` may refuse them before they are visible."""
    target = target.absolute()
    with told_as_fault(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with alone_in(target.parent), scratch(target.parent, ".publish-") as work:
            if _stands(target, contents):
                return How.UNCHANGED
            made = work / target.name
            write_folder(made, contents, seconds, disk)
            look_over(made)
            disk.rename(made, target)
            sync_folder(target.parent, disk)
        return How.NEW


def _stands(target: Path, contents: Mapping[str, bytes]) -> bool:
    if mode_of(target) is None:
        return False
    differing = _difference(target, contents)
    if differing:
        raise name_taken(str(target), met=differing, expected="nothing, or exactly this release")
    return True


def _difference(target: Path, contents: Mapping[str, bytes]) -> str:
    """The first thing in which the folder is not these files; empty when there is none."""
    if target.is_symlink() or not target.is_dir():
        return "something that is no folder"
    there = {
        path.relative_to(target).as_posix(): path
        for path in sorted(target.rglob("*"))
        if path.is_symlink() or not path.is_dir()
    }
    for name in sorted(there.keys() | contents.keys()):
        if name not in there:
            return f"no {name}"
        path = there[name]
        if name not in contents or path.is_symlink() or not path.is_file() or path.read_bytes() != contents[name]:
            return f"another {name}"
    return ""
