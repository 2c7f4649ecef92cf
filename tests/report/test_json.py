"""Diagnostics and results as JSON values: every part is there, under a stable key."""

import json

from verify.model.diagnostic import Diagnostic, Place, Severity
from verify.model.ids import BlockName, CommitId, GateName, ReleaseName, Sha256, TreeId
from verify.model.verdict import (
    CannotJudge,
    Deferred,
    DoesNotHold,
    Failed,
    GateResult,
    Outcome,
    Passed,
    Subject,
    Undecided,
    Waived,
)
from verify.report.json import diagnostic_json, result_json, verdict_json

FOUND = Diagnostic(
    code="x-y",
    message="m",
    place=Place(file="f", line=2, column=3, excerpt="text", width=4, label="l"),
    notes=("n",),
    help="h",
    severity=Severity.WARNING,
)
SUBJECT = Subject(
    release=ReleaseName("r1"),
    digest=Sha256("0" * 64),
    base_tree=TreeId("1" * 40),
    tip_tree=TreeId("2" * 40),
    tip_commit=CommitId("3" * 40),
)


def result(outcome: Outcome) -> GateResult:
    return GateResult(
        gate=GateName("g"), kind="k", block=BlockName("b"), required=True, outcome=outcome, evidence=(Sha256("4" * 64),)
    )


def test_a_diagnostic_keeps_every_part() -> None:
    assert diagnostic_json(FOUND) == {
        "code": "x-y",
        "severity": "warning",
        "message": "m",
        "place": {"file": "f", "line": 2, "column": 3, "width": 4, "excerpt": "text", "label": "l"},
        "notes": ["n"],
        "help": "h",
    }


def test_a_diagnostic_without_a_place_says_so() -> None:
    assert diagnostic_json(Diagnostic(code="x", message="m"))["place"] is None


def test_every_outcome_has_its_word_and_what_it_rests_on() -> None:
    found = [diagnostic_json(FOUND)]
    rest = {"gate": "g", "kind": "k", "block": "b", "required": True, "evidence": ["4" * 64], "summary": "s"}
    outcomes: list[tuple[Outcome, dict[str, object]]] = [
        (Passed(summary="s"), {"outcome": "passed"}),
        (Failed(summary="s", findings=(FOUND,)), {"outcome": "failed", "findings": found}),
        (
            Waived(summary="s", deviation="d", findings=(FOUND,)),
            {"outcome": "waived", "deviation": "d", "findings": found},
        ),
        (Undecided(summary="s", reasons=(FOUND,)), {"outcome": "undecided", "reasons": found}),
        (Deferred(summary="s", hardware="h"), {"outcome": "deferred", "hardware": "h"}),
    ]
    for outcome, expected in outcomes:
        assert result_json(result(outcome)) == rest | expected


def test_a_verdict_names_its_very_release() -> None:
    value = verdict_json(DoesNotHold(subject=SUBJECT, results=(result(Passed(summary="s")),)))
    assert value["verdict"] == "does-not-hold"
    assert value["subject"] == {
        "release": "r1",
        "digest": "0" * 64,
        "base_tree": "1" * 40,
        "tip_tree": "2" * 40,
        "tip_commit": "3" * 40,
    }
    assert verdict_json(CannotJudge(subject=SUBJECT, results=()))["verdict"] == "cannot-judge"


def test_text_that_is_no_unicode_still_becomes_json() -> None:
    value = diagnostic_json(Diagnostic(code="x", message="\udcff"))
    assert json.loads(json.dumps(value)) == value
