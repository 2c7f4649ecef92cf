"""`stackproof gate --mutate`: which gates notice that a block or a fold is missing, as a table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from builder.cli.session import Answer
from builder.cli.tables import table
from builder.mutate import Mutated, mutate
from verify.gates.case import Case
from verify.model.codec import to_json
from verify.model.diagnostic import Diagnostic, ExitCode, Place
from verify.model.gate import GateDecl
from verify.model.mutation import GateOnMutant, MutationObservation, Noticed

if TYPE_CHECKING:
    from builder.measure import Bench

_CELLS = {"failed": "red", "passed": "green", "waived": "waived", "undecided": "?", "deferred": "-"}


def mutate_answer(bench: "Bench", case: Case, gates: tuple[GateDecl, ...], *, quick: bool, markdown: bool) -> Answer:
    """Every mutant with what noticed it; exit status 1 when one of them was noticed by nobody."""
    found = tuple(mutate(bench, case, gates, quick=quick))
    seen = [each.observation for each in found]
    findings = tuple(_finding(each, case) for each in seen if each.noticed in (Noticed.NOBODY, Noticed.UNDECIDED))
    by = [each.noticed for each in seen]
    status = (
        ExitCode.DOES_NOT_HOLD
        if Noticed.NOBODY in by
        else ExitCode.CANNOT_JUDGE
        if Noticed.UNDECIDED in by or not seen
        else ExitCode.HOLDS
    )
    told = _markdown(seen) if markdown else f"{_mutants(seen)}\n\n{_coverage(seen)}" if seen else "there is no block"
    return Answer(
        text=told,
        data={"mutants": [_json(each) for each in found], "coverage": _cells(seen)},
        diagnostics=findings,
        exit=status,
    )


def _json(each: Mutated) -> dict[str, object]:
    value = to_json(each.observation)
    assert isinstance(value, dict)
    return {"name": each.observation.name(), "key": each.key.digest if each.key else None, **value}


def _mutants(seen: Sequence[MutationObservation]) -> str:
    rows = []
    for each in seen:
        red = [gate for gate in each.gates if gate.outcome == "failed"]
        said = "; ".join(f"{gate.gate}: {', '.join(gate.codes)}" for gate in red) or each.why
        also = f" (and {', '.join(each.also)})" if each.also else ""
        rows.append((f"{each.name()}{also}", each.noticed.value, f"{each.seconds:.0f} s", said))
    return table(("without", "noticed by", "took", ""), rows)


def _gates(seen: Sequence[MutationObservation]) -> list[GateOnMutant]:
    return list({gate.gate: gate for each in seen for gate in each.gates}.values())


def _cells(seen: Sequence[MutationObservation]) -> list[dict[str, object]]:
    """Gates × models × mutants, one entry for each that was asked."""
    return [
        {"gate": gate.gate, "model": model, "without": each.name(), "outcome": gate.outcome}
        for each in seen
        for gate in each.gates
        for model in gate.models or (None,)
    ]


def _rows(seen: Sequence[MutationObservation]) -> list[tuple[str, ...]]:
    rows = []
    for gate in _gates(seen):
        ends = [next((one.outcome for one in each.gates if one.gate == gate.gate), None) for each in seen]
        rows.append((gate.gate, ", ".join(gate.models), *("" if end is None else _CELLS[end] for end in ends)))
    return rows


def _coverage(seen: Sequence[MutationObservation]) -> str:
    return table(("gate", "models", *(each.name() for each in seen)), _rows(seen))


def _markdown(seen: Sequence[MutationObservation]) -> str:
    head = ("gate", "models", *(f"without `{each.name()}`" for each in seen))
    by = ("noticed by", "", *(f"**{each.noticed.value}**" for each in seen))
    lines = [head, tuple("---" for _ in head), *_rows(seen), by]
    return "\n".join(f"| {' | '.join(row)} |" for row in lines)


def _finding(each: MutationObservation, case: Case) -> Diagnostic:
    file = next((block.file for block in case.release.blocks if block.name == each.block), "release.json")
    asked = ", ".join(f"`{gate.gate}` {gate.outcome}" for gate in each.gates) or "no gate"
    if each.noticed is Noticed.UNDECIDED:
        return Diagnostic(
            code="mutant-undecided",
            message=f"nobody can say whether it would be noticed that `{each.name()}` is missing",
            place=Place(file=file),
            notes=(f"asked: {asked}",),
            help="stackproof gate --mutate  # once the gates can be decided",
        )
    return Diagnostic(
        code="mutant-survives",
        message=f"nobody notices that `{each.name()}` is missing",
        place=Place(file=file),
        notes=(f"asked: {asked}",),
        help=f"declare a gate in {file} that goes red without it",
    )
