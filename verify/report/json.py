"""Diagnostics and verdicts as JSON values: for `--json`, reports and bundles. Keys are stable; nothing is left out."""

from typing import assert_never

from verify.model.diagnostic import Diagnostic, Place
from verify.model.verdict import (
    CannotJudge,
    Deferred,
    DoesNotHold,
    Failed,
    GateResult,
    Holds,
    Outcome,
    Passed,
    Subject,
    Undecided,
    Verdict,
    Waived,
)


def diagnostic_json(diagnostic: Diagnostic) -> dict[str, object]:
    """One diagnostic."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "place": None if diagnostic.place is None else _place(diagnostic.place),
        "notes": list(diagnostic.notes),
        "help": diagnostic.help,
    }


def _place(place: Place) -> dict[str, object]:
    return {
        "file": place.file,
        "line": place.line,
        "column": place.column,
        "width": place.width,
        "excerpt": place.excerpt,
        "label": place.label,
    }


def verdict_json(verdict: Verdict) -> dict[str, object]:
    """A verdict: its word, the very release it is about, and every gate's result."""
    return {
        "verdict": verdict_word(verdict),
        "subject": subject_json(verdict.subject),
        "results": [result_json(result) for result in verdict.results],
    }


def verdict_word(verdict: Verdict) -> str:
    """The verdict in one word."""
    match verdict:
        case Holds():
            return "holds"
        case DoesNotHold():
            return "does-not-hold"
        case CannotJudge():
            return "cannot-judge"
        case _:
            assert_never(verdict)


def subject_json(subject: Subject) -> dict[str, object]:
    """What was judged."""
    return {
        "release": subject.release,
        "digest": subject.digest,
        "base_tree": subject.base_tree,
        "tip_tree": subject.tip_tree,
        "tip_commit": subject.tip_commit,
    }


def result_json(result: GateResult) -> dict[str, object]:
    """One gate's end; the keys that follow `outcome` depend on it."""
    return {
        "gate": result.gate,
        "kind": result.kind,
        "block": result.block,
        "required": result.required,
        "evidence": list(result.evidence),
        "outcome": outcome_word(result.outcome),
        "summary": result.outcome.summary,
        **_more(result.outcome),
    }


def outcome_word(outcome: Outcome) -> str:
    """How a gate ended, in one word."""
    match outcome:
        case Passed():
            return "passed"
        case Failed():
            return "failed"
        case Waived():
            return "waived"
        case Undecided():
            return "undecided"
        case Deferred():
            return "deferred"
        case _:
            assert_never(outcome)


def _more(outcome: Outcome) -> dict[str, object]:
    match outcome:
        case Passed():
            return {}
        case Failed():
            accepted = {"accepted": [diagnostic_json(each) for each in outcome.accepted]} if outcome.accepted else {}
            return {"findings": [diagnostic_json(finding) for finding in outcome.findings], **accepted}
        case Waived():
            findings = [diagnostic_json(finding) for finding in outcome.findings]
            return {"deviation": outcome.deviation, "findings": findings}
        case Undecided():
            return {"reasons": [diagnostic_json(reason) for reason in outcome.reasons]}
        case Deferred():
            return {"hardware": outcome.hardware}
        case _:
            assert_never(outcome)
