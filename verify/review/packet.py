"""The review packet: the smallest thing to read so that every fold stands again, in words and as lines. Pure.

What is the same is named and not shown. Of what is owed the lines are shown, and beside them what changed upstream
that they mean something else by. One value, three spellings: terminal, Markdown for a pull request, JSON.
"""

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from verify.model.claim import Answer, ClaimResult
from verify.model.ids import BlockName, FoldId, RepoPath, show_path
from verify.model.patch import FileChange, Patch
from verify.model.review import Grade
from verify.model.wording import count as counted
from verify.review.standing import ConditionState, FoldStanding, Standings, State

SAME = (State.APPROVED, State.CARRIED)


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedFile:
    """Lines of a file that nobody has approved yet, each with its sign; `gone` are approved lines that are no more."""

    path: RepoPath
    lines: tuple[tuple[bytes, bytes], ...]
    gone: tuple[tuple[bytes, bytes], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OwedReason:
    """Something else to be read: where, why, and the lines of a diff beside it."""

    path: RepoPath
    line: int
    why: str
    delta: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PacketFold:
    """One fold of the packet; `files` and `reasons` are empty where nothing is owed."""

    block: BlockName
    fold: FoldId
    subject: str
    state: State
    grade: Grade | None
    approved_by: tuple[str, ...]
    why: str
    files: tuple[OwedFile, ...]
    reasons: tuple[OwedReason, ...]

    def owed(self) -> int:
        """How many lines are to be read: changed lines that nobody approved, and changed lines beside them."""
        beside = sum(line[:1] in (b"+", b"-") for reason in self.reasons for line in reason.delta)
        return sum(len(file.lines) for file in self.files) + beside


@dataclass(frozen=True, slots=True, kw_only=True)
class Packet:
    """What is to be read, what is not, which claims hold, and what stays conditional."""

    folds: tuple[PacketFold, ...]
    claims: tuple[ClaimResult, ...]
    conditions: tuple[ConditionState, ...]

    def owed(self) -> int:
        """How many lines are to be read in all."""
        return sum(fold.owed() for fold in self.folds)


def make_packet(
    standings: Standings,
    claims: Iterable[ClaimResult],
    *,
    subjects: Mapping[tuple[BlockName, FoldId], str],
    patches: Mapping[tuple[BlockName, FoldId], tuple[Patch | None, Patch]],
    only: frozenset[tuple[BlockName, FoldId]] = frozenset(),
) -> Packet:
    """The packet of all folds, or of those in `only`; `patches` are a fold's approved one (None: none) and its own."""
    folds = tuple(
        _fold(each, subjects[each.block, each.fold], *patches[each.block, each.fold])
        for each in standings.folds
        if not only or (each.block, each.fold) in only
    )
    blocks = {each.block for each in folds}
    return Packet(
        folds=tuple(_told_once(folds)),
        claims=tuple(each for each in claims if each.block in blocks),
        conditions=tuple(each for each in standings.conditions if each.block in blocks),
    )


def _fold(standing: FoldStanding, subject: str, approved: Patch | None, present: Patch) -> PacketFold:
    best = standing.approvals[0] if standing.approvals else None
    reasons: tuple[OwedReason, ...] = ()
    files: tuple[OwedFile, ...] = ()
    if standing.state not in SAME:
        graded = best.graded if best is not None else None
        changed = graded is None or graded.grade is Grade.CHANGED
        files = tuple(owed_lines(approved, present)) if changed else ()
        reasons = tuple(
            OwedReason(path=each.path, line=each.line, why=each.why, delta=each.delta)
            for each in (graded.reasons if graded is not None and not changed else ())
        )
    return PacketFold(
        block=standing.block,
        fold=standing.fold,
        subject=subject,
        state=standing.state,
        grade=None if best is None else best.grade(),
        approved_by=() if best is None else best.reviewers(),
        why="nobody has reviewed it" if best is None else best.why,
        files=files,
        reasons=reasons,
    )


def _told_once(folds: Iterable[PacketFold]) -> Iterator[PacketFold]:
    """The folds with every delta shown at the first that owes it, since the next reader of the packet knows it then."""
    shown: dict[tuple[RepoPath, tuple[bytes, ...]], str] = {}
    for fold in folds:
        reasons = []
        for each in fold.reasons:
            lines = tuple(line for line in each.delta if line[:1] in (b"+", b"-"))
            by = shown.setdefault((each.path, lines), f"{fold.block}/{fold.fold}")
            if lines and by != f"{fold.block}/{fold.fold}":
                each = replace(each, why=f"{each.why}; the lines are shown with {by}", delta=())
            reasons.append(each)
        yield replace(fold, reasons=tuple(reasons))


def owed_lines(approved: Patch | None, present: Patch) -> Iterator[OwedFile]:
    """Changed lines of the present patch that the approved one does not have, file by file, and the other way about."""
    old = {_path(change): _signed(change) for change in approved.files} if approved is not None else {}
    new = {_path(change): _signed(change) for change in present.files}
    for path in sorted(old.keys() | new.keys()):
        was, now = old.get(path, []), new.get(path, [])
        matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
        lines: list[tuple[bytes, bytes]] = []
        gone: list[tuple[bytes, bytes]] = []
        for tag, first, last, start, end in matcher.get_opcodes():
            if tag != "equal":
                gone += was[first:last]
                lines += now[start:end]
        if lines or gone:
            yield OwedFile(path=path, lines=tuple(lines), gone=tuple(gone))


def _signed(change: FileChange) -> list[tuple[bytes, bytes]]:
    told = [(sign, text) for hunk in change.hunks for sign, text in hunk.lines if sign != b" "]
    if change.action.value != "modify":
        told.insert(0, (b"!", f"{change.action.value} {show_path(_path(change))}\n".encode()))
    if change.new_mode is not None and change.new_mode != change.old_mode:
        told.insert(0, (b"!", f"mode {change.old_mode or 'none'} to {change.new_mode}\n".encode()))
    if change.binary is not None:
        told.append((b"!", f"binary contents {change.old_blob} to {change.new_blob}\n".encode()))
    return told


def _path(change: FileChange) -> RepoPath:
    return change.new_path or change.old_path or RepoPath(b"")


def packet_text(packet: Packet) -> str:
    """For the terminal."""
    return "\n".join(_text(packet))


def _text(packet: Packet) -> Iterator[str]:
    yield from words(packet)
    for fold in packet.folds:
        if fold.state in SAME:
            continue
        yield ""
        yield f"{fold.block}/{fold.fold}: {fold.subject}"
        yield f"  {fold.state}; {fold.why}"
        for file in fold.files:
            yield f"  {show_path(file.path)}: lines that nobody approved"
            yield from (f"    {_line(sign, text)}" for sign, text in file.lines)
            if file.gone:
                yield f"  {show_path(file.path)}: approved lines that are gone"
                yield from (f"    {_line(sign, text)}" for sign, text in file.gone)
        for reason in fold.reasons:
            yield f"  {_where(reason)}: {reason.why}"
            yield from (f"    {line.decode('utf-8', 'backslashreplace')}" for line in reason.delta)


def packet_markdown(packet: Packet) -> str:
    """For a pull request."""
    return "\n".join(_markdown(packet)) + "\n"


def _markdown(packet: Packet) -> Iterator[str]:
    yield "### Review"
    yield ""
    yield from (f"- {line}" for line in words(packet))
    for fold in packet.folds:
        if fold.state in SAME:
            continue
        yield ""
        yield f"#### `{fold.block}/{fold.fold}`: {_escaped(fold.subject)}"
        yield ""
        yield f"{fold.state}; {_escaped(fold.why)}"
        for file in fold.files:
            yield from _fenced(f"`{show_path(file.path)}`, lines that nobody approved", file.lines)
            if file.gone:
                yield from _fenced(f"`{show_path(file.path)}`, approved lines that are gone", file.gone)
        for reason in fold.reasons:
            pairs = [(line[:1], line[1:]) for line in reason.delta]
            yield from _fenced(f"`{_where(reason)}`: {_escaped(reason.why)}", pairs)


def _fenced(head: str, lines: Iterable[tuple[bytes, bytes]]) -> Iterator[str]:
    told = [_line(sign, text) for sign, text in lines]
    yield ""
    yield head
    if told:
        longest = max((len(run) for line in told for run in _runs_of_ticks(line)), default=0)
        fence = "`" * max(3, longest + 1)
        yield ""
        yield f"{fence}diff"
        yield from told
        yield fence


def _runs_of_ticks(line: str) -> Iterator[str]:
    run = ""
    for character in line + " ":
        if character == "`":
            run += character
        elif run:
            yield run
            run = ""


def packet_json(packet: Packet) -> dict[str, object]:
    """For programs."""
    return {
        "owed": packet.owed(),
        "words": list(words(packet)),
        "folds": [
            {
                "block": fold.block,
                "fold": fold.fold,
                "state": fold.state.value,
                "grade": None if fold.grade is None else fold.grade.value,
                "approved_by": list(fold.approved_by),
                "why": fold.why,
                "owed": fold.owed(),
                "files": [
                    {
                        "path": show_path(file.path),
                        "lines": [_line(sign, text) for sign, text in file.lines],
                        "gone": [_line(sign, text) for sign, text in file.gone],
                    }
                    for file in fold.files
                ],
                "reasons": [
                    {
                        "path": show_path(reason.path),
                        "line": reason.line,
                        "why": reason.why,
                        "delta": [line.decode("utf-8", "backslashreplace") for line in reason.delta],
                    }
                    for reason in fold.reasons
                ],
            }
            for fold in packet.folds
        ],
        "claims": [claim_json(each) for each in packet.claims],
        "conditions": [condition_json(each) for each in packet.conditions],
    }


def claim_json(result: ClaimResult) -> dict[str, object]:
    """One claim's answer."""
    return {
        "block": result.block,
        "says": result.claim.says,
        "answer": result.answer.value,
        "why": result.why,
        "matches": [{"file": show_path(each.file), "line": each.line, "text": each.text} for each in result.matches],
    }


def condition_json(each: ConditionState) -> dict[str, object]:
    """One condition of an approval that stands."""
    return {
        "block": each.block,
        "review": each.record.file,
        "id": each.condition.id,
        "kind": each.condition.kind.value,
        "says": each.condition.says,
        "met": [receipt.file for receipt in each.met],
        "missing": list(each.missing),
    }


def words(packet: Packet) -> Iterator[str]:
    """The packet in sentences: what is identical, what else changed, which claims hold, what stays conditional."""
    same = [fold for fold in packet.folds if fold.state in SAME]
    if same:
        yield f"{counted(len(same), 'fold')} of {len(packet.folds)} need not be read: " + ", ".join(
            f"{fold.block}/{fold.fold} ({fold.grade}, approved by {', '.join(fold.approved_by)})" for fold in same
        )
    for fold in packet.folds:
        if fold.state in SAME:
            continue
        parts = [
            f"{show_path(file.path)} +{_signs(file, b'+')}/-{_signs(file, b'-')}"
            + (f", {counted(len(file.gone), 'approved line')} gone" if file.gone else "")
            for file in fold.files
        ]
        parts += [f"{_where(reason)}: {reason.why}" for reason in fold.reasons]
        lines = counted(fold.owed(), "line")
        yield f"{fold.block}/{fold.fold} {fold.state}, {lines} to read" + (f": {'; '.join(parts)}" if parts else "")
    for result in packet.claims:
        at = f" at {show_path(result.matches[0].file)}:{result.matches[0].line}" if result.matches else ""
        word = {Answer.HOLDS: "holds", Answer.FAILS: "does not hold", Answer.UNDECIDED: "cannot be decided"}
        yield f"claim of {result.block} {word[result.answer]}{at}: {result.claim.says} ({result.why})"
    for each in packet.conditions:
        if each.holds():
            yield f"condition `{each.condition.id}` is met at this head: {each.condition.says}"
        else:
            yield f"condition `{each.condition.id}` is open ({', '.join(each.missing)}): {each.condition.says}"


def _signs(file: OwedFile, sign: bytes) -> int:
    return sum(each == sign for each, _ in file.lines)


def _where(reason: OwedReason) -> str:
    return f"{show_path(reason.path)}:{reason.line}" if reason.line else show_path(reason.path)


def _line(sign: bytes, text: bytes) -> str:
    return (sign + text.rstrip(b"\r\n")).decode("utf-8", "backslashreplace")


def _escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_[]<>#|@" else each for each in text)
