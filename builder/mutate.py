"""The mutation check: each block and fold is left out in turn, and one of its gates must go red.

Takes the bench and the good case; gives what the gates made of each mutant. A mutant's builds and sessions are kept
as any others, by key, and so is its outcome: an equal mutant under equal gates is not judged again.
"""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from builder.laying import Laying
from builder.measure import Bench
from builder.mutants import Mutant, NoMutant, mutants
from builder.part import on_part
from builder.plan import builds_of, needs_of
from verify.evidence import make_key
from verify.gates.case import Case
from verify.gates.concern import own_gates, shared_gates
from verify.judge import rule
from verify.model.codec import canonical_json, to_json
from verify.model.evidence import Evidence, Key
from verify.model.gate import GateDecl
from verify.model.mutation import GateOnMutant, MutationObservation, Noticed
from verify.model.observation import BuildObservation, decode_observation, encode_observation
from verify.model.stack import Stack
from verify.model.verdict import Failed, GateResult, Undecided
from verify.model.wording import count
from verify.report.json import outcome_word

RECIPE = "1"
_SHOWN_CODES = 6
Known = MutationObservation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutated:
    """A mutant's outcome, and the key of its record; no key where there was nothing to build."""

    observation: MutationObservation
    key: Key | None


def mutate(bench: Bench, case: Case, gates: tuple[GateDecl, ...], *, quick: bool) -> Iterator[Mutated]:
    """Every block and fold left out in turn, judged by the gates that concern it; `quick` stops at the first red."""
    if not isinstance(case.stack, Stack):
        return
    laying = Laying(case.release.blocks, case.stack, bench.stacked.store, bench.stacked.derived.objects)
    with bench.workshop.progress.stage("mutants") as stage:
        made = list(mutants(case.release.blocks, laying))
        bench.stacked.store.write(laying.objects())
        stage.outcome(count(len(made), "mutant"))
    for number, mutant in enumerate(made, start=1):
        match mutant:
            case NoMutant():
                yield Mutated(observation=_no_mutant(mutant), key=None)
            case Mutant():
                with bench.workshop.progress.stage(f"mutant {number}/{len(made)}, without {mutant.name()}") as stage:
                    found = _judged(bench, case, mutant, gates, quick=quick)
                    stage.outcome(f"noticed by {found.observation.noticed}")
                yield found


def known(bench: Bench, case: Case, gates: tuple[GateDecl, ...]) -> Iterator[tuple[Mutant | NoMutant, Known]]:
    """Every mutant with what was found of it before; None for one that nobody has judged under these gates."""
    if not isinstance(case.stack, Stack):
        return
    laying = Laying(case.release.blocks, case.stack, bench.stacked.store, bench.stacked.derived.objects)
    for mutant in mutants(case.release.blocks, laying):
        yield mutant, _no_mutant(mutant) if isinstance(mutant, NoMutant) else _recorded(bench, case, mutant, gates)


def _recorded(bench: Bench, case: Case, mutant: Mutant, gates: tuple[GateDecl, ...]) -> Known:
    asked = (*own_gates(gates, mutant.block), *shared_gates(gates))
    for quick in (False, True):
        record = bench.evidence.get(_key(bench, case, mutant, asked, quick=quick))
        if isinstance(record, Evidence):
            return decode_observation(MutationObservation, record.observation)
    return None


def _no_mutant(mutant: NoMutant) -> MutationObservation:
    block, fold = mutant.no_place.fold
    return MutationObservation(
        block=mutant.block,
        fold=mutant.fold,
        also=(),
        noticed=Noticed.TEXT,
        why=f"fold `{fold}` of block `{block}` has no place without it",
        gates=(),
        seconds=0.0,
    )


def _judged(bench: Bench, case: Case, mutant: Mutant, gates: tuple[GateDecl, ...], *, quick: bool) -> Mutated:
    own, shared = own_gates(gates, mutant.block), shared_gates(gates)
    key = _key(bench, case, mutant, (*own, *shared), quick=quick)
    record = bench.evidence.get(key)
    if isinstance(record, Evidence) and not bench.fresh:
        return Mutated(observation=decode_observation(MutationObservation, record.observation), key=key)
    started = time.monotonic()
    observation = _asked(bench, on_part(case, mutant.stack), mutant, (own, shared), quick=quick)
    observation = replace(observation, seconds=round(time.monotonic() - started, 1))
    if observation.noticed is not Noticed.UNDECIDED:  # what came of the machine must not stay
        bench.evidence.put(bench.witness.record(key, encode_observation(observation), observation.seconds))
    return Mutated(observation=observation, key=key)


def _key(bench: Bench, case: Case, mutant: Mutant, gates: Sequence[GateDecl], *, quick: bool) -> Key:
    trees = [[layer.block, layer.fold, layer.after] for layer in mutant.stack.layers]
    asked = [[gate.name, gate.kind, to_json(gate.params)] for gate in gates]
    return make_key(
        "mutation",
        {
            "mutant": mutant.name(),
            "base": case.base_tree,
            "stack": canonical_json(trees).decode().strip(),
            "gates": canonical_json(asked).decode().strip(),
            "configurations": canonical_json(to_json(case.release.configurations)).decode().strip(),
            "models": canonical_json(to_json(tuple(pin.sha256 for pin in case.release.models))).decode().strip(),
            "toolchain": bench.toolchain.digest,
            "hardware": f"{bench.machine.architecture}, {bench.machine.processor}",
            "recipe": f"{RECIPE}, {'the first that notices' if quick else 'every gate'}",
        },
    )


def _asked(
    bench: Bench,
    case: Case,
    mutant: Mutant,
    groups: tuple[tuple[GateDecl, ...], tuple[GateDecl, ...]],
    *,
    quick: bool,
) -> MutationObservation:
    """The block's own gates first; those of the release only where none of them noticed."""
    ends: list[tuple[GateDecl, GateResult]] = []
    broken = ""
    for group in groups:
        for gate in bench.measurable(group):
            broken = broken or _broken_build(bench, case, gate)
            if broken:
                break
            case = bench.all_steps(case, [gate])
            result = rule(gate, case)
            ends.append((gate, result))
            if quick and isinstance(result.outcome, Failed):
                break
        if broken or any(isinstance(result.outcome, Failed) for _, result in ends):
            break
    return MutationObservation(
        block=mutant.block,
        fold=mutant.fold,
        also=mutant.also,
        noticed=_noticed([result for _, result in ends], broken),
        why=broken,
        gates=tuple(_end(gate, result) for gate, result in ends),
        seconds=0.0,
    )


def _broken_build(bench: Bench, case: Case, gate: GateDecl) -> str:
    """The first error of a build that the gate needs and that fails; empty when all of them build."""
    needs = needs_of([gate], case)
    built = bench.build(case, bench.plan_builds(case, builds_of(needs, case)))
    for need in builds_of(needs, case):
        recorded = built.builds.get(need)
        if recorded is not None and not recorded.observation.ok:
            return _first_error(recorded.observation)
    return ""


def _first_error(seen: BuildObservation) -> str:
    if not seen.errors:
        return f"fails at {seen.failed_step}"
    error = seen.errors[0]
    return f"{error.file}:{error.line}: {error.text}"


def _noticed(results: Sequence[GateResult], broken: str) -> Noticed:
    if any(isinstance(result.outcome, Failed) for result in results):
        return Noticed.BEHAVIOUR
    if broken:
        return Noticed.BUILD
    if any(isinstance(result.outcome, Undecided) for result in results):
        return Noticed.UNDECIDED
    return Noticed.NOBODY


def _end(gate: GateDecl, result: GateResult) -> GateOnMutant:
    findings = result.outcome.findings if isinstance(result.outcome, Failed) else ()
    return GateOnMutant(
        gate=gate.name,
        block=gate.block,
        models=gate.models(),
        outcome=outcome_word(result.outcome),
        codes=tuple(dict.fromkeys(finding.code for finding in findings))[:_SHOWN_CODES],
        evidence=result.evidence,
    )
