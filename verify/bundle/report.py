"""What a check of a bundle found, as plain text for people and as one JSON value for programs."""

from verify.bundle.check import Checked, Report
from verify.model.diagnostic import ExitCode
from verify.model.verdict import Failed, Undecided
from verify.report.json import diagnostic_json, outcome_word
from verify.report.terminal import render_diagnostics, visible

SCHEMA = "stackproof/verify/1"
_ENDS = {
    ExitCode.HOLDS: "holds",
    ExitCode.DOES_NOT_HOLD: "does not hold",
    ExitCode.CANNOT_JUDGE: "cannot be judged",
    ExitCode.OUR_DEFECT: "was not checked: a defect of the checker",
}


def report_text(report: Report) -> str:
    """The checks as a table, every finding, what was not checked, and the end in one line."""
    width = max(len(check.name) for check in report.checks)
    lines = [
        f"{outcome_word(check.outcome):<9}  {check.name:<{width}}  {_line(check.outcome.summary)}"
        for check in report.checks
    ]
    told = render_diagnostics((*report.findings(), *report.reasons()))
    if told:
        lines += ["", told.rstrip("\n")]
    lines += ["", "Not checked:", *(f"- {what}" for what in report.unchecked)]
    lines += ["", f"bundle {_line(report.release) or '(of no known release)'} {_ENDS[report.exit_code()]}"]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return visible(text).replace("\n", " ")[:400]


def report_json(report: Report) -> dict[str, object]:
    """The same for programs."""
    return {
        "schema": SCHEMA,
        "exit": int(report.exit_code()),
        "release": report.release,
        "checks": [_check(check) for check in report.checks],
        "not_checked": list(report.unchecked),
    }


def _check(check: Checked) -> dict[str, object]:
    outcome = check.outcome
    told: dict[str, object] = {"check": check.name, "outcome": outcome_word(outcome), "summary": outcome.summary}
    if isinstance(outcome, Failed):
        told["findings"] = [diagnostic_json(finding) for finding in outcome.findings]
    if isinstance(outcome, Undecided):
        told["reasons"] = [diagnostic_json(reason) for reason in outcome.reasons]
    return told
