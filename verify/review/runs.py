"""The changes of a patch run by run: which lines of the file it met, which of the file it left. Pure.

A run is changed lines in a row. Two patches of equal change identity have the same runs, file by file, wherever they
stand and however they are cut into hunks.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from verify.model.patch import FileChange, Hunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """Changed lines in a row.

    `old` and `new` are the first line (1-based) on either side and how many lines; with none, the line is the one that
    the run stands before. `above` and `below` are the unchanged lines that the patch shows next to it.
    """

    old: tuple[int, int]
    new: tuple[int, int]
    removed: tuple[bytes, ...]
    added: tuple[bytes, ...]
    above: tuple[bytes, ...]
    below: tuple[bytes, ...]
    patch_line: int


def runs_of(change: FileChange) -> tuple[Run, ...]:
    """Every run of a file, from its top."""
    return tuple(run for hunk in change.hunks for run in _runs(hunk))


def _runs(hunk: Hunk) -> Iterator[Run]:
    old = hunk.old_start if hunk.old() else hunk.old_start + 1
    new = hunk.new_start if hunk.new() else hunk.new_start + 1
    lines = hunk.lines
    at, patch_line = 0, hunk.source_line
    while at < len(lines):
        if lines[at][0] == b" ":
            at, old, new, patch_line = at + 1, old + 1, new + 1, patch_line + 1
            continue
        end = at
        while end < len(lines) and lines[end][0] != b" ":
            end += 1
        removed = tuple(text for sign, text in lines[at:end] if sign == b"-")
        added = tuple(text for sign, text in lines[at:end] if sign == b"+")
        yield Run(
            old=(old, len(removed)),
            new=(new, len(added)),
            removed=removed,
            added=added,
            above=_context(lines[:at][::-1])[::-1],
            below=_context(lines[end:]),
            patch_line=patch_line + 1,
        )
        old, new = old + len(removed), new + len(added)
        patch_line += end - at + sum(not text.endswith(b"\n") for _, text in lines[at:end])
        at = end


def _context(lines: tuple[tuple[bytes, bytes], ...]) -> tuple[bytes, ...]:
    found = []
    for sign, text in lines:
        if sign != b" ":
            break
        found.append(text)
    return tuple(found)
