"""Where a hunk goes on a file: the one primitive of import, carry, edit and the alone trees.

With a recorded preimage every hunk goes two independent ways, by its context and by a three-way merge from that
preimage, even where the context stands at the very line: the same lines can be another function. Only what both ways
say, or what the merge says where no context is left, is placed. Without a preimage a hunk goes by the rule of its
dialect, one way, and whatever was not at its stated line is told. There is no fuzz: context is never dropped.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import accumulate, islice

from builder.align import UNMATCHED, Alignment, align
from builder.canonical import Run, split_lines
from builder.hunks import fits_at, offset_of_line, stands_at
from verify.diff.submission import Dialect
from verify.model.patch import Hunk

_Place = tuple[int, int]  # byte and line (1-based)
_MOST_PLACES = 1000  # equal places that are looked at; a file of one line a million times is no reason to wait
_MOST_TOLD = 8


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


def place_by_rule(content: bytes, hunks: Sequence[Hunk], dialect: Dialect) -> tuple[Placement, ...]:
    """Every hunk by its dialect's rule, one way: there is no recorded preimage."""
    text = _Text(content)
    placements: list[Placement] = []
    taken: list[_Taken] = []
    places_of = _gnu_places if dialect is Dialect.GNU else _git_places
    for hunk in hunks:
        old, new = b"".join(hunk.old()), b"".join(hunk.new())
        stated = hunk.old_start if old else hunk.old_start + 1
        places = places_of(text, hunk, old, stated, taken)
        places = [place for place in places if fits_at(content, place[0], old, new)]
        if not places:
            placements.append(_nowhere(text, hunk, stated, new))
            continue
        placement = _by_rule(text, hunk, places[0], stated, old, new)
        placements.append(placement)
        taken.append(
            _Taken(
                stated=stated,
                trail=_context(hunk)[1],
                line=placement.line,
                olds=len(hunk.old()),
                news=len(hunk.new()),
            )
        )
    return tuple(placements)


def place_two_ways(content: bytes, hunks: Sequence[Hunk], recorded: bytes) -> tuple[Placement, ...]:
    """Every hunk on the content by context and by merge; `recorded` is the file that the hunks exactly fit."""
    if content == recorded:
        return tuple(_stated(hunk, recorded) for hunk in hunks)
    text = _Text(content)
    merge = _Merge(split_lines(recorded), split_lines(content))
    placements = []
    shift = 0
    for hunk in hunks:
        placement = _two_ways(text, merge, hunk, _stated(hunk, recorded), shift)
        if placement.placed and placement.fate is not Fate.ALREADY_THERE:
            shift = placement.offset
        placements.append(placement)
    return tuple(placements)


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


class _Text:
    """A text that is searched for whole lines at C speed, and asked for line numbers only at hits."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def near(self, lines: bytes, guess: int) -> Iterator[_Place]:
        """Every place where these whole lines stand, the nearest to the guessed line first, below before above."""
        start = offset_of_line(self.content, 0, max(guess, 1) - 1)
        start = len(self.content) if start is None else start
        first = guess if start < len(self.content) else self.content.count(b"\n") + 1
        below, above = self._below(lines, start, first), self._above(lines, start, first)
        low, high = next(above, None), next(below, None)
        while low is not None or high is not None:
            if high is not None and (low is None or high[1] - guess <= guess - low[1]):
                yield high
                high = next(below, None)
            elif low is not None:
                yield low
                low = next(above, None)

    def _below(self, lines: bytes, start: int, line: int) -> Iterator[_Place]:
        at, known = self.content.find(lines, start), start
        while at >= 0 and lines:
            if self._is_whole(lines, at):
                line += self.content.count(b"\n", known, at)
                known = at
                yield at, line
            at = self.content.find(lines, at + 1)

    def _above(self, lines: bytes, start: int, line: int) -> Iterator[_Place]:
        at, known = self.content.rfind(lines, 0, start + len(lines) - 1) if lines else -1, start
        while at >= 0:
            if self._is_whole(lines, at):
                line -= self.content.count(b"\n", at, known)
                known = at
                yield at, line
            at = self.content.rfind(lines, 0, at + len(lines) - 1)

    def _is_whole(self, lines: bytes, at: int) -> bool:
        starts = at == 0 or self.content[at - 1] == 0x0A
        return starts and (lines.endswith(b"\n") or at + len(lines) == len(self.content))

    def at_end(self, lines: bytes) -> list[_Place]:
        """The place of these whole lines as the last ones."""
        at = len(self.content) - len(lines)
        if at < 0 or not self.content.endswith(lines) or not self._is_whole(lines, at):
            return []
        return [(at, self.content.count(b"\n", 0, at) + 1)]

    def place_of(self, line: int) -> list[_Place]:
        """The place where a line (1-based) starts; the line behind the last one starts at the end."""
        at = offset_of_line(self.content, 0, line - 1)
        return [] if at is None else [(at, line)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """Where an earlier hunk of the file went; `trail` counts its old lines behind its last change."""

    stated: int
    trail: int
    line: int
    olds: int
    news: int


def _context(hunk: Hunk) -> tuple[int, int]:
    signs = b"".join(sign for sign, _ in hunk.lines)
    return len(signs) - len(signs.lstrip(b" ")), len(signs) - len(signs.rstrip(b" "))


def _gnu_places(text: _Text, hunk: Hunk, old: bytes, stated: int, taken: Sequence[_Taken]) -> list[_Place]:
    """GNU patch: behind the last change; what shows an edge of the file only there; else the nearest place."""
    lead, trail = _context(hunk)
    frozen = taken[-1].line + taken[-1].olds - taken[-1].trail if taken else 1
    guess = stated + (taken[-1].line - taken[-1].stated if taken else 0)
    if not old:
        return text.place_of(guess) if guess >= frozen else []
    if lead < trail and stated <= 1:
        return [place for place in text.place_of(1) if frozen <= 1]
    if trail < lead:
        return [place for place in text.at_end(old) if place[1] >= frozen]
    return _nearest(text, old, guess, lambda line: line if line >= frozen else None)


def _git_places(text: _Text, hunk: Hunk, old: bytes, stated: int, taken: Sequence[_Taken]) -> list[_Place]:
    """git: from the new line number on the text as patched so far; an edge of the file where context is missing."""
    lead, trail = _context(hunk)
    bare = lead == trail == 0 and hunk.old_start > 0  # what `--unidiff-zero` is for

    def patched_line(line: int) -> int | None:
        olds = len(hunk.old())
        if any(line < other.line + other.olds and other.line < line + olds for other in taken):
            return None
        return line + sum(other.news - other.olds for other in taken if other.line < line)

    if not old or bare:
        here = text.place_of(stated)
        fits = [place for place in here if patched_line(place[1]) is not None]
        if not old or any(text.content.startswith(old, at) for at, _ in fits):
            return fits
    if hunk.old_start <= 1 and not bare:
        places = text.place_of(1) if not taken else []
        return [place for place in places if trail or place[0] + len(old) == len(text.content)]
    if trail == 0 and not bare:
        return [place for place in text.at_end(old) if patched_line(place[1]) is not None]
    return _nearest(text, old, hunk.new_start, patched_line)


def _nearest(text: _Text, old: bytes, guess: int, line_of: Callable[[int], int | None]) -> list[_Place]:
    """Places nearest to the guessed line first, below before above; `line_of` is None where a hunk must not go."""
    here = [
        place for place in text.place_of(guess) if line_of(guess) == guess and stands_at(text.content, place[0], old)
    ]
    if here:
        return here
    ranked = []
    for place in islice(text.near(old, guess), _MOST_PLACES):
        line = line_of(place[1])
        if line is not None:
            ranked.append((abs(line - guess), line < guess, place))
            if len(ranked) > _MOST_TOLD:
                break
    return [place for _, _, place in sorted(ranked)]


def _by_rule(text: _Text, hunk: Hunk, place: _Place, stated: int, old: bytes, new: bytes) -> Placement:
    at, line = place
    offset = line - stated
    others = [other for _, other in islice(text.near(old, line), _MOST_TOLD) if other != line] if offset else []
    notes: list[str] = []
    if offset:
        notes.append("by dialect rule, one way")
    if others:
        notes.append(f"its lines also stand at line {', '.join(map(str, others[:5]))}")
    changes = runs_at(hunk, at, line)
    twice = [other for other in _results(text, new, place, len(old)) if offset or abs(other - line) <= len(hunk.lines)]
    if not changes:
        twice = []
    if twice:
        notes.append(f"its result stands already at line {', '.join(map(str, twice[:5]))}")
    if not any(sign != b"+" for sign, _ in hunk.lines) and hunk.old_start > 0:
        notes.append("it has neither context nor removed lines: placed by its line number alone")
    if twice or others:
        fate = Fate.AMBIGUOUS
    else:
        fate = Fate.OFFSET if offset else Fate.EXACT
    return Placement(fate=fate, line=line, offset=offset, placed=True, runs=changes, notes=tuple(notes))


def _results(text: _Text, new: bytes, place: _Place, size: int) -> list[int]:
    """Lines where a hunk's result stands, other than inside its own old lines."""
    at, _ = place
    found = islice(text.near(new, place[1]), _MOST_PLACES)
    return [line for start, line in found if start < at or start + len(new) > at + size][:_MOST_TOLD]


def _nowhere(text: _Text, hunk: Hunk, stated: int, new: bytes) -> Placement:
    there = next(text.near(new, stated), None)
    if there is not None and any(sign != b" " for sign, _ in hunk.lines):
        at = there[1]
        note = f"its result stands at line {at}"
        return Placement(fate=Fate.ALREADY_THERE, line=at, offset=at - stated, placed=False, notes=(note,))
    return Placement(
        fate=Fate.CONFLICT,
        line=stated,
        offset=0,
        placed=False,
        notes=("its lines stand nowhere in the file where its dialect would take them",),
    )


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


def _stated(hunk: Hunk, content: bytes) -> Placement:
    """The hunk at exactly its stated line, or a conflict."""
    old = b"".join(hunk.old())
    stated = hunk.old_start if old else hunk.old_start + 1
    at = offset_of_line(content, 0, stated - 1)
    if at is None or not fits_at(content, at, old, b"".join(hunk.new())):
        note = "it does not fit the file that it was recorded on"
        return Placement(fate=Fate.CONFLICT, line=stated, offset=0, placed=False, notes=(note,))
    return Placement(fate=Fate.EXACT, line=stated, offset=0, placed=True, runs=runs_at(hunk, at, stated))


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


def _two_ways(text: _Text, merge: _Merge, hunk: Hunk, stated: Placement, shift: int) -> Placement:
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
