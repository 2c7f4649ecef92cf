"""A bump in words and as JSON: every fold and hunk, blocks by cause, the drift table, and what is owed a look."""

from collections import Counter
from collections.abc import Iterator, Sequence

from builder.bump.analysis import Analysis
from builder.bump.outcome import CAUSES, OPEN, BumpedFold, Cause, Outcome, Piece, UpstreamChange
from builder.bump.stack_on import whole_blocks
from verify.model.block import Block
from verify.model.ids import show_path
from verify.model.wording import count as counted

_MOST_LINES = 6
_MOST_TOLD = 12


def told_lines(analysis: Analysis, blocks: Sequence[Block], *, every: bool) -> Iterator[str]:
    """What a person reads; with `every` also hunks that only moved, and all of what is owed."""
    bumped = analysis.bumped
    for fold in bumped.folds:
        yield f"{fold.block}/{fold.fold}: {_said(fold)}"
        for piece in fold.pieces:
            if every or piece.outcome not in (Outcome.UNCHANGED, Outcome.MOVED):
                yield from _piece(piece)
    for key in bumped.dropped:
        yield f"{key[0]}/{key[1]}: dropped"
    yield ""
    yield from _matrix(analysis, blocks)
    yield ""
    yield from _drift(analysis)
    for each in analysis.deletions:
        how = "in a resolved conflict" if each.decided else "without a decision"
        yield (
            f"removed {how}: {each.block}/{each.fold} takes {counted(len(each.texts), 'line')} from line "
            f"{each.line} of {show_path(each.path)} that upstream has added since"
        )
    for name in whole_blocks(bumped, blocks):
        yield f"upstream has all of block {name}: stackproof bump accept --drop {name}"
    for moved in analysis.renamed:
        alike = "the same content" if moved.alike == 1 else f"{moved.alike:.0%} of its lines"
        old, new = show_path(moved.old), show_path(moved.new)
        yield f"{old} may be {new} now ({alike}): stackproof bump --to … --follow {old}={new}"
    yield from _owed(analysis, every=every)


def _said(fold: BumpedFold) -> str:
    counts = Counter(piece.outcome for piece in fold.pieces if piece.hunk)
    parts = [f"{counts[outcome]} {outcome.value}" for outcome in Outcome if counts[outcome]]
    others = sorted({f"{block}/{name}" for piece in fold.pieces for block, name in piece.others})
    more = f", together with {', '.join(others)}" if others else ""
    hunks = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    share = _share(fold)
    return f"{fold.outcome.value}{hunks}{more}{share}"


def _share(fold: BumpedFold) -> str:
    lines = sum(piece.share.lines() for piece in fold.pieces)
    there = sum(piece.share.there() for piece in fold.pieces)
    return (
        f"; upstream has {there} of {lines} lines of these" if there and fold.outcome is not Outcome.UNCHANGED else ""
    )


def _piece(piece: Piece) -> Iterator[str]:
    where = f"hunk {piece.hunk} of {show_path(piece.path)}" if piece.hunk else show_path(piece.path)
    at = f", line {piece.line} ({piece.offset:+})" if piece.outcome not in OPEN and piece.line else ""
    cause = f": {CAUSES[piece.cause]}" if piece.cause is not Cause.NONE else ""
    if piece.waits_for is not None:
        cause = f": waits for {piece.waits_for[0]}/{piece.waits_for[1]}"
    yield f"  {where}: {piece.outcome.value}{at}{cause}"
    if piece.outcome in OPEN:
        for note in piece.notes:
            yield f"    {note}"
    if piece.outcome in OPEN or piece.outcome is Outcome.MERGED:
        for change in piece.upstream:
            yield from _upstream(change)


def _upstream(change: UpstreamChange, most: int | None = _MOST_LINES) -> Iterator[str]:
    yield f"    upstream, line {change.old_start} -> {change.new_start} of {show_path(change.path)}:"
    for sign, lines in (("-", change.removed), ("+", change.added)):
        for line in lines[:most]:
            yield f"      {sign}{_shown(line)}"
        if most is not None and len(lines) > most:
            yield f"      {sign} … {len(lines) - most} more"


def _matrix(analysis: Analysis, blocks: Sequence[Block]) -> Iterator[str]:
    """Blocks by cause: how many hunks."""
    counts = matrix(analysis)
    causes = [cause for cause in Cause if any(cause in row for row in counts.values())]
    if not causes:
        return
    widest = max(len(block.name) for block in blocks)
    yield "hunks by cause".ljust(widest) + "".join(f"  {cause.value}" for cause in causes)
    for block in blocks:
        row = counts.get(block.name, Counter())
        cells = "".join(f"  {row[cause] or '.':>{len(cause.value)}}" for cause in causes)
        yield block.name.ljust(max(widest, len("hunks by cause"))) + cells


def matrix(analysis: Analysis) -> dict[str, "Counter[Cause]"]:
    """How many pieces of each block stand under each cause."""
    counts: dict[str, Counter[Cause]] = {}
    for fold in analysis.bumped.folds:
        for piece in fold.pieces:
            counts.setdefault(fold.block, Counter())[piece.cause] += 1
    return counts


def _drift(analysis: Analysis) -> Iterator[str]:
    rows = analysis.drift.rows
    touched = [row for row in rows if row.upstream_added or row.upstream_removed or row.removed or row.added]
    strays = len(analysis.drift.strays)
    same = len(rows) - len([row for row in rows if row.removed or row.added])
    yield f"drift: {same} of {counted(len(rows), 'file')} changed exactly as before, {strays} lines undecided"
    for row in touched:
        git = {True: "git merges the same", False: "git merges otherwise", None: "git cannot say"}[row.merged_by_git]
        upstream = f"upstream -{row.upstream_removed}/+{row.upstream_added}"
        yield f"  {show_path(row.path)}: {upstream}, not as before {row.removed + row.added}; {git}"


def _owed(analysis: Analysis, *, every: bool) -> Iterator[str]:
    meaning = analysis.meaning
    lines, upstream = meaning.lines(), analysis.upstream_lines()
    yield f"owed a look: {lines} of the {upstream} lines that upstream changed in the stack's files and what they use"
    shown = meaning.owed if every else meaning.owed[:_MOST_TOLD]
    known: set[tuple[UpstreamChange, ...]] = set()
    for each in shown:
        hunks = f", hunk{'s' if len(each.hunks) > 1 else ''} {', '.join(map(str, each.hunks))}" if each.hunks else ""
        size = f"{show_path(each.path)}, {counted(each.lines(), 'line')}"
        above = ", told above" if every and each.changes in known else ""
        yield f"  {each.block}/{each.fold}{hunks} {each.why}: {each.name} ({size}{above})"
        if every and not above:
            known.add(each.changes)
            for change in each.changes:
                yield from _upstream(change, most=None)
    if len(meaning.owed) > len(shown):
        yield f"  and {len(meaning.owed) - len(shown)} more; --all tells them"
    for path in meaning.unread:
        yield f"  {show_path(path)}: no grammar is known, so its surroundings were not judged"


def told_data(analysis: Analysis, blocks: Sequence[Block]) -> dict[str, object]:
    """Everything for programs."""
    bumped = analysis.bumped
    return {
        "base_tree": bumped.base,
        "tip_tree": bumped.tip.id,
        "clean": analysis.is_clean(),
        "folds": [_fold_data(fold) for fold in bumped.folds],
        "dropped": [{"block": block, "fold": fold} for block, fold in bumped.dropped],
        "matrix": {name: {cause.value: n for cause, n in row.items()} for name, row in matrix(analysis).items()},
        "drift": [
            {
                "path": show_path(row.path),
                "upstream": {"removed": row.upstream_removed, "added": row.upstream_added},
                "differs": {"removed": row.removed, "added": row.added, "undecided": row.undecided},
                "merged_by_git": row.merged_by_git,
            }
            for row in analysis.drift.rows
        ],
        "strays": [
            {"path": show_path(path), "block": i.block, "fold": i.fold, "sign": i.sign.decode(), "text": _shown(i.text)}
            for path, i in analysis.drift.strays
        ],
        "deletions": [
            {
                "block": e.block,
                "fold": e.fold,
                "path": show_path(e.path),
                "line": e.line,
                "decided": e.decided,
                "lines": _texts(e.texts),
            }
            for e in analysis.deletions
        ],
        "whole_blocks": list(whole_blocks(bumped, blocks)),
        "renamed": [
            {"old": show_path(e.old), "new": show_path(e.new), "alike": round(e.alike, 3)} for e in analysis.renamed
        ],
        "owed": {
            "lines": analysis.meaning.lines(),
            "of": analysis.upstream_lines(),
            "unread": [show_path(path) for path in analysis.meaning.unread],
            "places": [
                {
                    "block": e.block,
                    "fold": e.fold,
                    "why": e.why,
                    "name": e.name,
                    "path": show_path(e.path),
                    "hunks": list(e.hunks),
                    "changes": [_change_data(change) for change in e.changes],
                }
                for e in analysis.meaning.owed
            ],
        },
    }


def _fold_data(fold: BumpedFold) -> dict[str, object]:
    return {
        "block": fold.block,
        "fold": fold.fold,
        "outcome": fold.outcome.value,
        "before": fold.before,
        "tree": fold.tree.id,
        "resolutions": [{"key": e.key, "path": show_path(e.path), "result": e.result} for e in fold.resolutions],
        "pieces": [_piece_data(piece) for piece in fold.pieces],
    }


def _piece_data(piece: Piece) -> dict[str, object]:
    share = piece.share
    return {
        "path": show_path(piece.path),
        "hunk": piece.hunk,
        "outcome": piece.outcome.value,
        "cause": piece.cause.value,
        "line": piece.line,
        "offset": piece.offset,
        "notes": list(piece.notes),
        "waits_for": "/".join(piece.waits_for) if piece.waits_for is not None else None,
        "others": ["/".join(key) for key in piece.others],
        "upstream_has": {"lines": share.there(), "of": share.lines(), "by_reverse": share.by_reverse},
        "upstream": [_change_data(change) for change in piece.upstream],
    }


def _change_data(change: UpstreamChange) -> dict[str, object]:
    return {
        "path": show_path(change.path),
        "old_line": change.old_start,
        "new_line": change.new_start,
        "removed": _texts(change.removed),
        "added": _texts(change.added),
    }


def _texts(lines: Sequence[bytes]) -> list[str]:
    return [line.decode("utf-8", "backslashreplace") for line in lines]


def _shown(text: bytes) -> str:
    return text.rstrip(b"\r\n")[:110].decode("utf-8", "backslashreplace")
