"""What of upstream stands behind a hunk: the lines that it changed there, and how much of the hunk it has already."""

from collections.abc import Callable, Sequence

from builder.bump.compared import Compared, added_lines, in_order, removed_lines
from builder.bump.outcome import NO_SHARE, FoldKey, Share, UpstreamChange
from builder.canonical import Run, canonical_hunks, split_lines
from builder.hunks import apply_exact
from builder.placement import Fate, stated
from builder.two_ways import place_two_ways
from verify.model.ids import RepoPath
from verify.model.patch import Hunk

Futures = Callable[[RepoPath], Sequence[tuple[FoldKey, bytes]]]
"""The contents that later folds left a path with, in stack order."""


def upstream_behind(
    compared: Compared,
    *,
    path: RepoPath,
    base: tuple[bytes | None, bytes | None],
    recorded: bytes,
    hunk: Hunk,
) -> tuple[UpstreamChange, ...]:
    """What upstream changed where a hunk stands; `base` is the file in the old and the new base."""
    old, new = base
    if old is None or new is None:
        return ()
    first = hunk.old_start - 1 if hunk.old() else hunk.old_start
    _, _, low, high = compared.around(recorded, old, first, first + len(hunk.old()))
    found: list[UpstreamChange] = []
    shift = 0
    for run in compared.runs(old, new):
        removed, added = removed_lines(run), added_lines(run)
        at = run.line - 1
        if at <= high and at + len(removed) >= low:
            found.append(
                UpstreamChange(path=path, old_start=run.line, new_start=run.line + shift, removed=removed, added=added)
            )
        shift += len(added) - len(removed)
    return tuple(found)


def share_of(compared: Compared, *, hunk: Hunk, recorded: bytes, left: bytes, present: bytes) -> Share:
    """How much of a hunk the file has; `recorded` and `left` are the file around the fold that it stands in."""
    runs = stated(hunk, recorded).runs
    if not runs:
        return NO_SHARE
    added = sum(len(added_lines(run)) for run in runs)
    removed = sum(len(removed_lines(run)) for run in runs)
    by_reverse = goes_back(hunk, left=left, present=present)
    if by_reverse:
        return Share(added=added, removed=removed, added_there=added, removed_gone=removed, by_reverse=True)
    olds, news = split_lines(recorded), split_lines(present)
    there = gone = 0
    for run in runs:
        wanted, taken = added_lines(run), removed_lines(run)
        first, behind, low, high = compared.around(recorded, present, run.line - 1, run.line - 1 + len(taken))
        before, now = olds[first:behind], news[low:high]
        there += max(in_order(wanted, now) - in_order(wanted, before), 0)
        gone += len(taken) - in_order(taken, now)
    return Share(added=added, removed=removed, added_there=there, removed_gone=gone, by_reverse=False)


def goes_back(hunk: Hunk, *, left: bytes, present: bytes) -> bool:
    """Whether the hunk, turned around, goes on the file: then all of its effect is there."""
    turned = Hunk(
        old_start=hunk.new_start,
        new_start=hunk.old_start,
        lines=tuple((_TURNED[sign], text) for sign, text in hunk.lines),
        source_line=hunk.source_line,
    )
    if not stated(turned, left).placed:
        return False
    return place_two_ways(present, (turned,), left)[0].placed


_TURNED = {b" ": b" ", b"-": b"+", b"+": b"-"}


def taken_with(
    compared: Compared, *, hunk: Hunk, recorded: bytes, present: bytes, futures: Sequence[tuple[FoldKey, bytes]]
) -> tuple[FoldKey, ...]:
    """The later folds together with which upstream has a hunk; none where it has not.

    What the hunk and the later folds make of its place in sum is one change, which is there or not.
    """
    runs = stated(hunk, recorded).runs
    alone = _touching(compared, recorded, apply_one(recorded, hunk), runs)
    keys: list[FoldKey] = []
    for key, content in futures:
        together = _touching(compared, recorded, content, runs)
        if not together or together == alone:
            continue
        keys.append(key)
        alone = together
        printed = [item.hunk for item in canonical_hunks(recorded, together)]
        placements = place_two_ways(present, printed, recorded)
        if all(placement.fate is Fate.ALREADY_THERE for placement in placements):
            return tuple(keys)
    return ()


def apply_one(recorded: bytes, hunk: Hunk) -> bytes:
    """The file with this hunk alone."""
    made = apply_exact(recorded, (hunk,))
    return made if isinstance(made, bytes) else recorded


def _touching(compared: Compared, recorded: bytes, content: bytes, runs: Sequence[Run]) -> tuple[Run, ...]:
    """The changes between the texts that meet one of these, without where they came from."""
    spans = [(run.line, run.line + run.removed()) for run in runs]
    return tuple(
        run
        for run in compared.runs(recorded, content)
        if any(run.line <= behind and first <= run.line + run.removed() for first, behind in spans)
    )
