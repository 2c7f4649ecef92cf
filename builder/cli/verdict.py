"""Results of gates as an answer: a table for people, JSON for programs, every finding as a diagnostic."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from builder.cli.session import Answer
from builder.cli.tables import table
from verify.judge import exit_code
from verify.model.diagnostic import Diagnostic, ExitCode
from verify.model.verdict import Deferred, Failed, GateResult, Outcome, Passed, Undecided, Waived
from verify.report.json import outcome_word, result_json
from verify.waive import debts

WORDS = {ExitCode.HOLDS: "holds", ExitCode.DOES_NOT_HOLD: "does not hold", ExitCode.CANNOT_JUDGE: "cannot be judged"}


def answer_of(
    results: Sequence[GateResult],
    *,
    what: str,
    more: Mapping[str, object] | None = None,
    also: Sequence[Diagnostic] = (),
) -> Answer:
    """The answer of a command that judged: `what` was judged, `more` goes into the JSON, `also` is told as well."""
    status = exit_code(tuple(results))
    rows = [(outcome_word(each.outcome), _name(each), each.outcome.summary) for each in results]
    # Where something failed, that is the news: what was left undone because of it would only hide it.
    failed = status is ExitCode.DOES_NOT_HOLD
    heard = [each for each in results if not (failed and isinstance(each.outcome, Undecided))]
    told = dict.fromkeys((*also, *(found for each in heard for found in findings_of(each.outcome))))
    left = debts(results)
    return Answer(
        text=f"{table(('outcome', 'gate', ''), rows)}\n\n{what} {WORDS[status]}" + (f"; {left}" if left else ""),
        data={"verdict": WORDS[status], "results": [result_json(each) for each in results], **(more or {})},
        diagnostics=tuple(told),
        exit=status,
    )


def findings_of(outcome: Outcome) -> tuple[Diagnostic, ...]:
    """What an outcome has to tell beside its summary."""
    match outcome:
        case Failed(findings=findings) | Waived(findings=findings):
            return findings
        case Undecided(reasons=reasons):
            return reasons
        case Passed() | Deferred():
            return ()
        case _:
            assert_never(outcome)


def _name(result: GateResult) -> str:
    optional = "" if result.required else " (not required)"
    return f"{result.block}/{result.gate}{optional}" if result.block else f"{result.gate}{optional}"
