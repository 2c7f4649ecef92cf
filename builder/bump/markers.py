"""A file with its conflicts marked: what settles is in place, and each open hunk stands as three versions.

The stretch of a conflict reaches from the last line above to the first line below whose place is certain; hunks whose
stretches meet share one. Pure.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from builder.bump.compared import Compared, added_lines
from builder.canonical import Run, split_lines
from builder.placement import stated
from builder.two_ways import place_two_ways
from verify.model.patch import Hunk

OURS, BASE, PARTED, THEIRS = b"<<<<<<< ", b"||||||| ", b"=======\n", b">>>>>>> "


@dataclass(slots=True)
class _Stretch:
    """Lines (0-based, first and behind) of the recorded file and of the present one, and the open hunks in it."""

    recorded: tuple[int, int]
    present: tuple[int, int]
    hunks: list[int]


def marked(
    *, hunks: Sequence[Hunk], opened: Collection[int], recorded: bytes, present: bytes, compared: Compared, label: str
) -> bytes:
    """The present file with every settled hunk in place and the `opened` ones (numbers from 1) marked."""
    runs = [stated(hunk, recorded).runs for hunk in hunks]
    stretches = _stretches(runs, opened, recorded, present, compared)
    olds, news = split_lines(recorded), split_lines(present)
    placements = place_two_ways(present, hunks, recorded)
    outside: list[Run] = []
    for number, placement in enumerate(placements, start=1):
        if number in opened:
            continue
        outside += (run for run in placement.runs if not any(_within(run, each.present) for each in stretches))
    edits: list[tuple[int, int, list[bytes]]] = [
        (run.line - 1, run.line - 1 + run.removed(), list(added_lines(run))) for run in outside
    ]
    every = [run for each in runs for run in each]
    for stretch in stretches:
        first, behind = stretch.recorded
        theirs = _changed(olds, [run for run in every if _within(run, stretch.recorded)], first, behind)
        numbers = ", ".join(str(number) for number in sorted(stretch.hunks))
        low, high = stretch.present
        lines = [OURS + b"upstream\n", *_ended(news[low:high]), BASE + b"as it was recorded\n"]
        lines += [*_ended(olds[first:behind]), PARTED, *_ended(theirs)]
        edits.append((low, high, [*lines, THEIRS + f"{label}, hunk {numbers}\n".encode()]))
    out: list[bytes] = []
    done = 0
    for low, high, lines in sorted(edits, key=lambda edit: edit[:2]):
        out += [*news[done:low], *lines]
        done = high
    return b"".join([*out, *news[done:]])


def whole_file(*, recorded: bytes | None, present: bytes | None, left: bytes | None, label: str) -> bytes:
    """A file that conflicts as a whole, as three versions."""
    parts = [OURS + b"upstream\n", *_ended(split_lines(present or b"")), BASE + b"as it was recorded\n"]
    parts += [*_ended(split_lines(recorded or b"")), PARTED, *_ended(split_lines(left or b""))]
    return b"".join([*parts, THEIRS + label.encode() + b"\n"])


def markers_in(data: bytes) -> tuple[int, ...]:
    """The lines (1-based) on which a marker of ours stands."""
    starts = (OURS + b"upstream", BASE + b"as it was recorded", THEIRS)
    return tuple(number for number, line in enumerate(data.split(b"\n"), start=1) if line.startswith(starts))


def _stretches(
    runs: Sequence[Sequence[Run]], opened: Collection[int], recorded: bytes, present: bytes, compared: Compared
) -> list[_Stretch]:
    found: list[_Stretch] = []
    for number, mine in enumerate(runs, start=1):
        if number not in opened or not mine:
            continue
        first = min(run.line - 1 for run in mine)
        behind = max(run.line - 1 + run.removed() for run in mine)
        found.append(_around(compared, recorded, present, first, behind, [number]))
    found.sort(key=lambda each: each.recorded)
    joined: list[_Stretch] = []
    for each in found:
        last = joined[-1] if joined else None
        if last is not None and (each.recorded[0] <= last.recorded[1] or each.present[0] <= last.present[1]):
            first, behind = last.recorded[0], max(last.recorded[1], each.recorded[1])
            joined[-1] = _around(compared, recorded, present, first, behind, [*last.hunks, *each.hunks])
        else:
            joined.append(each)
    return joined


def _around(compared: Compared, recorded: bytes, present: bytes, first: int, behind: int, hunks: list[int]) -> _Stretch:
    a, b, low, high = compared.around(recorded, present, first, behind)
    return _Stretch((a, b), (low, high), hunks)


def _within(run: Run, lines: tuple[int, int]) -> bool:
    return lines[0] <= run.line - 1 and run.line - 1 + run.removed() <= lines[1]


def _changed(olds: Sequence[bytes], runs: Sequence[Run], first: int, behind: int) -> list[bytes]:
    out: list[bytes] = []
    done = first
    for run in sorted(runs, key=lambda each: each.line):
        out += [*olds[done : run.line - 1], *added_lines(run)]
        done = run.line - 1 + run.removed()
    return [*out, *olds[done:behind]]


def _ended(lines: Sequence[bytes]) -> list[bytes]:
    """Lines that each end, so that a marker below starts a line of its own."""
    return [line if line.endswith(b"\n") else line + b"\n" for line in lines]
