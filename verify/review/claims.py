"""Runs claims on a tree: each holds, fails, or is undecided, with the places of the source that say so. Pure.

Takes claims, and where to find files and their outlines. A claim is undecided only where the grammar lost its way over
the span that it is about, or where an anchor or a function's name fits several places; what is not there any more makes
a claim fail, since the reviewer relied on it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import assert_never

from verify.model.block import Block
from verify.model.claim import Absent, Answer, Claim, ClaimResult, Count, Match, NoExit, OnlyCall, Untouched
from verify.model.glob import glob_matches
from verify.model.ids import BlockName, RepoPath, show_path
from verify.model.outline import Exit, ExitKind, Function, Outline, Span
from verify.model.release import Release
from verify.model.wording import count as counted
from verify.review.sources import Sources

_MOST = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    answer: Answer
    why: str
    matches: tuple[Match, ...] = ()


class _Stop(Exception):
    """The answer is known already: a file, a function or an anchor is not there, or is there twice."""

    def __init__(self, found: _Found) -> None:
        super().__init__(found.why)
        self.found = found


def claims_of(release: Release) -> Iterator[tuple[Block, Claim]]:
    """Every claim that can be run: those of blocks, and those that approvals on record rest on."""
    for block in release.blocks:
        yield from ((block, claim) for claim in block.runnable_claims)
        for record in release.reviews_of(block.name).records:
            yield from ((block, claim) for claim in record.runnable_claims)


def run_claims(release: Release, sources: Sources) -> tuple[ClaimResult, ...]:
    """Every claim that can be run, in order."""
    return tuple(run_claim(claim, block, sources) for block, claim in claims_of(release))


def run_claim(claim: Claim, block: Block, sources: Sources) -> ClaimResult:
    """One claim on one tree."""
    try:
        found = _run(claim, block, sources)
    except _Stop as stop:
        found = stop.found
    return ClaimResult(
        block=BlockName(block.name), claim=claim, answer=found.answer, why=found.why, matches=found.matches[:_MOST]
    )


def _run(claim: Claim, block: Block, sources: Sources) -> _Found:
    match claim:
        case OnlyCall():
            return _only_call(claim, _in_function(claim.file, claim.function, sources))
        case NoExit():
            return _no_exit(claim, _in_function(claim.file, claim.function, sources))
        case Absent():
            return _absent(claim, sources)
        case Untouched():
            return _untouched(claim, block)
        case Count():
            return _count(claim, sources)
        case _:
            assert_never(claim)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A function in a file."""

    path: RepoPath
    outline: Outline
    function: Function

    def matches(self, spans: Iterable[Span]) -> tuple[Match, ...]:
        return tuple(_match(self.path, self.outline, span) for span in spans)


def _in_function(path: RepoPath, name: str, sources: Sources) -> _Place:
    """The one function of this name, whole; anything else ends the matter."""
    outline = _outline(path, sources)
    found = outline.named(name.encode())
    if not found:
        within = [span for span in outline.broken if name.encode().rpartition(b"::")[2] in outline.of(span)]
        if within:
            raise _Stop(_broken(path, outline, within))
        raise _Stop(_Found(answer=Answer.FAILS, why=f"{show_path(path)} has no function `{name}` with a body"))
    if len(found) > 1:
        matches = tuple(_match(path, outline, each.span) for each in found)
        raise _Stop(_Found(answer=Answer.UNDECIDED, why=f"{len(found)} functions are named `{name}`", matches=matches))
    _refuse_broken(path, outline, found[0].span)
    return _Place(path=path, outline=outline, function=found[0])


def _outline(path: RepoPath, sources: Sources) -> Outline:
    if sources.content(path) is None:
        raise _Stop(_Found(answer=Answer.FAILS, why=f"there is no file {show_path(path)}"))
    outline = sources.outline(path)
    if outline is None:
        raise _Stop(_Found(answer=Answer.UNDECIDED, why=f"no grammar is known for {show_path(path)}"))
    return outline


def _refuse_broken(path: RepoPath, outline: Outline, span: Span) -> None:
    broken = outline.broken_in(span)
    if broken:
        raise _Stop(_broken(path, outline, broken))


def _broken(path: RepoPath, outline: Outline, spans: Iterable[Span]) -> _Found:
    matches = tuple(_match(path, outline, span) for span in spans)
    return _Found(answer=Answer.UNDECIDED, why="the grammar lost its way there", matches=matches)


def _anchor(text: str, place: _Place) -> Span:
    """The one place in the function's code that begins with this text."""
    found = list(_occurrences(text.encode(), place.outline, place.function.span))
    if not found:
        why = f"`{text}` is not in the code of `{place.function.name.decode('utf-8', 'replace')}`"
        raise _Stop(_Found(answer=Answer.FAILS, why=why))
    if len(found) > 1:
        why = f"`{text}` stands in {len(found)} places"
        raise _Stop(_Found(answer=Answer.UNDECIDED, why=why, matches=place.matches(found)))
    return found[0]


def _occurrences(text: bytes, outline: Outline, span: Span) -> Iterator[Span]:
    at = outline.text.find(text, span.start, span.end)
    while at >= 0:
        here = Span(start=at, end=at + len(text))
        if not any(comment.meets(here) for comment in outline.comments):
            yield here
        at = outline.text.find(text, at + 1, span.end)


def _only_call(claim: OnlyCall, place: _Place) -> _Found:
    outline, name = place.outline, claim.call.encode()
    anchor = _anchor(claim.inside, place)
    around = [
        span
        for span in (*outline.loops, *(call.span for call in outline.calls))
        if span.start == anchor.start and span.end >= anchor.end
    ]
    if not around:
        why = f"no loop and no call begins with `{claim.inside}`"
        return _Found(answer=Answer.FAILS, why=why, matches=place.matches([anchor]))
    inside = min(around, key=lambda span: span.end)
    calls = [call.span for call in outline.calls if call.name == name and place.function.body.holds(call.span)]
    hidden = [span for span in outline.blanked if place.function.body.holds(span) and _has_word(outline.of(span), name)]
    if hidden:
        why = f"`{claim.call}` stands among the arguments of a macro that no grammar reads"
        return _Found(answer=Answer.UNDECIDED, why=why, matches=place.matches(hidden))
    outside = [span for span in calls if not inside.holds(span)]
    if outside:
        why = f"{counted(len(outside), 'call')} of `{claim.call}` outside of `{claim.inside}`"
        return _Found(answer=Answer.FAILS, why=why, matches=place.matches(outside))
    if not calls:
        return _Found(answer=Answer.FAILS, why=f"`{claim.call}` is not called any more")
    if claim.times is not None and len(calls) != claim.times:
        why = f"{counted(len(calls), 'call')} of `{claim.call}` inside, expected {claim.times}"
        return _Found(answer=Answer.FAILS, why=why, matches=place.matches(calls))
    why = f"{counted(len(calls), 'call')} of `{claim.call}`, inside of `{claim.inside}`"
    return _Found(answer=Answer.HOLDS, why=why, matches=place.matches([inside, *calls]))


def _no_exit(claim: NoExit, place: _Place) -> _Found:
    start, end = _anchor(claim.start, place), _anchor(claim.end, place)
    if end.start < start.end:
        why = f"`{claim.end}` stands before `{claim.start}`"
        return _Found(answer=Answer.FAILS, why=why, matches=place.matches([start, end]))
    between = Span(start=start.end, end=end.start)
    inner = [span for span in place.outline.inner if between.holds(span)]
    inner += [each.span for each in place.outline.functions if between.holds(each.span)]
    leaving = [
        each.span
        for each in place.outline.exits
        if each.kind in claim.exits
        and between.holds(each.span)
        and not any(span.holds(each.span) for span in inner)
        and not _stays(each, between, place.outline.loops)
    ]
    words = ", ".join(kind.value for kind in claim.exits)
    if leaving:
        why = f"{counted(len(leaving), 'exit')} ({words}) in between"
        return _Found(answer=Answer.FAILS, why=why, matches=place.matches(leaving))
    return _Found(answer=Answer.HOLDS, why=f"no {words} in between", matches=place.matches([start, end]))


def _stays(each: Exit, between: Span, loops: Sequence[Span]) -> bool:
    """Whether an exit leaves nothing but a loop that lies in between itself."""
    if each.kind not in (ExitKind.BREAK, ExitKind.CONTINUE):
        return False
    return any(between.holds(loop) and loop.holds(each.span) for loop in loops)


def _absent(claim: Absent, sources: Sources) -> _Found:
    name = claim.symbol.encode()
    files = [path for path in sources.paths() if any(glob_matches(each, path) for each in claim.files)]
    if not files:
        return _Found(answer=Answer.FAILS, why=f"no file is named {', '.join(claim.files)}")
    found: list[Match] = []
    for path in files:
        content = sources.content(path)
        if content is None or (not claim.function and not _has_word(content, name)):
            continue
        if claim.function:
            place = _in_function(path, claim.function, sources)
            outline, span = place.outline, place.function.span
        else:
            outline, span = _outline(path, sources), Span(start=0, end=len(content))
        uses = [each for each in outline.uses_in(span) if each.text == name]
        found += (_match(path, outline, Span(start=each.start, end=each.start + len(name))) for each in uses)
        # A part that could not be read is no trouble as long as the name is not in it.
        broken = [each for each in outline.broken_in(span) if _has_word(outline.of(each), name)]
        if broken and not uses:
            return _broken(path, outline, broken)
    if found:
        why = f"`{claim.symbol}` is used {len(found)} times"
        return _Found(answer=Answer.FAILS, why=why, matches=tuple(found))
    return _Found(answer=Answer.HOLDS, why=f"`{claim.symbol}` is in the code of none of {counted(len(files), 'file')}")


def _untouched(claim: Untouched, block: Block) -> _Found:
    touched = {
        path
        for fold in block.folds
        for change in fold.patch.files
        for path in (change.old_path, change.new_path)
        if path is not None and any(glob_matches(each, path) for each in claim.files)
    }
    if touched:
        why = f"the block changes {', '.join(show_path(path) for path in sorted(touched))}"
        return _Found(answer=Answer.FAILS, why=why)
    return _Found(answer=Answer.HOLDS, why=f"no fold changes {', '.join(claim.files)}")


def _count(claim: Count, sources: Sources) -> _Found:
    if claim.function:
        place = _in_function(claim.file, claim.function, sources)
        outline, span = place.outline, place.function.span
    else:
        outline = _outline(claim.file, sources)
        span = Span(start=0, end=len(outline.text))
    spans = [
        here
        for match in re.compile(claim.pattern.encode()).finditer(outline.text, span.start, span.end)
        if not any(comment.meets(here := Span(start=match.start(), end=match.end())) for comment in outline.comments)
    ]
    matches = tuple(_match(claim.file, outline, each) for each in spans)
    answer = Answer.HOLDS if len(spans) == claim.times else Answer.FAILS
    return _Found(answer=answer, why=f"`{claim.pattern}` matches {len(spans)} of {claim.times} times", matches=matches)


def _has_word(text: bytes, word: bytes) -> bool:
    return re.search(rb"(?<![A-Za-z0-9_])" + re.escape(word) + rb"(?![A-Za-z0-9_])", text) is not None


def _match(path: RepoPath, outline: Outline, span: Span) -> Match:
    start = outline.text.rfind(b"\n", 0, span.start) + 1
    end = outline.text.find(b"\n", span.start)
    line = outline.text[start : end if end >= 0 else len(outline.text)].strip()
    return Match(file=path, line=outline.line_of(span.start), text=line[:160].decode("utf-8", "backslashreplace"))
