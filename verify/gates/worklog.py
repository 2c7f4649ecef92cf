"""The worklog: where a project keeps one, its numbers are sound and every mention of an entry finds it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted
from verify.pages.worklog import FILE, Entry, entries_of, references_in


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every entry's number, and every reference in every text of the project."""
    del params
    if case.documents is None:
        reason = Diagnostic(code="documents-not-read", message="nobody read the project's texts")
        return Undecided(summary="the project's texts are not known", reasons=(reason,))
    text = case.documents.get(FILE)
    if text is None:
        return Passed(summary=f"the project keeps no {FILE}")
    entries = entries_of(text)
    findings = (*_numbers(entries), *_dangling(entries, case.documents))
    if findings:
        return Failed(
            summary=f"{counted(len(findings), 'fault')} in the worklog or in references to it", findings=findings
        )
    references = sum(1 for each in case.documents.values() for _ in references_in(each, entries))
    return Passed(
        summary=f"{counted(len(entries), 'entry')}, {counted(references - len(entries), 'reference')} to them"
    )


def _numbers(entries: tuple[Entry, ...]) -> Iterator[Finding]:
    seen: dict[str, Entry] = {}
    last = ""
    for entry in entries:
        if not entry.well_formed:
            yield _finding("worklog-number", entry, "is not numbered YYMMDD.NNN")
        elif entry.number in seen:
            yield _finding("worklog-repeated", entry, f"has the number of the entry in line {seen[entry.number].line}")
        elif entry.number < last:
            yield _finding("worklog-order", entry, f"stands behind {last}")
        seen.setdefault(entry.number, entry)
        last = max(last, entry.number) if entry.well_formed else last


def _dangling(entries: tuple[Entry, ...], documents: Mapping[str, str]) -> Iterator[Finding]:
    known = {entry.number for entry in entries}
    for name, text in documents.items():
        for reference in references_in(text, entries):
            if reference.number not in known:
                yield Diagnostic(
                    code="worklog-dangling",
                    message=f"{name} refers to {reference.number}, and {FILE} has no such entry",
                    place=Place(file=name, line=reference.line, column=reference.column, width=len(reference.number)),
                    help="stackproof worklog list",
                )


def _finding(code: str, entry: Entry, what: str) -> Finding:
    return Diagnostic(
        code=code,
        message=f"the entry `{entry.number} {entry.title}` {what}",
        place=Place(file=FILE, line=entry.line),
        help='stackproof worklog add "Title" gives the next free number',
    )


KIND = Kind(
    name="worklog",
    about="where there is a WORKLOG.md, its entries are numbered and every mention of one exists",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
