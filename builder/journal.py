"""Several files changed as one: staged, made due by one rename, carried out, undone when that is refused.

Everything lies in the project's own folder (`.stackproof`, which git ignores): `staging` is not due and is thrown
away by the next run, `journal` is due and is finished by it, `undo` is being taken back and goes on being taken back.
The index in each says which files; without it a folder is rubbish of a transaction that is over.
"""

import errno
import json
import shlex
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from builder.disk import Disk, mode_of, permissions_of, sync_folder, write_synced
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place

OWN_FOLDER = ".stackproof"

LOG_FOLDER = f"{OWN_FOLDER}/log"  # the one place in it that a change may write, so that its record comes with it
_STAGING, _JOURNAL, _UNDO = "staging", "journal", "undo"
_INDEX = "index.json"


class Recovered(StrEnum):
    """What was found of a run that had been killed while it wrote."""

    NOTHING = "nothing"
    FINISHED = "finished"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """One file of a transaction: its name, whether it gets new content (else it goes), whether it was there before."""

    name: str
    new: bool
    existed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Index:
    """A transaction: its changes, and the folders that have to be made for them, outer ones first."""

    changes: tuple[_Change, ...]
    folders: tuple[str, ...]


def carry_out(root: Path, contents: Mapping[str, bytes | None], disk: Disk) -> None:
    """Give the files these contents, None removes one: all or none. Raises what the system raises."""
    index = _plan(root, contents)
    own = own_folder(root, disk)
    try:
        _stage(own / _STAGING, root, index, contents, disk)
        disk.rename(own / _STAGING, own / _JOURNAL)
        sync_folder(own, disk)
    except BaseException:
        _abandon(root, disk)
        raise
    try:
        _apply(root, index, disk)
    except BaseException:
        disk.rename(own / _JOURNAL, own / _UNDO)
        sync_folder(own, disk)
        _undo(root, index, disk)
        raise
    # The change is made and on the disk; a journal that cannot be cleared now is cleared by the next run.
    with suppress(OSError):
        _clear(own / _JOURNAL, disk)


def recover(root: Path, disk: Disk) -> Recovered:
    """Finish or undo what a killed run left."""
    own = root / OWN_FOLDER
    _remove(own / _STAGING, disk)
    if mode_of(own / _UNDO) is not None:
        index = _read_index(root, own / _UNDO)
        if index is not None:
            _undo(root, index, disk)
            return Recovered.UNDONE
        _remove(own / _UNDO, disk)
    if mode_of(own / _JOURNAL) is not None:
        index = _read_index(root, own / _JOURNAL)
        if index is not None:
            _apply(root, index, disk)
            _clear(own / _JOURNAL, disk)
            return Recovered.FINISHED
        _remove(own / _JOURNAL, disk)
    return Recovered.NOTHING


def own_folder(root: Path, disk: Disk) -> Path:
    """The folder in the project that is ours, made when it is missing."""
    own = root / OWN_FOLDER
    mode = mode_of(own)
    if mode is None:
        with suppress(FileExistsError):
            disk.make_folder(own)
    elif not stat.S_ISDIR(mode):
        raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(own))
    ignore = own / ".gitignore"
    if not ignore.exists():
        write_synced(ignore, b"*\n", None, disk)
    return own


def _plan(root: Path, contents: Mapping[str, bytes | None]) -> _Index:
    changes, folders = [], dict[str, None]()
    for name, data in sorted(contents.items()):
        if not _is_name(name):
            raise ValueError(f"not a file of a project: {name!r}")
        for parent in _refuse_links(root, name):
            folders[parent] = None
        mode = mode_of(root / name)
        if mode is not None and not stat.S_ISREG(mode):
            raise OSError(errno.EEXIST, "is there, and is not a plain file", str(root / name))
        changes.append(_Change(name=name, new=data is not None, existed=mode is not None))
    return _Index(changes=tuple(changes), folders=tuple(folders))


def _is_name(name: str) -> bool:
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name and "\0" not in name
    own = path.parts[:1] == (OWN_FOLDER,) and not (len(path.parts) == 3 and str(path.parent) == LOG_FOLDER)
    return inside and bool(path.parts) and not own and str(path) == name


def _refuse_links(root: Path, name: str) -> tuple[str, ...]:
    """The folders of a file that are not there yet; a link or file in a folder's place is refused."""
    missing = []
    for parent in list(reversed(PurePosixPath(name).parents))[1:]:
        mode = mode_of(root / parent)
        if mode is None:
            missing.append(str(parent))
        elif not stat.S_ISDIR(mode):
            raise NotADirectoryError(errno.ENOTDIR, "is not a folder", str(root / parent))
    return tuple(missing)


def _stage(staging: Path, root: Path, index: _Index, contents: Mapping[str, bytes | None], disk: Disk) -> None:
    disk.make_folder(staging)
    for number, change in enumerate(index.changes):
        data = contents[change.name]
        if data is not None:
            write_synced(staging / f"{number}.new", data, permissions_of(root / change.name), disk)
    document = {
        "schema": "stackproof/journal/1",
        "changes": [{"name": each.name, "new": each.new, "existed": each.existed} for each in index.changes],
        "folders": list(index.folders),
    }
    write_synced(staging / _INDEX, json.dumps(document, indent=2).encode(), None, disk)
    sync_folder(staging, disk)


def _apply(root: Path, index: _Index, disk: Disk) -> None:
    """Rename everything into place; what was done already (by a killed run) is passed over."""
    journal = root / OWN_FOLDER / _JOURNAL
    for folder in index.folders:
        with suppress(FileExistsError):
            disk.make_folder(root / folder)
    for number, change in enumerate(index.changes):
        target, new, old = root / change.name, journal / f"{number}.new", journal / f"{number}.old"
        if not change.new:
            with suppress(FileNotFoundError):
                disk.rename(target, old)
        elif mode_of(new) is not None:
            if change.existed and mode_of(old) is None and mode_of(target) is not None:
                _keep(target, old, disk)
            disk.rename(new, target)
    for change in index.changes:
        if not change.new:
            _drop_empty(root, change.name, disk)
    _sync_all(root, index, disk)


def _drop_empty(root: Path, name: str, disk: Disk) -> None:
    """Take away the folders that a removed file leaves empty: an empty fold would be told as one that nobody lists."""
    for parent in list(PurePosixPath(name).parents)[:-1]:
        folder = root / parent
        if mode_of(folder) is None:  # a killed run took it away
            continue
        if any(folder.iterdir()):
            return
        try:
            disk.remove_folder(folder)
        except OSError as problem:
            if problem.errno not in {errno.ENOTEMPTY, errno.EEXIST}:  # somebody put a file there meanwhile
                raise


def _keep(target: Path, old: Path, disk: Disk) -> None:
    """Keep the old content under a second name; file systems without links get a copy."""
    try:
        disk.link(target, old)
    except OSError as problem:
        if problem.errno not in {errno.EPERM, errno.ENOTSUP, errno.EMLINK, errno.ENOSYS}:
            raise
        copy = old.with_suffix(".copy")
        write_synced(copy, target.read_bytes(), permissions_of(target), disk)
        disk.rename(copy, old)


def _undo(root: Path, index: _Index, disk: Disk) -> None:
    """Put everything back; what was put back already is passed over."""
    undo = root / OWN_FOLDER / _UNDO
    for number, change in enumerate(index.changes):
        target, old = root / change.name, undo / f"{number}.old"
        if mode_of(old) is not None:
            for parent in list(reversed(PurePosixPath(change.name).parents))[1:]:
                if mode_of(root / parent) is None:
                    disk.make_folder(root / parent)
            disk.rename(old, target)
        elif not change.existed:
            with suppress(FileNotFoundError):
                disk.unlink(target)
    for folder in reversed(index.folders):
        path = root / folder
        if mode_of(path) is not None and not any(path.iterdir()):  # somebody may have put a file there meanwhile
            disk.remove_folder(path)
    _sync_all(root, index, disk)
    _clear(undo, disk)


def _sync_all(root: Path, index: _Index, disk: Disk) -> None:
    names = (*index.folders, *(change.name for change in index.changes))
    for folder in sorted({(root / name).parent for name in names}):
        if folder.is_dir():
            sync_folder(folder, disk)


def _abandon(root: Path, disk: Disk) -> None:
    """Forget a transaction that has not changed anything yet, whether or not it had become due."""
    own = root / OWN_FOLDER
    if mode_of(own / _JOURNAL) is not None:
        _clear(own / _JOURNAL, disk)
    _remove(own / _STAGING, disk)


def _clear(folder: Path, disk: Disk) -> None:
    """The index goes first: without it a transaction is over, and what is left is rubbish."""
    disk.unlink(folder / _INDEX)
    sync_folder(folder, disk)
    _remove(folder, disk)


def _remove(folder: Path, disk: Disk) -> None:
    if mode_of(folder) is None:
        return
    for path in sorted(folder.iterdir()):
        disk.unlink(path)
    disk.remove_folder(folder)


def _read_index(root: Path, folder: Path) -> _Index | None:
    """What a killed run was about; None when it was over. A project may come from strangers with a journal in it."""
    try:
        document = json.loads((folder / _INDEX).read_bytes())
        index = _Index(
            changes=tuple(
                _Change(name=each["name"], new=each["new"] is True, existed=each["existed"] is True)
                for each in document["changes"]
            ),
            folders=tuple(document["folders"]),
        )
        for name in (*index.folders, *(change.name for change in index.changes)):
            if not _is_name(name):
                raise _broken(folder)
            _refuse_links(root, name)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _broken(folder) from None
    return index


def _broken(folder: Path) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="journal-broken",
            message=f"the journal of an interrupted run cannot be read: {folder}",
            place=Place(file=str(folder / _INDEX)),
            notes=("stackproof did not write it like that, so nothing of it was carried out",),
            help=f"look at the files in it, then: rm -r {shlex.quote(str(folder))}",
        )
    )
