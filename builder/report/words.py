"""The verdict in words, and everything that does not hold or is not known: what stands at the top of the page."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from builder.report.facts import Facts
from builder.report.view import Cell, Problem, Table
from verify.gates.concern import behavioural
from verify.gates.kinds import KINDS
from verify.judge import exit_code
from verify.model.diagnostic import Diagnostic, ExitCode
from verify.model.gate import GateDecl
from verify.model.stack import Stack
from verify.model.verdict import Deferred, Failed, GateResult, Passed, Undecided, Waived
from verify.model.wording import count
from verify.report.json import outcome_word

STATES = {
    ExitCode.HOLDS: "holds",
    ExitCode.DOES_NOT_HOLD: "does-not-hold",
    ExitCode.CANNOT_JUDGE: "cannot-judge",
}
_SENTENCES = {
    "holds": "This release holds.",
    "does-not-hold": "This release does not hold.",
    "cannot-judge": "Nobody can say yet whether this release holds.",
}
ENDS = ("passed", "failed", "waived", "undecided", "deferred")


def state_of(results: Sequence[GateResult]) -> str:
    """The verdict in one word."""
    return STATES[exit_code(tuple(results))]


def sentence_of(state: str) -> str:
    """The verdict as a sentence."""
    return _SENTENCES[state]


def words_of(facts: Facts) -> Iterator[str]:
    """What the verdict comes from: required gates by how they ended, then the rest."""
    required = [each for each in facts.results if each.required]
    ends = Counter(outcome_word(each.outcome) for each in required)
    said = {
        "failed": f"{count(ends['failed'], 'required gate')} failed",
        "undecided": f"{ends['undecided']} could not be decided",
        "waived": f"{ends['waived']} waived by an accepted deviation",
        "deferred": f"{ends['deferred']} owed to other hardware",
    }
    left = [text for end, text in said.items() if ends[end]]
    if not required:
        yield "It declares no required gate, and an empty list holds nothing."
    elif not left:
        yield f"All {count(len(required), 'required gate')} passed."
    else:
        yield f"{ends['passed']} of {count(len(required), 'required gate')} passed; {', '.join(left)}."
    optional = [each for each in facts.results if not each.required]
    if optional:
        good = sum(isinstance(each.outcome, Passed) for each in optional)
        yield f"Of {count(len(optional), 'gate')} that are not required {good} passed."
    if isinstance(facts.case.stack, Stack):
        folds, blocks = len(facts.case.stack.layers), len(facts.case.release.blocks)
        kept = [each for each in facts.results if each.kind == "tree-equal"]
        proven = ", every layer at its recorded tree" if all(isinstance(each.outcome, Passed) for each in kept) else ""
        yield f"{count(folds, 'fold')} in {count(blocks, 'block')} lie on the base{proven if kept else ''}."


def area_of(gate: GateDecl) -> str:
    """Under which heading a gate is told."""
    if gate.block is not None:
        return f"block {gate.block}"
    if KINDS[gate.kind].structural:
        return "files and trees"
    return "what the engine does" if behavioural(gate) else "builds"


def glance_of(areas: Mapping[str, Sequence[GateResult]]) -> Table:
    """How many gates of each area ended how."""
    rows = []
    for area, results in areas.items():
        ends = Counter(outcome_word(each.outcome) for each in results)
        cells = (Cell(text=str(ends[end]), number=True, idle=not ends[end]) for end in ENDS)
        rows.append((Cell(text=area), *cells))
    return Table(caption="Gates by what they look at", heads=("about", *ENDS), rows=tuple(rows), dense=True, signs=ENDS)


def failing_of(facts: Facts, anchors: Mapping[str, str]) -> Iterator[Problem]:
    """Every finding of every gate that failed."""
    for result in facts.results:
        if isinstance(result.outcome, Failed):
            for found in result.outcome.findings:
                yield problem(found, gate=title_of(result), href=anchors[title_of(result)], state="failed")


def unknown_of(facts: Facts, anchors: Mapping[str, str]) -> Table:
    """Every gate that could not be decided, by the first reason; what has the same next step is one row."""
    groups: dict[tuple[str, str], list[GateResult]] = {}
    for result in facts.results:
        if isinstance(result.outcome, Undecided):
            reasons = result.outcome.reasons
            key = (reasons[0].code, reasons[0].help) if reasons else (result.gate, "")
            groups.setdefault(key, []).append(result)
    return Table(
        caption="Gates that could not be decided",
        heads=("why it is not known", "gates", "what to do"),
        rows=tuple(
            (
                Cell(text=_reason(code, results), more=() if len(results) == 1 else (f"as {_first(results)}",)),
                Cell(text="", links=tuple((anchors[title_of(each)], _optional(each)) for each in results)),
                Cell(text=step, fixed=True),
            )
            for (code, step), results in groups.items()
        ),
        empty="Every gate was decided.",
        level=0,
    )


def _reason(code: str, results: Sequence[GateResult]) -> str:
    """The one reason as it is, several of a kind by their number."""
    if len(results) == 1:
        return _first(results)
    words = {"not-probed": "were not measured", "not-built": "lack a build", "not-compared": "lack a comparison"}
    return f"{count(len(results), 'gate')} {words.get(code, 'have reasons of one kind')}"


def _first(results: Sequence[GateResult]) -> str:
    outcome = results[0].outcome
    reasons = outcome.reasons if isinstance(outcome, Undecided) else ()
    others = f" (and {count(len(reasons) - 1, 'other reason')})" if len(reasons) > 1 and len(results) == 1 else ""
    return f"{reasons[0].message if reasons else outcome.summary}{others}"


def _optional(result: GateResult) -> str:
    return title_of(result) if result.required else f"{title_of(result)} (not required)"


def problem(found: Diagnostic, *, gate: str = "", href: str = "", state: str = "") -> Problem:
    """A diagnostic as it is shown."""
    place = found.place
    where = (
        "" if place is None else ":".join([place.file, *(str(n) for n in (place.line, place.column) if n is not None)])
    )
    return Problem(
        gate=gate,
        href=href,
        state=state,
        code=found.code,
        message=found.message,
        place=where,
        notes=found.notes,
        help=found.help,
    )


def title_of(result: GateResult) -> str:
    """A gate's name, with the block that declares it."""
    return f"{result.block}/{result.gate}" if result.block else result.gate


def debts_of(results: Sequence[GateResult]) -> Iterator[tuple[str, str, str]]:
    """What is left open by a verdict: gate, how, and by which deviation or for which hardware."""
    for result in results:
        match result.outcome:
            case Waived(deviation=deviation):
                yield title_of(result), "waived", f"accepted deviation {deviation}"
            case Deferred(hardware=hardware):
                yield title_of(result), "deferred", hardware
            case _:
                pass
