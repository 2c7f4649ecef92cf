"""A hunk without a recorded file goes by the rule of its dialect: one way, and whatever was not at its line is told.

git and GNU patch search differently, and each is followed to the letter, since a series was made to be applied by one
of them. Where a rule had to choose between equal places, or the result stands there already, the fate says so.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from builder.hunks import fits_at, stands_at
from builder.placement import Fate, Placement, runs_at
from builder.whole_lines import Place, WholeLines
from verify.diff.submission import Dialect
from verify.model.patch import Hunk

_MOST_PLACES = 1000  # equal places that are looked at
_MOST_TOLD = 8


def place_by_rule(
    content: bytes, hunks: Sequence[Hunk], dialect: Dialect, *, changed: bool = False
) -> tuple[Placement, ...]:
    """Every hunk by its dialect's rule, one way: there is no recorded preimage.

    `changed` says that the file is known to be another one than the patch was made on. Then a hunk is not placed whose
    result stands where it would go, since the rule might make it twice (hazard E4); nor, in git's dialect, one whose
    lines stand in several places, even at its very line (hazard E3). GNU patch's series are made with that rule in mind
    and go by it; what it chose is told.
    """
    text = WholeLines(content)
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
        placement = _by_rule(text, hunk, places[0], stated, old, new, changed=changed)
        unsure = dialect is Dialect.GIT and placement.fate is Fate.AMBIGUOUS
        if changed and (unsure or _stands_here(text, placement, hunk, places[0], old, new)):
            placements.append(replace(placement, fate=Fate.AMBIGUOUS, placed=False, runs=()))
            continue
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


def _gnu_places(text: WholeLines, hunk: Hunk, old: bytes, stated: int, taken: Sequence[_Taken]) -> list[Place]:
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


def _git_places(text: WholeLines, hunk: Hunk, old: bytes, stated: int, taken: Sequence[_Taken]) -> list[Place]:
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


def _nearest(text: WholeLines, old: bytes, guess: int, line_of: Callable[[int], int | None]) -> list[Place]:
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


def _by_rule(
    text: WholeLines, hunk: Hunk, place: Place, stated: int, old: bytes, new: bytes, *, changed: bool
) -> Placement:
    at, line = place
    offset = line - stated
    found = islice(text.near(old, line), _MOST_TOLD) if offset or changed else ()
    others = [other for _, other in found if other != line]
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


def _stands_here(text: WholeLines, placement: Placement, hunk: Hunk, place: Place, old: bytes, new: bytes) -> bool:
    """Whether the hunk's result overlaps the place where the hunk would go."""
    found = _results(text, new, place, len(old)) if placement.runs else []
    return any(abs(line - placement.line) < len(hunk.lines) for line in found)


def _results(text: WholeLines, new: bytes, place: Place, size: int) -> list[int]:
    """Lines where a hunk's result stands, other than inside its own old lines."""
    at, _ = place
    found = islice(text.near(new, place[1]), _MOST_PLACES)
    return [line for start, line in found if start < at or start + len(new) > at + size][:_MOST_TOLD]


def _nowhere(text: WholeLines, hunk: Hunk, stated: int, new: bytes) -> Placement:
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
