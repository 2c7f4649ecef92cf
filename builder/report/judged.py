"""Every gate with how it ended, what was seen, and the evidence that this rests on."""

from collections.abc import Iterator, Mapping, Sequence

from builder.report.facts import Facts
from builder.report.view import Cell, Table
from builder.report.words import area_of, title_of
from verify.gates.battery import gates_of
from verify.model.gate import GateDecl
from verify.model.verdict import GateResult
from verify.report.json import outcome_word

REGISTER = "files and trees"


def anchors_of(results: Sequence[GateResult]) -> dict[str, str]:
    """Where on the page each gate stands."""
    return {title_of(result): f"#gate-{number}" for number, result in enumerate(results, start=1)}


def areas_of(facts: Facts) -> dict[str, list[GateResult]]:
    """The gates under their headings, in the order of the release; what belongs to no declared gate is of the files."""
    declared = {(gate.block, gate.name): gate for gate in gates_of(facts.case.release)}
    found: dict[str, list[GateResult]] = {}
    for result in facts.results:
        gate: GateDecl | None = declared.get((result.block, result.gate))
        found.setdefault(area_of(gate) if gate else REGISTER, []).append(result)
    return found


def gates_tables(
    areas: Mapping[str, Sequence[GateResult]], anchors: Mapping[str, str], evidence: frozenset[str]
) -> Iterator[Table]:
    """One table an area; `evidence` are the records that the page has."""
    for area, results in areas.items():
        measured = any(each.evidence for each in results)
        yield Table(
            caption=f"{area[:1].upper()}{area[1:]}",
            heads=("gate", "outcome", "what was seen", *(("rests on",) if measured else ())),
            rows=tuple(_row(each, anchors, evidence, measured=measured) for each in results),
        )


def _row(
    result: GateResult, anchors: Mapping[str, str], evidence: frozenset[str], *, measured: bool
) -> tuple[Cell, ...]:
    required = () if result.required else ("not required",)
    word = outcome_word(result.outcome)
    keys = tuple((f"#e-{key}" if key in evidence else "", key[:8]) for key in result.evidence)
    kind = () if result.kind == result.gate else (result.kind,)
    rests = (Cell(text="" if keys else "nothing measured", links=keys),) if measured else ()
    return (
        Cell(text=result.gate, id=anchors[title_of(result)].removeprefix("#"), more=(*kind, *required)),
        Cell(text=word, state=word),
        Cell(text=result.outcome.summary),
        *rests,
    )
