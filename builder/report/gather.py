"""Reads what a report is made of: the stack, and whatever the cache knows of its builds and measurements.

Builds and runs nothing. Where something cannot be looked up (no compiler, no model) the reason is kept, and what
depends on it stays undecided.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from builder import mutate, pipeline
from builder.compile.anatomy import kept_anatomy
from builder.compile.tools_record import tool_parts
from builder.measure import Bench
from builder.pipeline import Stacked, Workshop
from builder.report.facts import BuildFact, Facts, Foreign, MutantFact, Tools
from builder.review.packet import packet_of
from builder.review.survey import Reviewed
from builder.weight import Weighed, Weight, weigh
from verify.gates.battery import gates_of
from verify.gates.case import Case
from verify.judge import rulings
from verify.model.diagnostic import Diagnostic, Fault
from verify.model.evidence import BuildNeed, Evidence
from verify.model.gate import GateDecl
from verify.model.ids import BlockName
from verify.model.release import Release
from verify.model.stack import Stack
from verify.model.verdict import GateResult
from verify.review.packet import Packet


def gather(release: Release, workshop: Workshop) -> Facts:
    """Everything that is known of a release; raises faults only where there is no base to stack it on."""
    stacked = pipeline.stack(release, workshop)
    stacked.keep()
    troubles: list[Diagnostic] = []
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    case, gates = pipeline.case(stacked, workshop), gates_of(release)
    try:
        case = bench.known_steps(case, gates)
    except Fault as fault:
        troubles += fault.diagnostics
    results = rulings(release, case)
    builds = tuple(_builds(bench, case))
    return Facts(
        case=case,
        base_commit=stacked.imported.commit,
        results=results,
        builds=builds,
        records=_records(bench, results, builds),
        mutants=tuple(_mutants(bench, case, gates, troubles)),
        packet=_packet(stacked, case),
        tools=_tools(bench, troubles),
        foreign=tuple(_foreign(bench)),
        troubles=tuple(dict.fromkeys(troubles)),
    )


def _builds(bench: Bench, case: Case) -> Iterator[BuildFact]:
    """Every proof, from the base upwards, each weighed against what it stands on."""
    below = {
        (tree, configuration.name): (lower, beneath)
        for configuration in case.release.configurations
        for (lower, beneath), (_, tree) in pairwise(case.prefix_trees())
    }
    alone = {each.tree: each.block for each in case.alone or () if each.without is None}
    prefixes: dict[object, BlockName | None] = {tree: block for block, tree in reversed(case.prefix_trees())}
    for need in bench.proofs(case):
        lower, beneath = below.get((need.tree, need.configuration), (None, case.base_tree))
        base = need.tree == case.base_tree
        yield BuildFact(
            title=bench.title(case, need),
            block=prefixes.get(need.tree, alone.get(need.tree)),
            need=need,
            built=case.builds.get(need),
            reasons=case.missing((need,)),
            below="" if base else lower or "base",
            weight=None if base else _weight(bench, need, BuildNeed(tree=beneath, configuration=need.configuration)),
        )


def _weight(bench: Bench, need: BuildNeed, below: BuildNeed) -> Weight | None:
    weighed = []
    for each in (need, below):
        built = bench.built.get(each)
        if built is None:
            return None
        anatomy = kept_anatomy(built.folder) if built.folder is not None else None
        weighed.append(Weighed(observation=built.observation, anatomy=anatomy, exports=None))
    return weigh(*weighed)


def _records(bench: Bench, results: Sequence[GateResult], builds: Sequence[BuildFact]) -> tuple[Evidence, ...]:
    """Every record that a gate's end or a build rests on, builds first, in the order of the gates."""
    wanted = dict.fromkeys(each.built.key for each in builds if each.built is not None)
    wanted |= dict.fromkeys(key for result in results for key in result.evidence)
    found = (bench.evidence.named(key) for key in wanted)
    records = [each for each in found if isinstance(each, Evidence)]
    return tuple(sorted(records, key=lambda each: each.key.kind != "build"))


def _mutants(bench: Bench, case: Case, gates: tuple[GateDecl, ...], troubles: list[Diagnostic]) -> Iterator[MutantFact]:
    try:
        for mutant, seen in mutate.known(bench, case, gates):
            yield MutantFact(name=mutant.name(), block=mutant.block, observation=seen)
    except Fault as fault:
        troubles += fault.diagnostics


def _packet(stacked: Stacked, case: Case) -> Packet | None:
    """How every fold stands with its reviews, whether any are asked for or not; None where the stack is stuck."""
    if not isinstance(case.stack, Stack):
        return None
    reviewed = Reviewed(stacked.release, case.stack, stacked.store, stacked.derived)
    return packet_of(reviewed, reviewed.survey(), case.claims or ())


def _tools(bench: Bench, troubles: list[Diagnostic]) -> Tools | None:
    try:
        toolchain = bench.toolchain
    except Fault as fault:
        troubles += fault.diagnostics
        return None
    return Tools(digest=toolchain.digest, about=toolchain.about(), parts=tool_parts(toolchain))


def _foreign(bench: Bench) -> Iterator[Foreign]:
    for each in (*bench.imports, *bench.claims):
        yield Foreign(
            signer=each.testimony.signer,
            role=each.testimony.role.value,
            hardware=each.hardware,
            records=len(each.testimony.records),
            counts=each.counts,
        )
