"""What is covered: gates by kind, model and block, and what each block's absence turns red."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TypeVar

from builder.report.facts import Facts, MutantFact
from builder.report.view import Cell, Table
from builder.report.words import ENDS
from verify.gates.battery import gates_of
from verify.gates.concern import behavioural
from verify.model.gate import GateDecl
from verify.model.ids import BlockName, GateName, ModelName
from verify.model.mutation import MutationObservation, Noticed
from verify.model.verdict import GateResult
from verify.report.json import outcome_word

C = TypeVar("C")
_MOST_MODELS, _MOST_MUTANTS = 10, 8
"""How many columns have room beside each other."""
_NOTICED = {
    Noticed.BEHAVIOUR: "passed",
    Noticed.BUILD: "passed",
    Noticed.TEXT: "passed",
    Noticed.NOBODY: "failed",
    Noticed.UNDECIDED: "undecided",
}
_ON_MUTANT = {"failed": "red", "passed": "green"}


def coverage_of(facts: Facts) -> Iterator[Table]:
    """Kinds by model, for the release and each block; then each block with the gates that are its own."""
    release = facts.case.release
    gates = [gate for gate in gates_of(release) if behavioural(gate)]
    ends = {(each.block, each.gate): each for each in facts.results}
    models = [pin.name for pin in release.models]
    rows = dict.fromkeys((gate.block, gate.kind) for gate in gates)
    columns = [*models, *((None,) if any(not gate.models() for gate in gates) else ())]
    for number, some in enumerate(_parts(columns, _MOST_MODELS)):
        yield Table(
            caption="Which kinds of gates look at which models" + (", further models" if number else ""),
            note="" if number else "How many gates ended how: the signs are those of the table at the top.",
            heads=("kind", "declared by", *(model or "no model" for model in some)),
            rows=tuple(
                (
                    Cell(text=kind),
                    Cell(text=block or "release"),
                    *(_cell(_of(gates, block, kind, model), ends) for model in some),
                )
                for block, kind in rows
            ),
            empty="No gate looks at what the built engine does.",
            dense=True,
        )
    yield Table(
        caption="Which gates are a block's own",
        heads=("block", "its own gates", "models", "without it"),
        rows=tuple(_block(block.name, gates, facts.mutants) for block in release.blocks),
        empty="There is no block.",
    )


def _of(gates: Sequence[GateDecl], block: BlockName | None, kind: str, model: ModelName | None) -> list[GateDecl]:
    return [
        gate
        for gate in gates
        if (gate.block, gate.kind) == (block, kind) and (model in gate.models() if model else not gate.models())
    ]


def _cell(gates: Sequence[GateDecl], ends: Mapping[tuple[BlockName | None, GateName], GateResult]) -> Cell:
    words = Counter(outcome_word(ends[gate.block, gate.name].outcome) for gate in gates)
    if not words:
        return Cell(text="none", idle=True)
    return Cell(text="", tally=tuple((word, words[word]) for word in ENDS if words[word]))


def _parts(columns: Sequence[C], most: int) -> Iterator[Sequence[C]]:
    """So many columns as stand side by side, then the next; one empty part where there are none."""
    yield from (columns[at : at + most] for at in range(0, max(len(columns), 1), most))


def _block(block: BlockName, gates: Sequence[GateDecl], mutants: Sequence[MutantFact]) -> tuple[Cell, ...]:
    own = [gate for gate in gates if gate.block == block]
    models = dict.fromkeys(model for gate in own for model in gate.models())
    return (
        Cell(text=block, href=f"#block-{block}"),
        Cell(text=", ".join(gate.name for gate in own) or "none", state="" if own else "undecided"),
        Cell(text=", ".join(models) or "none"),
        _noticed(next((each for each in mutants if each.name == block), None)),
    )


def _noticed(mutant: MutantFact | None) -> Cell:
    if mutant is None or mutant.observation is None:
        return Cell(text="nobody has asked", state="undecided")
    seen = mutant.observation
    red = [gate.gate for gate in seen.gates if gate.outcome == "failed"]
    said = f"noticed by {seen.noticed.value}" if seen.noticed is not Noticed.UNDECIDED else "not decided"
    return Cell(text=said, state=_NOTICED[seen.noticed], more=(", ".join(red),) if red else ())


def mutants_of(facts: Facts) -> Iterator[Table]:
    """Each mutant with what noticed it, and every gate that was asked of it."""
    yield Table(
        caption="Each block and fold left out in turn",
        level=4,
        heads=("without", "noticed by", "gates that went red", "why"),
        rows=tuple(_mutant(each) for each in facts.mutants),
        empty="There is nothing to leave out, or the stack sticks.",
    )
    asked = [each for each in facts.mutants if each.observation is not None and each.observation.gates]
    names = dict.fromkeys(gate.gate for each in asked if each.observation for gate in each.observation.gates)
    for some in _parts(asked, _MOST_MUTANTS) if asked else ():
        yield Table(
            caption="Every gate that was asked without a block or fold",
            level=4,
            heads=("gate", *(f"without {each.name}" for each in some)),
            rows=tuple(
                (Cell(text=name), *(_asked(name, each.observation) for each in some if each.observation))
                for name in names
            ),
            dense=True,
        )


def _mutant(each: MutantFact) -> tuple[Cell, ...]:
    seen = each.observation
    if seen is None:
        to_do = Cell(text="stackproof gate --mutate", fixed=True)
        return (Cell(text=each.name), Cell(text="nobody has asked", state="undecided"), Cell(text="not known"), to_do)
    also = (f"with it go {', '.join(seen.also)}",) if seen.also else ()
    red = [f"{gate.gate} ({', '.join(gate.codes)})" for gate in seen.gates if gate.outcome == "failed"]
    return (
        Cell(text=each.name, more=also),
        Cell(text=seen.noticed.value, state=_NOTICED[seen.noticed]),
        Cell(text="; ".join(red) or "none"),
        Cell(text=seen.why),
    )


def _asked(name: str, seen: MutationObservation) -> Cell:
    end = next((gate.outcome for gate in seen.gates if gate.gate == name), None)
    if end is None:
        return Cell(text="not asked", idle=True)
    word = _ON_MUTANT.get(end, end)
    # red is what is wanted of a mutant, so it is no failure here
    return Cell(text=word, state={"red": "passed", "green": "", "undecided": "undecided"}.get(word, ""))
