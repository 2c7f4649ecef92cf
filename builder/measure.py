"""Builds and probes: whatever the gates need and evidence does not give yet is made, and lands in the case.

A `Bench` is the stacked release with its tools. Builds go from the base upwards, one that fails does not stop the
others. Probes come after the builds they run on. A need that could not be met leaves its reason in the case's faults,
where the judge finds it: undecided, never passed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from builder.base_release import upstream_base
from builder.bindings import provide_bindings
from builder.compile.abi import compare_abi, find_abidiff
from builder.compile.build import Built, build, build_folder
from builder.compile.collect import damage_of, stored_build
from builder.compile.recipe import build_key
from builder.compile.toolchain import Toolchain, find_toolchain
from builder.compile.tools_record import recorded_tools, tool_parts
from builder.disk import nearly_full
from builder.executor import LOCAL, Executor, Job, NotDone
from builder.foreign import Import, ImportStore, answered
from builder.models import provide_model
from builder.nearest import Change, Estimate, KnownBuild, changes_from_nearest, estimates, known_builds
from builder.pipeline import Stacked, Workshop
from builder.plan import Step, builds_of, needs_of, plan_steps
from builder.witness import Witness
from verify.evidence import EvidenceStore, make_key
from verify.gates.battery import gates_of
from verify.gates.case import Case, Elsewhere, Recorded
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Fault, Place, Severity
from verify.model.evidence import AbiNeed, BuildNeed, Evidence, Key, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.ids import ModelName
from verify.model.observation import (
    AbiObservation,
    BuildObservation,
    ProbeObservation,
    decode_observation,
    encode_observation,
)
from verify.model.progress import Prefixed
from verify.model.release import Configuration
from verify.probe.engine import Bindings, BuiltEngine, ModelFile, build_identity
from verify.probe.machine import Machine, this_machine
from verify.probe.registry import PROBES
from verify.probe.run import decode_probe, probe_key, run_probe

S = TypeVar("S")


@dataclass(frozen=True, kw_only=True)
class Bench:
    """The tools for one release; `fresh` believes no evidence. Compiler and models are looked for when first needed.

    `hardware` names what this machine is, of the machines that gates may need.
    """

    stacked: Stacked
    workshop: Workshop
    fresh: bool
    executor: Executor = LOCAL
    hardware: frozenset[str] = frozenset()
    built: dict[BuildNeed, Built] = field(default_factory=dict)
    models: dict[ModelName, ModelFile] = field(default_factory=dict)
    no_models: dict[ModelName, Fault] = field(default_factory=dict)

    @cached_property
    def toolchain(self) -> Toolchain:
        """The compiler and its tools."""
        return find_toolchain(progress=self.workshop.progress)

    @cached_property
    def evidence(self) -> EvidenceStore:
        """The records of what was measured."""
        return EvidenceStore(self.workshop.cache / "evidence")

    @cached_property
    def machine(self) -> Machine:
        """The machine that measures."""
        return this_machine()

    @cached_property
    def witness(self) -> Witness:
        """Who measures, and where."""
        return Witness.here()

    def proofs(self, case: Case) -> tuple[BuildNeed, ...]:
        """The builds that the configurations promise, from the base upwards."""
        gates = [gate for gate in gates_of(case.release) if gate.kind == "build"]
        return builds_of(needs_of(gates, case), case)

    def plan_builds(self, case: Case, needs: Sequence[BuildNeed]) -> tuple[Step[BuildNeed], ...]:
        """One step a build, from the base upwards."""
        steps = plan_steps(
            builds_of(needs, case),
            key_of=lambda need: build_key(need, self._configuration(need), self.toolchain),
            is_known=lambda key: stored_build(build_folder(self.workshop.cache, key), key) is not None,
            fresh=self.fresh,
        )
        return tuple(step if step.known or self.fresh else replace(step, why=self._why(step)) for step in steps)

    def _why(self, step: Step[BuildNeed]) -> str:
        """Why a build is to be made that may have been made before."""
        damage = damage_of(build_folder(self.workshop.cache, step.key), step.key)
        if damage:
            return f"the kept build is damaged: {damage}"
        record = self.evidence.get(step.key)
        if not isinstance(record, Evidence):
            return step.why if record.damage is None else "its record is damaged"
        if decode_observation(BuildObservation, record.observation).ok:
            return "it was built, and what was built is not kept any more"
        return "the last build failed"

    @cached_property
    def known_builds(self) -> tuple[KnownBuild, ...]:
        """Every recorded build, of this release and others."""
        return known_builds(self.evidence.every("build"))

    def changes(self, step: Step[BuildNeed]) -> tuple[Change, ...] | None:
        """Which parts of a step's key are new, against the nearest record; None where nothing was ever built."""
        tools = {**recorded_tools(self.workshop.cache), self.toolchain.digest: tool_parts(self.toolchain)}
        return changes_from_nearest(step.key, self.known_builds, tools)

    def estimates(self, steps: Sequence[Step[BuildNeed]]) -> dict[str, Estimate | None]:
        """What the steps that are not known yet may take, from earlier builds; by the key's digest."""
        asked = [step.key for step in steps if not step.known]
        return {key.digest: each for key, each in zip(asked, estimates(asked, self.known_builds), strict=True)}

    def damaged(self, case: Case, steps: Sequence[Step[BuildNeed]]) -> tuple[Diagnostic, ...]:
        """What is kept of the steps' builds and is not whole: it is not used, and told."""
        found = []
        for step in steps:
            folder = build_folder(self.workshop.cache, step.key)
            damage = damage_of(folder, step.key)
            if damage:
                found.append(_damaged_build(self.title(case, step.need), damage, folder))
        return tuple(found)

    def build(self, case: Case, steps: Sequence[Step[BuildNeed]]) -> Case:
        """Make every build that is not known; each lands in the case, or its fault does."""
        builds, faults = dict(case.builds), dict(case.faults)
        jobs = [
            Job(
                need=step.need,
                key=step.key,
                configuration=self._configuration(step.need),
                fresh=self.fresh,
                what=f"build {number}/{len(steps)}, {self.title(case, step.need)}",
            )
            for number, step in enumerate(steps, start=1)
        ]
        known = {step.need for step in steps if step.known}
        for executor, some in (
            (LOCAL, [job for job in jobs if job.need in known]),
            (self.executor, [job for job in jobs if job.need not in known]),
        ):
            for job, outcome in executor.run(some, self._build_here):
                if isinstance(outcome, NotDone):
                    faults[job.need] = outcome.diagnostics
                    continue
                self._keep(outcome)
                self.built[job.need] = outcome
                builds[job.need] = self._recorded(outcome.key, outcome.observation)
        return replace(case, builds=builds, faults=faults)

    def _build_here(self, job: Job) -> Built:
        return build(
            need=job.need,
            configuration=job.configuration,
            toolchain=self.toolchain,
            source=self.stacked.store,
            cache=self.workshop.cache,
            progress=Prefixed(self.workshop.progress, job.what),
            fresh=job.fresh,
        )

    def _keep(self, made: Built) -> None:
        # Also of a build that failed, which a gate may cite; and anew where a record is not of the build that is kept.
        record = self.evidence.get(made.key)
        seen = encode_observation(made.observation)
        if not (isinstance(record, Evidence) and record.observation == seen):
            self.evidence.put(self.witness.record(made.key, seen, made.observation.wall_seconds))

    def _recorded(self, key: Key, observation: S) -> Recorded[S]:
        """What was observed, with who made the record of it."""
        record = self.evidence.get(key)
        made_by = record.made_by if isinstance(record, Evidence) else self.witness.made_by
        return Recorded(key=key.digest, observation=observation, made_by=made_by)

    def plan_probes(self, case: Case, needs: Sequence[Need]) -> tuple[tuple[Step[ProbeNeed], ...], Case]:
        """One step a probe whose builds and model are there; the others leave their reason in the case."""
        faults = dict(case.faults)
        ready: list[ProbeNeed] = []
        for need in needs:
            if isinstance(need, ProbeNeed):
                try:
                    self._probe_key(need, case)  # asks for engines, model, bindings and tools
                except Fault as fault:
                    faults[need] = fault.diagnostics
                else:
                    ready.append(need)
        steps = plan_steps(
            ready,
            key_of=lambda need: self._probe_key(need, case),
            is_known=lambda key: isinstance(self.evidence.get(key), Evidence),
            fresh=self.fresh,
        )
        return steps, replace(case, faults=faults)

    def probe(self, case: Case, steps: Sequence[Step[ProbeNeed]]) -> Case:
        """Run every probe that is not known; each lands in the case, or its fault does."""
        probes, faults = dict(case.probes), dict(case.faults)
        for number, step in enumerate(steps, start=1):
            try:
                probes[step.need] = self._probe(step, case, f"probe {number}/{len(steps)}")
            except Fault as fault:
                faults[step.need] = fault.diagnostics
        return replace(case, probes=probes, faults=faults)

    def _probe(self, step: Step[ProbeNeed], case: Case, what: str) -> Recorded[ProbeObservation]:
        if step.known:
            record = self.evidence.get(step.key)
            if isinstance(record, Evidence):
                return Recorded(
                    key=step.key.digest,
                    observation=decode_probe(step.need, record.observation),
                    made_by=record.made_by,
                )
        scratch = self.workshop.cache / "logs"
        observation = run_probe(
            need=step.need,
            builds=self._engines(step.need, case),
            model=self._model_of(step.need),
            scratch=scratch,
            progress=Prefixed(self.workshop.progress, what),
            bindings=self._bindings_of(step.need),
        )
        full = nearly_full([scratch])
        if full is not None:
            raise EnvironmentFault(full)  # a log that was cut short lacks what the gates look for
        meanwhile = self.evidence.get(step.key)
        if isinstance(meanwhile, Evidence) and not self.fresh:
            # another run on this cache was first, and may have sealed it: two verdicts rest on one record
            return Recorded(
                key=step.key.digest,
                observation=decode_probe(step.need, meanwhile.observation),
                made_by=meanwhile.made_by,
            )
        self.evidence.put(self.witness.record(step.key, encode_observation(observation), observation.seconds))
        return Recorded(key=step.key.digest, observation=observation, made_by=self.witness.made_by)

    def _probe_key(self, need: ProbeNeed, case: Case) -> Key:
        engines, model, bindings = self._engines(need, case), self._model_of(need), self._bindings_of(need)
        return probe_key(
            need=need,
            builds={build: build_identity(engine.key, engine.observation) for build, engine in engines.items()},
            model=model.sha256 if model is not None else None,
            machine=self.machine,
            bindings=bindings.sha256 if bindings is not None else None,
        )

    def abi(self, case: Case, needs: Sequence[Need], *, only_known: bool = False) -> Case:
        """Compare the binary interfaces that are asked for, where both builds are there."""
        found, faults = dict(case.abi), dict(case.faults)
        for need in needs:
            if not isinstance(need, AbiNeed):
                continue
            below, made = self.built.get(need.below), self.built.get(need.build)
            if below is None or made is None or below.folder is None or made.folder is None:
                continue  # the case tells of builds that are not there
            try:
                tool = find_abidiff()
                parts = {
                    "below": str(build_identity(below.key, below.observation)),
                    "build": str(build_identity(made.key, made.observation)),
                    "tool": tool.version,
                }
                key = make_key("abi", parts)
                record = self.evidence.get(key)
                if isinstance(record, Evidence):
                    seen = decode_observation(AbiObservation, record.observation)
                elif only_known:
                    continue
                else:
                    seen = compare_abi(tool, below.folder / "bin", made.folder / "bin")
                    self.evidence.put(self.witness.record(key, encode_observation(seen), seen.seconds))
            except Fault as fault:
                faults[need] = fault.diagnostics
                continue
            found[need] = self._recorded(key, seen)
        return replace(case, abi=found, faults=faults)

    def _bindings_of(self, need: ProbeNeed) -> Bindings | None:
        return self.bindings if PROBES[need.probe].by_bindings else None

    @cached_property
    def bindings(self) -> Bindings:
        """What the engine's library is called with; a fault where the base carries none."""
        return provide_bindings(
            base=upstream_base(self.stacked.release.base, self.workshop.root),
            cache=self.workshop.cache,
            offline=self.workshop.offline,
            progress=self.workshop.progress,
        )

    def _model_of(self, need: ProbeNeed) -> ModelFile | None:
        return self._model(need.model) if need.model is not None else None

    def _model(self, name: ModelName) -> ModelFile:
        """The file of a pinned model, compared with its pin once a run."""
        if name in self.no_models:
            raise self.no_models[name]
        if name not in self.models:
            self.models[name] = self._provide(name)
        return self.models[name]

    def _provide(self, name: ModelName) -> ModelFile:
        try:
            return provide_model(
                pin=next(pin for pin in self.stacked.release.models if pin.name == name),
                base_tree=self.stacked.imported.tree,
                source=self.stacked.store,
                cache=self.workshop.cache,
                offline=self.workshop.offline,
                progress=self.workshop.progress,
            )
        except Fault as fault:
            self.no_models[name] = fault  # asked once a run, however many probes want it
            raise

    def _engines(self, need: ProbeNeed, case: Case) -> dict[BuildNeed, BuiltEngine]:
        """The built engines of a probe's arms; a fault when one is not there."""
        engines: dict[BuildNeed, BuiltEngine] = {}
        for arm in need.arms:
            made = self.built.get(arm.build)
            if made is None or made.folder is None:
                raise Fault(*case.faults.get(arm.build, (_no_engine(self.title(case, arm.build)),)))
            engines[arm.build] = BuiltEngine(folder=made.folder, key=made.key, observation=made.observation)
        return engines

    def all_steps(self, case: Case, gates: Sequence[GateDecl]) -> Case:
        """Build and probe whatever these gates need."""
        needs = needs_of(self.measurable(gates), case)
        case = self.elsewhere(self.build(case, self.plan_builds(case, builds_of(needs, case))), gates)
        steps, case = self.plan_probes(self.abi(case, needs), needs)
        return self.probe(case, steps)

    def known_steps(self, case: Case, gates: Sequence[GateDecl]) -> Case:
        """Take what is known for these gates and make nothing; the rest stays unmeasured."""
        needs = needs_of(self.measurable(gates), case)
        known = [step for step in self.plan_builds(case, builds_of(needs, case)) if step.known]
        case = self.abi(self.elsewhere(self.build(case, known), gates), needs, only_known=True)
        steps, case = self.plan_probes(case, needs)
        return self.probe(case, [step for step in steps if step.known])

    def measurable(self, gates: Sequence[GateDecl]) -> tuple[GateDecl, ...]:
        """The gates that this machine can measure."""
        return tuple(gate for gate in gates if not gate.hardware or gate.hardware in self.hardware)

    def elsewhere(self, case: Case, gates: Sequence[GateDecl]) -> Case:
        """The case with what was measured on other hardware for gates that need it, as far as it was imported."""
        found: dict[str, Elsewhere] = {}
        for gate in gates:
            if gate.hardware and gate.hardware not in self.hardware:
                needs = needs_of([gate], case)
                found[gate.hardware] = self._from(gate.hardware, needs, case, found.get(gate.hardware, Elsewhere()))
        return replace(case, hardware=self.hardware, elsewhere=found)

    def _from(self, hardware: str, needs: Sequence[Need], case: Case, so_far: Elsewhere) -> Elsewhere:
        imports = [each for each in self.imports if each.hardware == hardware]
        if not imports:
            return so_far
        for record in (record for each in imports for record in each.testimony.records):
            if not isinstance(self.evidence.get(record.key), Evidence):
                self.evidence.put(record)  # sealing takes records from there
        found = answered(
            needs=needs,
            builds=builds_of(needs, case),
            imports=imports,
            build_key=lambda need: build_key(need, self._configuration(need), self.toolchain),
            models={pin.name: pin.sha256 for pin in self.stacked.release.models},
            so_far=so_far,
        )
        # an equal key is an equal build: one record for both sides, or a bundle could hold only one of two
        return replace(
            found, builds={need: self._same_here(each, case.builds.get(need)) for need, each in found.builds.items()}
        )

    @staticmethod
    def _same_here(
        there: Recorded[BuildObservation], here: Recorded[BuildObservation] | None
    ) -> Recorded[BuildObservation]:
        if here is None or here.key != there.key or here.observation.artifacts != there.observation.artifacts:
            return there
        return here

    @cached_property
    def imports(self) -> tuple[Import, ...]:
        """Foreign evidence whose signature this release trusts, in the order of its digests."""
        return ImportStore(self.workshop.cache / "imports").sound(self.stacked.release.policy)

    @cached_property
    def claims(self) -> tuple[Import, ...]:
        """Foreign measurements by those whose figures are claims here."""
        every = ImportStore(self.workshop.cache / "imports").every(self.stacked.release.policy)
        return tuple(each for each in every if isinstance(each, Import) and not each.counts)

    def known(self, case: Case) -> tuple[int, int]:
        """How many of the promised builds are known, and how many there are."""
        steps = self.plan_builds(case, self.proofs(case))
        return sum(step.known for step in steps), len(steps)

    def title(self, case: Case, need: BuildNeed) -> str:
        """A build for people: the base, the block whose prefix it is, or a block by itself."""
        for block, tree in case.prefix_trees():
            if tree == need.tree:
                return "base" if block is None else f"prefix {block}"
        for each in case.alone or ():
            if each.tree == need.tree:
                return f"{each.block} alone" if each.without is None else f"{each.block} without {each.without}"
        return f"tree {need.tree[:12]}"

    def _configuration(self, need: BuildNeed) -> Configuration:
        return next(each for each in self.stacked.release.configurations if each.name == need.configuration)


def _damaged_build(title: str, damage: str, folder: Path) -> Diagnostic:
    return Diagnostic(
        code="build-damaged",
        message=f"the kept build of {title} is not used: {damage}",
        place=Place(file=str(folder)),
        notes=("it counts as not built and is made again",),
        help="stackproof build",
        severity=Severity.WARNING,
    )


def _no_engine(title: str) -> Diagnostic:
    return Diagnostic(
        code="no-built-engine",
        message=f"{title} did not build, so nothing can be run on it",
        help="stackproof build",
    )
