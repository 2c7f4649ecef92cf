"""What was done to the project, and how to take it back: one record for each operation, with the bytes of every file.

A record is written in the same transaction as the files that it is about, so that there is never one without the
other. `undo` puts the bytes back that stood before, and is an operation itself; `redo` takes an undo back. A file
that was edited since is never overwritten, and files that the operation did not touch are left alone. The log lies in
the project's own folder, which git ignores, and keeps the last operations only.
"""

import base64
import json
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from builder.disk import DISK, Disk
from builder.journal import LOG_FOLDER
from builder.write import project_lock, write_files
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault, Place

_SCHEMA = "stackproof/operation/1"
_KEPT = 200


class Kind(StrEnum):
    """What an operation did: something new, or taking one back, or doing it again."""

    DO = "do"
    UNDO = "undo"
    REDO = "redo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """A file's two sides; None where it was not there."""

    name: str
    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One record: `at` is when (seconds since 1970), `of` the operation that is undone or done again."""

    number: int
    kind: Kind
    of: int | None
    at: int
    command: str
    summary: str
    files: tuple[Touched, ...]


def record(
    root: Path,
    *,
    command: str,
    summary: str,
    contents: Mapping[str, bytes | None],
    at: int,
    disk: Disk = DISK,
) -> Operation:
    """Write the files and the record of it, all or nothing; the caller holds the project's lock."""
    files = tuple(Touched(name=name, before=_bytes(root / name), after=data) for name, data in sorted(contents.items()))
    known = read_log(root)
    made = _next(known, kind=Kind.DO, of=None, at=at, command=command, summary=summary, files=files)
    _write(root, known, (made,), disk)
    return made


def undo(
    root: Path, *, count: int, at: int, tell: Callable[[str], None], disk: Disk = DISK, dry_run: bool = False
) -> tuple[Operation, ...]:
    """Take the last operations back that are not undone yet; the operations that do it."""
    return _replay(root, Kind.UNDO, count=count, at=at, tell=tell, disk=disk, dry_run=dry_run)


def redo(
    root: Path, *, count: int, at: int, tell: Callable[[str], None], disk: Disk = DISK, dry_run: bool = False
) -> tuple[Operation, ...]:
    """Do again what was undone last; anything new in between ends that."""
    return _replay(root, Kind.REDO, count=count, at=at, tell=tell, disk=disk, dry_run=dry_run)


def standing(log: Sequence[Operation]) -> tuple[tuple[Operation, ...], tuple[Operation, ...]]:
    """The operations that are in force, oldest first, and those that are undone, the last one undone at the end."""
    done: list[Operation] = []
    undone: list[Operation] = []
    for operation in log:
        if operation.kind is Kind.DO:
            done.append(operation)
            undone.clear()
            continue
        source, target = (done, undone) if operation.kind is Kind.UNDO else (undone, done)
        # The log forgets its oldest records: what it takes back may be among them.
        if source and source[-1].number == operation.of:
            target.append(source.pop())
    return tuple(done), tuple(undone)


def read_log(root: Path) -> tuple[Operation, ...]:
    """Every record that is kept, oldest first."""
    folder = root / LOG_FOLDER
    if not folder.is_dir():
        return ()
    return tuple(_read(path) for path in sorted(folder.glob("*.json")))


def _replay(
    root: Path, kind: Kind, *, count: int, at: int, tell: Callable[[str], None], disk: Disk, dry_run: bool
) -> tuple[Operation, ...]:
    if not (root / LOG_FOLDER).is_dir():
        raise _nothing(kind, met=0, wanted=count)
    with project_lock(root, tell=tell, disk=disk):
        log = read_log(root)
        done, undone = standing(log)
        stack = done if kind is Kind.UNDO else undone
        wanted = stack[-count:][::-1]
        if len(wanted) < count:
            raise _nothing(kind, met=len(stack), wanted=count)
        known = log
        now: dict[str, bytes | None] = {}
        made: list[Operation] = []
        edited: dict[str, Operation] = {}
        for operation in wanted:
            files = []
            for each in operation.files:
                expected, new = (each.after, each.before) if kind is Kind.UNDO else (each.before, each.after)
                met = now[each.name] if each.name in now else _bytes(root / each.name)
                if met != expected:
                    edited.setdefault(each.name, operation)
                files.append(Touched(name=each.name, before=expected, after=new))
                now[each.name] = new
            made.append(
                _next(
                    known,
                    kind=kind,
                    of=operation.number,
                    at=at,
                    command=operation.command,
                    summary=operation.summary,
                    files=tuple(files),
                )
            )
            known = (*known, made[-1])
        if edited:
            raise InputFault(*(_edited(name, operation, kind) for name, operation in edited.items()))
        if not dry_run:
            _write(root, log, made, disk)
    return tuple(made)


def _next(
    known: Sequence[Operation],
    *,
    kind: Kind,
    of: int | None,
    at: int,
    command: str,
    summary: str,
    files: tuple[Touched, ...],
) -> Operation:
    number = known[-1].number + 1 if known else 1
    return Operation(number=number, kind=kind, of=of, at=at, command=command, summary=summary, files=files)


def _write(root: Path, known: Sequence[Operation], made: Sequence[Operation], disk: Disk) -> None:
    contents: dict[str, bytes | None] = {each.name: each.after for operation in made for each in operation.files}
    contents |= {_file(operation.number): _render(operation) for operation in made}
    contents |= {_file(old.number): None for old in [*known, *made][:-_KEPT] if _file(old.number) not in contents}
    write_files(root, contents, disk=disk)


def _file(number: int) -> str:
    return f"{LOG_FOLDER}/{number:08}.json"


def _render(operation: Operation) -> bytes:
    document = {
        "schema": _SCHEMA,
        "number": operation.number,
        "kind": operation.kind.value,
        "of": operation.of,
        "at": operation.at,
        "command": operation.command,
        "summary": operation.summary,
        "files": [
            {"name": each.name, "before": _packed(each.before), "after": _packed(each.after)}
            for each in operation.files
        ],
    }
    return (json.dumps(document, indent=1) + "\n").encode()


def _read(path: Path) -> Operation:
    try:
        document = json.loads(path.read_bytes())
        if document["schema"] != _SCHEMA:
            raise _broken(path)
        return Operation(
            number=int(document["number"]),
            kind=Kind(document["kind"]),
            of=None if document["of"] is None else int(document["of"]),
            at=int(document["at"]),
            command=str(document["command"]),
            summary=str(document["summary"]),
            files=tuple(
                Touched(name=str(each["name"]), before=_unpacked(each["before"]), after=_unpacked(each["after"]))
                for each in document["files"]
            ),
        )
    except (ValueError, KeyError, TypeError, RecursionError, zlib.error):
        raise _broken(path) from None


def _packed(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(zlib.compress(data)).decode("ascii")


def _unpacked(text: str | None) -> bytes | None:
    return None if text is None else zlib.decompress(base64.b64decode(text, validate=True))


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _nothing(kind: Kind, *, met: int, wanted: int) -> InputFault:
    word = "undo" if kind is Kind.UNDO else "do again"
    how_many = f"only {met} of {wanted} operations are there" if met else "there is nothing"
    return InputFault(
        Diagnostic(
            code="undo-nothing",
            message=f"{how_many} to {word}",
            notes=("nothing was written",),
            help="stackproof log",
        )
    )


def _edited(name: str, operation: Operation, kind: Kind) -> Diagnostic:
    return Diagnostic(
        code="undo-edited",
        message=f"{name} was changed after `{operation.command}` ({operation.summary})",
        place=Place(file=name),
        notes=(f"to {kind} would lose that change, so nothing was written",),
        help=f"git diff -- {name}  # then take the later change back, or keep it and undo by hand",
    )


def _broken(path: Path) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="log-broken",
            message=f"a record of the operation log cannot be read: {path.name}",
            place=Place(file=f"{LOG_FOLDER}/{path.name}"),
            notes=("stackproof did not write it like that; the project's files are not touched by this",),
            help=f"rm -r {LOG_FOLDER}  # forgets what could be undone, and nothing else",
        )
    )
