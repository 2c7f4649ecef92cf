"""Reads a folder as it lies on disk, as if it were an archive: nothing is dropped because a `.gitignore` names it."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from verify.archive import Member
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import RepoPath, show_path
from verify.model.patch import Mode


def folder_members(folder: Path, *, without: tuple[str, ...] = ()) -> Iterator[Member]:
    """Every file and symbolic link below the folder, in path order.

    Its own `.git` is not part of it, nor are the entries of its top that `without` names.
    """
    left_out = {b".git", *(os.fsencode(name) for name in without)}
    if not folder.is_dir():
        raise InputFault(
            Diagnostic(
                code="base-folder-missing",
                message=f"the base folder {folder} does not exist, or is no folder",
                help="correct `base.source.path` in release.json",
            )
        )
    root = os.fsencode(folder)
    todo = [b""]
    while todo:
        prefix = todo.pop()
        with os.scandir(root + b"/" + prefix) as entries:
            found = sorted(entries, key=lambda entry: entry.name, reverse=True)
        for entry in reversed(found):
            path = RepoPath(prefix + entry.name)
            if path in left_out:
                continue
            if entry.is_dir(follow_symlinks=False):
                todo.append(path + b"/")
            else:
                yield _member(entry, path)


def _member(entry: "os.DirEntry[bytes]", path: RepoPath) -> Member:
    status = entry.stat(follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        return Member(path=path, mode=Mode.SYMLINK, data=os.readlink(entry.path))  # noqa: PTH115 (a path in bytes)
    if not stat.S_ISREG(status.st_mode):
        raise InputFault(
            Diagnostic(
                code="archive-entry-kind",
                message=f"the base folder holds `{show_path(path)}`, which is no file, folder or link",
                help=f"rm {show_path(RepoPath(entry.path))}",
            )
        )
    with open(entry.path, "rb") as file:  # noqa: PTH123 (a path in bytes)
        data = file.read()
    # As git does: only the owner's execute bit is kept.
    return Member(path=path, mode=Mode.EXECUTABLE if status.st_mode & 0o100 else Mode.FILE, data=data)
