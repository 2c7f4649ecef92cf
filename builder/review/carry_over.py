"""Approvals taken over to where the folds stand now, each by a certificate, as records of their own.

What carries by itself is carried; what asks for a word is carried when somebody gives one; what asks for a review is
left alone. A carry is only written after its certificate was checked once more, by git and another way of reading.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from builder.review.add import Written, new_record, written
from builder.review.check_again import check_again
from builder.review.survey import Reviewed
from verify.model.block import Person
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName
from verify.model.review import Record, RecordKind, ReviewedFold
from verify.review.standing import Approval, FoldStanding, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """What somebody says to folds whose grade asks for a word."""

    by: Person
    text: str


def plan_carry(
    reviewed: Reviewed, *, date: str, word: Word | None, key: Path | None
) -> tuple[Written, tuple[Diagnostic, ...]]:
    """A record for every approval that can be carried, and every certificate that did not stand the second look."""
    groups: dict[tuple[BlockName, str, bool], list[ReviewedFold]] = {}
    people: dict[tuple[BlockName, str, bool], Person] = {}
    doubts: list[Diagnostic] = []
    for fold, approval in _to_carry(reviewed, word):
        assert approval.graded is not None
        problems = check_again(reviewed, fold.block, fold.fold, approval.entry, approval.graded.certificate)
        if problems:
            doubts.append(_doubt(fold, problems))
            continue
        last = approval.chain[-1]
        by_word = fold.state is State.NEEDS_WORD
        group = fold.block, str(last.id), by_word
        people[group] = word.by if by_word and word is not None else last.reviewer
        groups.setdefault(group, []).append(
            ReviewedFold(
                fold=fold.fold,
                change=fold.present,
                of=approval.entry.change.patch,
                certificate=approval.graded.certificate,
            )
        )
    records = tuple(_records(reviewed, groups, people, date, word))
    return written(reviewed, records, key=key), tuple(doubts)


def _records(
    reviewed: Reviewed,
    groups: Mapping[tuple[BlockName, str, bool], list[ReviewedFold]],
    people: Mapping[tuple[BlockName, str, bool], Person],
    date: str,
    word: Word | None,
) -> Iterator[Record]:
    for (block, follows, by_word), entries in groups.items():
        record = new_record(reviewed, block, RecordKind.CARRY, follows, tuple(entries), people[block, follows, by_word])
        yield replace(
            record,
            date=date,
            scope="carried by certificate: " + ", ".join(sorted({_grade(each) for each in entries})),
            word=word.text if by_word and word is not None else "",
        )


def _grade(entry: ReviewedFold) -> str:
    return "" if entry.certificate is None else entry.certificate.grade.value


def _to_carry(reviewed: Reviewed, word: Word | None) -> Iterator[tuple[FoldStanding, Approval]]:
    wanted = (State.CARRIED, State.NEEDS_WORD) if word is not None else (State.CARRIED,)
    for fold in reviewed.survey().standings.folds:
        for approval in fold.approvals:
            if approval.state in wanted and approval.graded is not None:
                yield fold, approval


def _doubt(fold: FoldStanding, problems: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        code="certificate-doubtful",
        message=f"the certificate for fold `{fold.fold}` of block `{fold.block}` does not stand a second look",
        notes=problems,
        help="review the fold again; this is a defect of stackproof, so please keep both patches and report it",
    )
