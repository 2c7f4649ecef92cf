"""Where a hunk went on a file: its fate, its place, and the changes that it brings there.

The two ways to find a place are `builder/two_ways.py`, where the file is known that a hunk was recorded on, and
`builder/by_rule.py`, where only the dialect of its patch is known. There is no fuzz: context is never dropped.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from builder.canonical import Run
from builder.hunks import fits_at, offset_of_line
from verify.model.patch import Hunk


class Fate(StrEnum):
    """What became of a hunk."""

    EXACT = "exact"
    OFFSET = "offset"
    MERGED = "merged"
    ALREADY_THERE = "already-there"
    AMBIGUOUS = "ambiguous"
    CONFLICT = "conflict"


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """One hunk's fate: the line where it stands now, how far that is from the stated one, and why.

    `runs` are its changes on the content; empty when it was not placed, was already there, or changes nothing.
    """

    fate: Fate
    line: int
    offset: int
    placed: bool
    runs: tuple[Run, ...] = ()
    notes: tuple[str, ...] = ()


def runs_of(placements: Sequence[Placement]) -> tuple[Run, ...]:
    """The changes of every placed hunk, in the order of the file."""
    return tuple(sorted((run for placement in placements for run in placement.runs), key=lambda run: run.at))


def with_runs(content: bytes, runs: Sequence[Run]) -> bytes:
    """The content with the changes made."""
    out, done = [], 0
    for run in runs:
        out.append(content[done : run.at])
        out += (text for sign, text in run.lines if sign == b"+")
        done = run.end()
    out.append(content[done:])
    return b"".join(out)


def runs_at(hunk: Hunk, at: int, line: int) -> tuple[Run, ...]:
    """The changes of a hunk whose first old line stands at this byte and line."""
    runs: list[Run] = []
    signed: list[tuple[bytes, bytes]] = []
    start = at, line
    for sign, text in hunk.lines:
        if sign == b" ":
            if signed:
                runs.append(Run(at=start[0], line=start[1], lines=tuple(signed)))
                signed = []
            at, line = at + len(text), line + 1
            start = at, line
            continue
        signed.append((sign, text))
        if sign == b"-":
            at, line = at + len(text), line + 1
    if signed:
        runs.append(Run(at=start[0], line=start[1], lines=tuple(signed)))
    return tuple(runs)


def stated(hunk: Hunk, content: bytes) -> Placement:
    """The hunk at exactly its stated line, or a conflict."""
    old = b"".join(hunk.old())
    stated = hunk.old_start if old else hunk.old_start + 1
    at = offset_of_line(content, 0, stated - 1)
    if at is None or not fits_at(content, at, old, b"".join(hunk.new())):
        note = "it does not fit the file that it was recorded on"
        return Placement(fate=Fate.CONFLICT, line=stated, offset=0, placed=False, notes=(note,))
    return Placement(fate=Fate.EXACT, line=stated, offset=0, placed=True, runs=runs_at(hunk, at, stated))
