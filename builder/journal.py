"""Several files changed as one: staged, made due by one rename, carried out, undone when that is refused.

Everything lies in the project's own folder (`.stackproof`, which git ignores): `staging` is not due and is thrown
away by the next run, `journal` is due and is finished by it, `undo` is being taken back and goes on being taken back.
The index in each says which files, and by their digests what they held and shall hold: a file that holds neither was
written by somebody since, and is never overwritten. Without an index a folder is rubbish of a transaction that is over.
"""

import errno
import hashlib
import json
import re
import shlex
import stat
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from builder.disk import Disk, mode_of, permissions_of, sync_folder, write_synced
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault, Place

OWN_FOLDER = ".stackproof"

LOG_FOLDER = f"{OWN_FOLDER}/log"  # the one place in it that a change may write, so that its record comes with it
_STAGING, _JOURNAL, _UNDO = "staging", "journal", "undo"
_INDEX = "index.json"
_DIGEST = re.compile(r"[0-9a-f]{64}")
_NO_PLAIN_FILE = "no plain file"


class Recovered(StrEnum):
    """What was found of a run that had been killed while it wrote."""

    NOTHING = "nothing"
    FINISHED = "finished"
    UNDONE = "undone"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """One file of a transaction: its name and the digests of its content before and after, None where it is not."""

    name: str
    before: str | None
    after: str | None

    @property
    def new(self) -> bool:
        """Whether it gets new content; else it goes."""
        return self.after is not None

    @property
    def existed(self) -> bool:
        """Whether it was there before."""
        return self.before is not None


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


def is_interrupted(root: Path) -> bool:
    """Whether a transaction is due or being taken back: of a run that was killed, or of one that is writing now."""
    return any(mode_of(root / OWN_FOLDER / folder / _INDEX) is not None for folder in (_JOURNAL, _UNDO))


def recover(root: Path, disk: Disk) -> Recovered:
    """Finish or undo what a killed run left; raises `InputFault` when that would lose what was written since."""
    own = root / OWN_FOLDER
    _remove(own / _STAGING, disk)
    if mode_of(own / _UNDO) is not None:
        index = _read_index(root, own / _UNDO)
        if index is not None:
            _refuse_edited(root, index, own / _UNDO)
            _undo(root, index, disk)
            return Recovered.UNDONE
        _remove(own / _UNDO, disk)
    if mode_of(own / _JOURNAL) is not None:
        index = _read_index(root, own / _JOURNAL)
        if index is not None:
            _refuse_edited(root, index, own / _JOURNAL)
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
        after = None if data is None else hashlib.sha256(data).hexdigest()
        changes.append(_Change(name=name, before=_digest_of(root / name), after=after))
    return _Index(changes=tuple(changes), folders=tuple(folders))


def _is_name(name: str) -> bool:
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts and "\\" not in name and "\0" not in name
    own = path.parts[:1] == (OWN_FOLDER,) and not (len(path.parts) == 3 and str(path.parent) == LOG_FOLDER)
    return inside and bool(path.parts) and not own and str(path) == name


def _is_folder(name: str) -> bool:
    """Whether a change may have made this folder: our own ones are made for the log."""
    return name in {OWN_FOLDER, LOG_FOLDER} or _is_name(name)


def _digest_of(path: Path) -> str | None:
    mode = mode_of(path)
    if mode is None:
        return None
    return hashlib.sha256(path.read_bytes()).hexdigest() if stat.S_ISREG(mode) else _NO_PLAIN_FILE


def _refuse_edited(root: Path, index: _Index, folder: Path) -> None:
    """Refuse to write over what is neither the old content nor the new one; what is gone can be written anew."""
    edited = []
    for number, change in enumerate(index.changes):
        new, old = folder / f"{number}.new", folder / f"{number}.old"
        if folder.name == _UNDO:
            passed_over = mode_of(old) is None and change.existed
        else:
            passed_over = mode_of(new) is None if change.new else mode_of(old) is not None
        if not passed_over and _digest_of(root / change.name) not in {None, change.before, change.after}:
            edited.append(_edited(root, change.name))
    if edited:
        raise InputFault(*edited)


def _edited(root: Path, name: str) -> Diagnostic:
    aside = shlex.quote(str(root / (name.replace("/", "-") + ".yours")))
    return Diagnostic(
        code="journal-edited",
        message=f"{name} was changed after a run was killed while it wrote the project",
        place=Place(file=name),
        notes=(
            "it holds neither what stood there before that run nor what the run was to write",
            "nothing was written; with the file moved aside the next command finishes or undoes that run",
            "put your change back from the moved file then",
        ),
        help=f"mv {shlex.quote(str(root / name))} {aside}  # then run the same command again",
    )


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
        "schema": "stackproof/journal/2",
        "changes": [{"name": each.name, "before": each.before, "after": each.after} for each in index.changes],
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
            if mode_of(old) is None:
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
                _Change(name=each["name"], before=_digest(each["before"]), after=_digest(each["after"]))
                for each in document["changes"]
            ),
            folders=tuple(document["folders"]),
        )
        names = tuple(change.name for change in index.changes)
        if not all(map(_is_folder, index.folders)) or not all(map(_is_name, names)):
            raise _broken(folder)
        for name in (*index.folders, *names):
            _refuse_links(root, name)
        for number, change in enumerate(index.changes):
            if _digest_of(folder / f"{number}.new") not in {None, change.after}:
                raise _broken(folder)
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _broken(folder) from None
    return index


def _digest(value: object) -> str | None:
    if value is not None and not (isinstance(value, str) and _DIGEST.fullmatch(value)):
        raise ValueError(value)
    return value


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
