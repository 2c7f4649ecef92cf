"""What an import did, hunk by hunk, for people and for programs: nothing that was not exactly as stated is hidden."""

from collections import Counter
from collections.abc import Iterable, Iterator

from builder.exchange.lay_submission import HunkFate, SectionNote
from builder.exchange.stack_in import FoldReport, StackIn
from builder.placement import Fate
from verify.model.ids import show_path

_MOST_TOLD = 40


def told_lines(taken: StackIn) -> Iterator[str]:
    """A summary, and each hunk or section that was not exactly what it said."""
    counts = Counter(fate.placement.fate for report in taken.reports for fate in report.fates)
    total = ", ".join(f"{counts[fate]} {fate.value}" for fate in Fate if counts[fate])
    yield f"{len(taken.reports)} folds; hunks: {total or 'none'}"
    lines = [line for report in taken.reports for line in _loose(report)]
    yield from lines[:_MOST_TOLD]
    if len(lines) > _MOST_TOLD:
        yield f"  and {len(lines) - _MOST_TOLD} more; --json tells all"


def _loose(report: FoldReport) -> Iterator[str]:
    return loose_lines(report.fates, report.notes, of=f"{report.block}/{report.fold}, ")


def loose_lines(fates: Iterable[HunkFate], notes: Iterable[SectionNote], *, of: str = "") -> Iterator[str]:
    """Each hunk or section that was not exactly what it said."""
    for fate in fates:
        placement = fate.placement
        where = f"  {of}line {fate.source_line}: {show_path(fate.path)}"
        if placement.fate is not Fate.EXACT and not (placement.fate is Fate.OFFSET and placement.offset == 0):
            said = f" ({'; '.join(placement.notes)})" if placement.notes else ""
            yield f"{where}: {placement.fate.value} {placement.offset:+} at line {placement.line}{said}"
        if fate.reason:
            yield f"{where}: hunk {fate.number} is {fate.reason}"
    for note in notes:
        yield f"  {of}line {note.source_line}: {show_path(note.path)} {note.reason}"


def told_fold(report: FoldReport) -> dict[str, object]:
    """One fold as JSON."""
    return {
        "block": report.block,
        "fold": report.fold,
        "hunks": [
            {
                "path": show_path(fate.path),
                "hunk": fate.number,
                "source_line": fate.source_line,
                "fate": fate.placement.fate.value,
                "line": fate.placement.line,
                "offset": fate.placement.offset,
                "canonical": [{"path": show_path(path), "hunk": number} for path, number in fate.homes],
                "reason": fate.reason or None,
                "notes": list(fate.placement.notes),
            }
            for fate in report.fates
        ],
        "sections": [
            {"path": show_path(note.path), "source_line": note.source_line, "reason": note.reason}
            for note in report.notes
        ],
    }
