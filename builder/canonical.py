"""Prints changes on a file as canonical hunks: exact lines, three lines of context of the very file they meet.

A `Run` is one unbroken sequence of removed and added lines at one place, in the order in which it was submitted; it
is never diffed again. Runs with six or fewer unchanged lines between them share a hunk, as git joins them, and
others never do, so that the hunks of a change do not depend on how much context it was submitted with.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from verify.diff.parse import CONTEXT
from verify.model.patch import Hunk

_Signed = tuple[bytes, bytes]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Removed and added lines: `at` is the byte and `line` the 1-based line of the preimage where they start.

    `sources` says which hunks of the submission they come from.
    """

    at: int
    line: int
    lines: tuple[_Signed, ...]
    sources: tuple[int, ...] = ()

    def end(self) -> int:
        """The byte behind the last removed line."""
        return self.at + sum(len(text) for sign, text in self.lines if sign == b"-")

    def removed(self) -> int:
        """How many lines it takes away."""
        return sum(sign == b"-" for sign, _ in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class Printed:
    """One canonical hunk and the hunks of the submission that it holds lines of."""

    hunk: Hunk
    sources: tuple[int, ...]


def canonical_hunks(content: bytes, runs: Sequence[Run]) -> tuple[Printed, ...]:
    """The hunks of these runs (in order, none inside another) on the content."""
    printed = []
    shift = 0
    for group in _groups(content, runs):
        lines: list[_Signed] = []
        lead = _lines_before(content, group[0].at)
        first = group[0].line - len(lead)
        lines += ((b" ", text) for text in lead)
        done = group[0].at
        for run in group:
            lines += ((b" ", text) for text in split_lines(content[done : run.at]))
            lines += run.lines
            done = run.end()
        lines += ((b" ", text) for text in _lines_after(content, done))
        olds = sum(sign != b"+" for sign, _ in lines)
        news = sum(sign != b"-" for sign, _ in lines)
        hunk = Hunk(
            old_start=first if olds else first - 1,
            new_start=first + shift if news else first + shift - 1,
            lines=tuple(lines),
            source_line=0,
        )
        sources = tuple(dict.fromkeys(source for run in group for source in run.sources))
        printed.append(Printed(hunk=hunk, sources=sources))
        shift += news - olds
    return tuple(printed)


def _groups(content: bytes, runs: Sequence[Run]) -> Iterator[list[Run]]:
    group: list[Run] = []
    for run in runs:
        if group and content.count(b"\n", group[-1].end(), run.at) > 2 * CONTEXT:
            yield group
            group = []
        group.append(run)
    if group:
        yield group


def _lines_before(content: bytes, at: int) -> list[bytes]:
    start = at
    for _ in range(CONTEXT):
        if start == 0:
            break
        start = content.rfind(b"\n", 0, start - 1) + 1
    return split_lines(content[start:at])


def _lines_after(content: bytes, at: int) -> list[bytes]:
    end = at
    for _ in range(CONTEXT):
        newline = content.find(b"\n", end)
        end = newline + 1 if newline >= 0 else len(content)
    return split_lines(content[at:end])


def split_lines(text: bytes) -> list[bytes]:
    """The lines of a text, each with its end; only LF ends a line."""
    lines = text.split(b"\n")
    last = lines.pop()
    whole = [line + b"\n" for line in lines]
    return [*whole, last] if last else whole
