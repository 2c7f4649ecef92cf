"""WORKLOG.md: entries numbered YYMMDD.NNN, and references to them anywhere in the project.

An entry is a heading `## 261130.001 Title` and the text below it. Numbers rise through the file, so that two branches
that both added one are seen. A reference is such a number in any text, taken for one when its date is a day within
the worklog's years; other numbers with a point are left alone.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

FILE = "WORKLOG.md"

_HEADING = re.compile(r"^##[ \t]+(?=\d)(\S+)(?:[ \t]+(.*?))?[ \t]*$", re.MULTILINE)
_NUMBER = re.compile(r"(\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])\.(\d{3})")
_REFERENCE = re.compile(rf"(?<![\w.+-]){_NUMBER.pattern}(?![\w]|\.\d)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One entry's heading; `well_formed` when its number is one."""

    number: str
    title: str
    line: int
    well_formed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One mention of an entry's number."""

    number: str
    line: int
    column: int


def entries_of(text: str) -> tuple[Entry, ...]:
    """Every entry in the order of the file."""
    return tuple(
        Entry(
            number=match[1],
            title=match[2] or "",
            line=text.count("\n", 0, match.start()) + 1,
            well_formed=_NUMBER.fullmatch(match[1]) is not None,
        )
        for match in _HEADING.finditer(text)
    )


def references_in(text: str, entries: Sequence[Entry]) -> Iterator[Reference]:
    """Every number in the text that can only be meant as an entry of this worklog."""
    years = [int(entry.number[:2]) for entry in entries if entry.well_formed]
    if not years:
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if "." not in line:
            continue
        for match in _REFERENCE.finditer(line):
            if min(years) <= int(match[1]) <= max(years) + 1:
                yield Reference(number=match[0], line=number, column=match.start() + 1)


def next_number(entries: Sequence[Entry], day: str) -> str:
    """The number of a new entry; `day` is YYMMDD, and an earlier day than the last entry's takes that one's."""
    numbers = [entry.number for entry in entries if entry.well_formed]
    day = max([day, *(number[:6] for number in numbers)])
    last = max((int(number[7:]) for number in numbers if number[:6] == day), default=0)
    return f"{day}.{last + 1:03d}"


def with_entry(text: str, *, number: str, title: str, body: str) -> str:
    """The worklog with one more entry at its end."""
    head = text.rstrip("\n") if text.strip() else "# Worklog"
    return f"{head}\n\n## {number} {title}\n" + (f"{body.strip()}\n" if body.strip() else "")
