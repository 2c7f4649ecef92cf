"""A folder of patches as a project: what `git format-patch` wrote, what `stg export` wrote, or an Electron-style list.

The folder says itself which it is: a `.patches` file lists names in order (Electron), a `series` file does so for
StGit, and without either the patches' numbers are their order. Each file is one fold; a cover letter is none.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from enum import StrEnum
from pathlib import Path

from builder.exchange.ground import Ground, ground_of
from builder.exchange.lay_submission import Rules
from builder.exchange.project import write_project
from builder.exchange.series import read_series
from builder.exchange.stack_in import StackIn, Submission, slug, take_in
from verify.diff.mail import Message, read_messages
from verify.diff.submission import Dialect, parse_sections
from verify.model.block import Person
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName

_MOST_BYTES = 64 << 20
_NUMBER = re.compile(r"^\d{3,5}-")
_PERSON = re.compile(r"(?:from|author):[ \t]+(.*?)[ \t]*<([^<>]*)>[ \t]*", re.IGNORECASE)
_DATE = re.compile(r"date:[ \t]+.*", re.IGNORECASE)


class Form(StrEnum):
    """How the folder is kept."""

    FORMAT_PATCH = "format-patch"
    STGIT = "stgit"
    ELECTRON = "electron"


def form_of(folder: Path) -> Form:
    """What the folder is, by the list that lies in it."""
    if (folder / ".patches").is_file():
        return Form.ELECTRON
    return Form.STGIT if (folder / "series").is_file() else Form.FORMAT_PATCH


def import_patch_folder(*, orig: Path | Ground, folder: Path, block: str | None, out: Path, strict: bool) -> StackIn:
    """Read the patches on the folder `orig`, or on a release, and write the project."""
    form = form_of(folder)
    name = BlockName(block or slug(out.absolute().name))
    ground = ground_of(orig, out)
    taken = take_in(
        submissions(folder, form, name),
        ground.tree,
        ground.commit,
        titles={name: f"Patches of {folder.absolute().name}"},
        strict=strict,
    )
    write_project(
        out,
        name=slug(out.absolute().name),
        source=ground.source,
        upstream_commit=None,
        blocks=taken.blocks,
        stack=taken.stack,
        sources={(report.block, report.fold): report.data for report in taken.reports},
        like=ground.like,
    )
    return taken


def submissions(folder: Path, form: Form, block: BlockName) -> Iterator[Submission]:
    """Each patch of the folder in order."""
    found = 0
    for file in _files(folder, form):
        data = bounded_bytes(file)
        messages = read_messages(data)
        if form is Form.STGIT:
            messages = tuple(stgit_message(message) for message in messages)
        sections = [parse_sections(each.text, file=str(file), dialect=Dialect.GIT) for each in messages]
        if form is Form.FORMAT_PATCH and not any(sections) and "cover-letter" in file.name:
            continue
        found += 1
        title = _NUMBER.sub("", file.name).removesuffix(".patch").removesuffix(".diff")
        yield Submission(
            block=block,
            fold=title,
            data=data,
            messages=messages,
            rules=Rules(dialect=Dialect.GIT, drop_empty=False),
            file=str(file),
            source=f"{form.value} folder, {file.name}",
            subject=title,
        )
    if not found:
        raise _fault("patches-missing", f"{folder} holds no patch", "name a folder with .patch files, or its list")


def stgit_message(message: Message) -> Message:
    """A message as `stg export` spells it: the subject first, then who and when, then the body."""
    if message.subject:
        return message  # a mail
    lines = message.body.split("\n")
    subject, author = "", message.author
    at = len(lines)
    for number, line in enumerate(lines):
        if (person := _PERSON.fullmatch(line)) is not None:
            author = Person(name=person[1].strip('"'), email=person[2])
        elif line and not _DATE.fullmatch(line):
            if subject:
                at = number
                break
            subject = line.strip()
    head = "\n".join(lines[:at])
    dated = next((line for line in lines[:at] if _DATE.fullmatch(line)), "")
    date = read_messages(f"Subject: x\n{dated}\n\n".encode())[0].date if dated else message.date
    body = "\n".join(lines[at:]).strip("\n")
    return replace(message, subject=subject, author=author, date=date, body=body) if head else message


def bounded_bytes(file: Path) -> bytes:
    """A file of the folder; what is too large to be a patch is refused before it is read."""
    try:
        if file.stat().st_size <= _MOST_BYTES:
            return file.read_bytes()
    except OSError as error:
        raise _fault("patches-unreadable", f"{file} cannot be read", f"ls -l {file}") from error
    raise _fault("patches-unreadable", f"{file} is larger than {_MOST_BYTES} bytes", f"ls -l {file}")


def _files(folder: Path, form: Form) -> list[Path]:
    match form:
        case Form.FORMAT_PATCH:
            try:
                names = [each for each in folder.iterdir() if each.suffix in (".patch", ".diff", ".eml")]
            except OSError as error:
                raise _fault("patches-missing", f"{folder} is no folder", "name a folder with .patch files") from error
            return sorted(names, key=lambda each: each.name)
        case Form.STGIT | Form.ELECTRON:
            listing = folder / ("series" if form is Form.STGIT else ".patches")
            entries = read_series(bounded_bytes(listing), file=str(listing), options=False)
            return [_named(folder, entry.name) for entry in entries]


def _named(folder: Path, name: str) -> Path:
    """`stg export` names patches with and without a suffix."""
    file = folder / name
    return file if file.is_file() or not (folder / f"{name}.patch").is_file() else folder / f"{name}.patch"


def _fault(code: str, message: str, help_: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, help=help_))
