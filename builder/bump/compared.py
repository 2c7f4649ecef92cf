"""Pairs of texts compared once: which line is which, and what changed between them, remembered by blob ids."""

from collections.abc import Sequence

from builder.align import UNMATCHED, Alignment, align
from builder.canonical import Run, split_lines
from builder.exchange.tree_diff import runs_between
from builder.tree import Tree, object_id
from verify.model.ids import RepoPath


class Compared:
    """Alignments and differences of whole files; see the module."""

    def __init__(self) -> None:
        self._alignments: dict[tuple[str, str], tuple[Alignment, Alignment]] = {}
        self._runs: dict[tuple[str, str], tuple[Run, ...]] = {}

    def alignments(self, old: bytes, new: bytes) -> tuple[Alignment, Alignment]:
        """Which line of the new text each old line is, from the front and from the back."""
        key = object_id("blob", old), object_id("blob", new)
        known = self._alignments.get(key)
        if known is None:
            known = self._alignments[key] = align(split_lines(old), split_lines(new))
        return known

    def runs(self, old: bytes, new: bytes) -> tuple[Run, ...]:
        """What changed between the texts."""
        key = object_id("blob", old), object_id("blob", new)
        known = self._runs.get(key)
        if known is None:
            known = self._runs[key] = tuple(runs_between(old, new)) if old != new else ()
        return known

    def around(self, old: bytes, new: bytes, first: int, behind: int) -> tuple[int, int, int, int]:
        """The smallest stretch around old lines `first` to `behind` (0-based, without it) that has a certain place.

        Gives its lines in the old text and in the new one, each as first and behind. Certain is what both alignments
        say; the texts' ends always are.
        """
        front, back = self.alignments(old, new)
        above, below = first - 1, behind
        while not _sure(front, back, above):
            above -= 1
        while not _sure(front, back, below) or front.of(below) <= front.of(above):
            below += 1
        return above + 1, below, front.of(above) + 1, front.of(below)

    def upstream_runs(self, base: tuple[Tree, Tree], paths: tuple[RepoPath, RepoPath]) -> tuple[Run, ...]:
        """What upstream changed in a file between two bases."""
        old, new = base[0].blob(paths[0]), base[1].blob(paths[1])
        return self.runs(old, new) if old is not None and new is not None else ()


def _sure(front: Alignment, back: Alignment, line: int) -> bool:
    return front.of(line) != UNMATCHED and front.of(line) == back.of(line)


def removed_lines(run: Run) -> tuple[bytes, ...]:
    """The lines that a run takes away."""
    return tuple(text for sign, text in run.lines if sign == b"-")


def added_lines(run: Run) -> tuple[bytes, ...]:
    """The lines that a run adds."""
    return tuple(text for sign, text in run.lines if sign == b"+")


def in_order(wanted: Sequence[bytes], met: Sequence[bytes]) -> int:
    """How many of the wanted lines stand among the met ones in the same order: the longest such row."""
    if len(wanted) * len(met) > 1_000_000:
        return 0
    row = [0] * (len(met) + 1)
    for line in wanted:
        before = 0
        for at, other in enumerate(met, start=1):
            kept = row[at]
            row[at] = before + 1 if line == other else max(row[at], row[at - 1])
            before = kept
    return row[-1]
