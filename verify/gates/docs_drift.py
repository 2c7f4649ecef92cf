"""Rendered tables: what pages say between markers is what the release says."""

from collections.abc import Iterator
from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.diagnostic import Place as Where
from verify.model.evidence import Need
from verify.model.release import Release
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted
from verify.pages.tables import TABLES, Place, places_in, table_lines


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every table of every page against the release."""
    del params
    if case.documents is None:
        reason = Diagnostic(code="documents-not-read", message="nobody read the project's texts")
        return Undecided(summary="the project's texts are not known", reasons=(reason,))
    findings: list[Finding] = []
    count = 0
    for name, text in case.documents.items():
        if not name.endswith(".md"):
            continue
        for place in places_in(text):
            count += 1
            findings += _look(name, text.split("\n"), place, case.release)
    if findings:
        return Failed(
            summary=f"{counted(len(findings), 'table')} in pages not as the release says", findings=tuple(findings)
        )
    return Passed(summary=f"{counted(count, 'table')} in pages as rendered")


def _look(name: str, lines: list[str], place: Place, release: Release) -> Iterator[Finding]:
    where = Where(file=name, line=place.begin)
    if place.name not in TABLES:
        yield Diagnostic(
            code="docs-table-unknown",
            message=f"there is no table `{place.name}`",
            place=where,
            notes=(f"tables: {', '.join(TABLES)}",),
            help="stackproof docs list",
        )
    elif place.end is None:
        yield Diagnostic(
            code="docs-table-open",
            message=f"the table `{place.name}` has no end",
            place=where,
            help="add the line <!-- stackproof:end --> below it",
        )
    elif lines[place.begin : place.end - 1] != (wanted := table_lines(place.name, release)):
        met = lines[place.begin : place.end - 1]
        at = next((n for n, (a, b) in enumerate(zip(met, wanted, strict=False)) if a != b), min(len(met), len(wanted)))
        yield Diagnostic(
            code="docs-drift",
            message=f"the table `{place.name}` is not what the release says",
            place=Where(file=name, line=place.begin + 1 + at),
            notes=(
                f"expected: {wanted[at] if at < len(wanted) else 'nothing more'}",
                f"met:      {met[at] if at < len(met) else 'nothing more'}",
            ),
            help="stackproof docs render",
        )


KIND = Kind(
    name="docs-drift",
    about="tables in pages between stackproof's markers are what the release says",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
