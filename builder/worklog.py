"""Writes entries into the project's WORKLOG.md; the day is given by the caller, since only he has a clock.

What was done to the project by commands is on record with its time (see `builder/edit/operations.py`); `collect` makes
an entry of each such operation that has none yet.
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from builder.edit.operations import read_log, standing
from builder.write import project_lock, write_files
from verify.model.diagnostic import Diagnostic, InputFault
from verify.pages.worklog import FILE, entries_of, next_number, with_entry

_DAY = re.compile(r"20(\d\d)-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])")


def add_entry(root: Path, *, title: str, body: str, day: str, tell: Callable[[str], None]) -> str:
    """Append an entry of that day (YYYY-MM-DD) and give its number."""
    match = _DAY.fullmatch(day)
    if match is None:
        raise _fault("worklog-day", f"`{day}` is no day", 'stackproof worklog add --date 2030-01-31 "Title"')
    title = " ".join(title.split())
    if not title:
        raise _fault("worklog-title", "the entry has no title", 'stackproof worklog add "What was decided"')
    with project_lock(root, tell=tell):
        file = root / FILE
        text = file.read_text("utf-8") if file.exists() else ""
        number = next_number(entries_of(text), "".join(match.groups()))
        write_files(root, {FILE: with_entry(text, number=number, title=title, body=body).encode()})
    return number


def collect(root: Path, *, tell: Callable[[str], None]) -> tuple[str, ...]:
    """An entry for each operation in force that has none; gives the new numbers."""
    made: list[str] = []
    with project_lock(root, tell=tell):
        file = root / FILE
        text = file.read_text("utf-8") if file.exists() else ""
        done, _ = standing(read_log(root))
        for operation in done:
            mark = f"`stackproof {operation.command}`, @{operation.at}, operation {operation.number}"
            if mark in text:
                continue
            day = datetime.fromtimestamp(operation.at, UTC).strftime("%y%m%d")
            number = next_number(entries_of(text), day)
            title = " ".join(operation.summary.split()) or operation.command
            text = with_entry(text, number=number, title=title, body=f"{mark}.")
            made.append(number)
        if made:
            write_files(root, {FILE: text.encode()})
    return tuple(made)


def _fault(code: str, message: str, help_: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, help=help_))
