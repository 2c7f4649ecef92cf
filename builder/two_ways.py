"""A hunk whose recorded file is known goes two independent ways: by its context, and by a three-way merge.

It goes both ways even where its context stands at the very line: the same lines can be another function. Only what both
ways say, or what the merge says where no context is left, is placed. What is there already is recognised, never made
twice and never taken away.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import accumulate, islice

from builder.align import UNMATCHED, Alignment, align
from builder.canonical import Run, split_lines
from builder.hunks import stands_at
from builder.placement import Fate, Placement, stated
from builder.whole_lines import WholeLines
from verify.model.patch import Hunk

_MOST_TOLD = 8


def place_two_ways(content: bytes, hunks: Sequence[Hunk], recorded: bytes) -> tuple[Placement, ...]:
    """Every hunk on the content by context and by merge; `recorded` is the file that the hunks exactly fit."""
    if content == recorded:
        return tuple(stated(hunk, recorded) for hunk in hunks)
    text = WholeLines(content)
    merge = _Merge(split_lines(recorded), split_lines(content))
    placements = []
    shift = 0
    for hunk in hunks:
        placement = _two_ways(text, merge, hunk, stated(hunk, recorded), shift)
        if placement.placed and placement.fate is not Fate.ALREADY_THERE:
            shift = placement.offset
        placements.append(placement)
    return tuple(placements)


class _Answer(StrEnum):
    ALREADY = "already"
    MAYBE = "already, as one of two alignments says"
    CONFLICT = "conflict"
    UNSURE = "unsure"


class _Merge:
    """Where changes on the recorded file go in a three-way merge with the present one."""

    def __init__(self, recorded: Sequence[bytes], present: Sequence[bytes]) -> None:
        self.present = present
        self.alignments = align(recorded, present)
        self.starts = [0, *accumulate(len(line) for line in present)]

    def run(self, run: Run) -> "int | _Answer":
        """The line (0-based) of the present file where the change goes, or why it does not."""
        front, back = (self._one(run, alignment) for alignment in self.alignments)
        if front == back:
            return front
        return _Answer.MAYBE if _Answer.ALREADY in (front, back) else _Answer.UNSURE

    def _one(self, run: Run, alignment: Alignment) -> "int | _Answer":
        first = run.line - 1
        behind = first + run.removed()
        above, below = alignment.of(first - 1), alignment.of(behind)
        if UNMATCHED in (above, below):
            return _Answer.CONFLICT
        kept = all(alignment.of(line) == above + 1 + line - first for line in range(first, behind))
        if kept and below - above - 1 == run.removed():
            return above + 1
        added = [text for sign, text in run.lines if sign == b"+"]
        return _Answer.ALREADY if list(self.present[above + 1 : below]) == added else _Answer.CONFLICT


def _two_ways(text: WholeLines, merge: _Merge, hunk: Hunk, stated: Placement, shift: int) -> Placement:
    if not stated.placed:
        return stated
    old, new = b"".join(hunk.old()), b"".join(hunk.new())
    answers = [merge.run(run) for run in stated.runs]
    guess = stated.line + shift
    by_context = [line for _, line in islice(text.near(old, guess), _MOST_TOLD)]
    results = [line for _, line in islice(text.near(new, guess), _MOST_TOLD)] if stated.runs else []
    seen = _seen(by_context, results)
    if results:
        answers = [_Answer.ALREADY if answer is _Answer.MAYBE else answer for answer in answers]
    if not stated.runs or all(answer is _Answer.ALREADY for answer in answers):
        return replace(stated, fate=Fate.ALREADY_THERE, placed=False, runs=(), notes=seen)
    if _Answer.CONFLICT in answers:
        return _stopped(stated, Fate.CONFLICT, "the file changed at the same place since the hunk was recorded", *seen)
    if _Answer.UNSURE in answers or _Answer.MAYBE in answers:
        return _stopped(stated, Fate.AMBIGUOUS, "equal lines around it leave its place open", *seen)
    runs = []
    for run, answer in zip(stated.runs, answers, strict=True):
        if isinstance(answer, int):
            runs.append(replace(run, at=merge.starts[answer], line=answer + 1))
    shifts = (
        {run.line - was.line for run, was in zip(runs, stated.runs, strict=False)}
        if len(runs) == len(answers)
        else set()
    )
    merged_line = stated.line + next(iter(shifts)) if len(shifts) == 1 else None
    line = merged_line if merged_line is not None else runs[0].line
    done = replace(stated, line=line, offset=line - stated.line, runs=tuple(runs))
    if any(abs(result - line) <= len(hunk.lines) for result in results):
        return _stopped(stated, Fate.AMBIGUOUS, "it may be there already", *seen)
    if not by_context:
        return replace(done, fate=Fate.MERGED, notes=("by merge; its context is not there any more",))
    here = text.place_of(merged_line) if merged_line is not None else []
    if not any(stands_at(text.content, at, old) for at, _ in here):
        note = f"by merge it belongs to line {line}, by its context to line {by_context[0]}"
        return _stopped(stated, Fate.CONFLICT, note)
    if by_context[0] != line:
        return replace(done, fate=Fate.MERGED, notes=("the recorded file decides between equal contexts", *seen))
    return replace(done, fate=Fate.OFFSET, notes=("both ways agree",))


def _seen(by_context: Sequence[int], results: Sequence[int]) -> tuple[str, ...]:
    notes = []
    if by_context:
        notes.append(f"its context stands at line {', '.join(map(str, by_context[:5]))}")
    if results:
        notes.append(f"its result stands at line {', '.join(map(str, results[:5]))}")
    return tuple(notes)


def _stopped(stated: Placement, fate: Fate, *notes: str) -> Placement:
    return replace(stated, fate=fate, placed=False, runs=(), notes=notes)
