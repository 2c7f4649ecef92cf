"""The noise floor of the figures: one build as both arms, the same bytes from two folders, and a planted slowdown.

    python -m benchmarks.noise [--project DIR] --cache CACHE [--sessions N] [--out FILE]

Everything goes through the gates' own probes, so what is measured is what gates would have said:

- **one build twice**: N sessions of `relative-performance` with upstream's build as both arms, on the server and on the
  bench. Every ratio is 1 in truth; how wide its intervals are, and how often a bound would have been said to be broken
  (a false alarm), passed, or undecided is stored, by both clocks and for several bounds.
- **the same bytes elsewhere**: the second arm's build is a copy in another folder.
- **counts**: how far instructions of one build spread over repeats.
- **a slowdown**: every sixteenth matrix product is computed twice, which changes no bit of any result. It is built,
  and both gates judge it.
"""

import argparse
import json
import os
import platform
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from builder.compile.build import Built, build
from builder.measure import Bench
from builder.models import provide_model
from builder.pipeline import Workshop, case, read, stack
from builder.plan import builds_of
from verify.gates import performance, relative_performance
from verify.gates.case import Case
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName, TreeId
from verify.model.interval import ratio_interval
from verify.model.observation import ProbeObservation
from verify.model.progress import Silent
from verify.model.session import Drawn, Rounds, settings_of
from verify.model.speed import (
    Bound,
    CountObservation,
    CountSettings,
    Part,
    Program,
    SpeedObservation,
    SpeedSettings,
    Workload,
)
from verify.model.stack import Stack
from verify.model.verdict import Failed, Outcome, Undecided
from verify.probe.engine import BuiltEngine, ModelFile
from verify.probe.run import run_probe

RESULTS = Path(__file__).parent / "results"
BOUNDS = (1.01, 1.03, 1.05, 1.1)
SPEED_MODEL, COUNT_MODELS = ModelName("smollm2"), (ModelName("tiny-attention"), ModelName("tiny-recurrent"))
CONFIGURATION = ConfigName("release")
PLACE = "ggml/src/ggml-cpu/ggml-cpu.c"
PLAIN = "            ggml_compute_forward(&params, node);\n        }\n"
SLOWER = """\
            ggml_compute_forward(&params, node);
            static int n_products = 0;
            if (node->op == GGML_OP_MUL_MAT && ++n_products % 16 == 0) {
                ggml_compute_forward(&params, node);
            }
        }
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One session's ratio of one part by one clock."""

    part: str
    clock: str
    low: float
    middle: float
    high: float
    pairs: int


def main() -> None:
    """Measure and store."""
    parser = argparse.ArgumentParser(description="The noise floor of the figures")
    parser.add_argument("--project", type=Path, default=Path(__file__).parent.parent)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--sessions", type=int, default=10)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    workshop = Workshop(root=options.project, cache=options.cache.absolute(), offline=True, progress=Silent())
    began, load = time.gmtime(), os.getloadavg()[0]
    figures = _measure(workshop, options.sessions)
    document = {
        "date": time.strftime("%Y-%m-%d", began),
        "machine": _machine(),
        "load": [round(load, 1), round(os.getloadavg()[0], 1)],
        **figures,
    }
    out = options.out or RESULTS / f"noise-{document['date']}.json"
    out.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", "utf-8")


def _measure(workshop: Workshop, count: int) -> dict[str, object]:
    stacked = stack(read(workshop), workshop)
    stacked.keep()
    known = case(stacked, workshop)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    base = _built(bench, known.base_tree)
    slower = _built(bench, _slower_tree(workshop.cache / "objects.git", known.base_tree))
    with tempfile.TemporaryDirectory(prefix="stackproof-noise-", dir=workshop.cache) as scratch:
        work = _Work(bench=bench, base=base, scratch=Path(scratch))
        copy = Path(scratch) / "copy"
        shutil.copytree(base.folder, copy, symlinks=True)
        elsewhere = replace(base, folder=copy)
        return {
            "release": stacked.release.name,
            "speed_model": SPEED_MODEL,
            "one_build_twice": {
                program: _sessions(work.speed(program, base) for _ in range(count)) for program in Program
            },
            "same_bytes_elsewhere": {
                program: _sessions(work.speed(program, elsewhere) for _ in range(count)) for program in Program
            },
            "counts": {model: work.counts(model) for model in COUNT_MODELS},
            "slowdown": _slowdown(bench, known, slower),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """The base's engine and where its sessions run."""

    bench: Bench
    base: BuiltEngine
    scratch: Path

    def speed(self, program: Program, second: BuiltEngine) -> SpeedObservation:
        """A session as `relative-performance` asks for it by default, of the base and a second engine."""
        bounds = tuple(Bound(part=part, ratio=1.1) for part in (Part.PREFILL, Part.DECODE))
        settings = SpeedSettings(
            program=program,
            workload=Workload(prompt=128, generate=32),
            rounds=Rounds(least=6, most=24, precision=0.02),
            bounds=bounds,
            drawn=Drawn(seed=1),
        )
        seen = self._run("speed", SPEED_MODEL, settings_of(settings), second)
        assert isinstance(seen, SpeedObservation)
        return seen

    def counts(self, model: ModelName, repeats: int = 5) -> Mapping[str, object]:
        """How far the counts of one build spread: the largest over the smallest, less one."""
        settings = CountSettings(workload=Workload(prompt=256, generate=32), repeats=repeats)
        seen = self._run("counts", model, settings_of(settings), self.base)
        assert isinstance(seen, CountObservation)
        found: dict[str, object] = {"tool": seen.tool, "repeats": 2 * repeats}
        for part in Part:
            figures = [
                each for arm in seen.arms for count in arm.counts if count.part is part for each in count.instructions
            ]
            found[part] = {"instructions": min(figures), "spread": max(figures) / min(figures) - 1}
        return found

    def _run(
        self, probe: str, model: ModelName, settings: tuple[tuple[str, str], ...], second: BuiltEngine
    ) -> ProbeObservation:
        builds = {
            BuildNeed(tree=TreeId(str(number) * 40), configuration=CONFIGURATION): engine
            for number, engine in enumerate((self.base, second))
        }
        arms = tuple(Arm(name=name, build=each) for name, each in zip(("upstream", "tip"), builds, strict=True))
        return run_probe(
            need=ProbeNeed(probe=probe, model=model, arms=arms, settings=settings),
            builds=builds,
            model=_model(self.bench, model),
            scratch=self.scratch,
            progress=Silent(),
        )


def _sessions(runs: Iterable[SpeedObservation]) -> dict[str, object]:
    """Every session's ratios, how wide they are, and what gates with several bounds would have said."""
    sessions = [
        _ratio(run, part, clock)
        for run in runs
        for part in (Part.PREFILL, Part.DECODE)
        for clock in ("processor", "wall")
    ]
    summary = {}
    for part, clock in sorted({(each.part, each.clock) for each in sessions}):
        chosen = [each for each in sessions if (each.part, each.clock) == (part, clock)]
        summary[f"{part}, {clock}"] = {
            "sessions": len(chosen),
            "median ratio": statistics.median(each.middle for each in chosen),
            "furthest ratio": max((each.middle for each in chosen), key=lambda ratio: abs(ratio - 1)),
            "median width": statistics.median(each.high - each.low for each in chosen),
            "widest": max(each.high - each.low for each in chosen),
            "median pairs": statistics.median(each.pairs for each in chosen),
            "bounds": {str(bound): _said(chosen, bound) for bound in BOUNDS},
        }
    return {"summary": summary, "sessions": [asdict(each) for each in sessions]}


def _ratio(run: SpeedObservation, part: Part, clock: str) -> Session:
    under, over = (
        [each.cpu_seconds if clock == "processor" else each.seconds for each in arm.of(part)] for arm in run.arms
    )
    interval = ratio_interval(tuple(zip(over, under, strict=True)), seed=1)
    assert interval is not None
    return Session(
        part=part, clock=clock, low=interval.low, middle=interval.middle, high=interval.high, pairs=interval.pairs
    )


def _said(sessions: list[Session], bound: float) -> dict[str, int]:
    broken = sum(each.low > bound for each in sessions)
    within = sum(each.high <= bound for each in sessions)
    return {"broken": broken, "within": within, "across": len(sessions) - broken - within}


def _slowdown(bench: Bench, known: Case, slower: BuiltEngine) -> list[dict[str, object]]:
    """What both gates say of the planted slowdown."""
    assert isinstance(known.stack, Stack)
    tree = next(value for name, value in slower.key.parts if name == "tree")
    layers = (*known.stack.layers[:-1], replace(known.stack.layers[-1], after=TreeId(tree)))
    planted = replace(known, stack=replace(known.stack, layers=layers))
    said = []
    for model in COUNT_MODELS:
        params = performance.Params(model=model, configuration=CONFIGURATION)
        said.append(_judged(bench, planted, performance.KIND, params, model, "3 %"))
    for program in Program:
        for bound in (1.03, 1.1):
            speed = relative_performance.Params(
                model=SPEED_MODEL,
                configuration=CONFIGURATION,
                program=program,
                prompt_ratio_max=bound,
                generation_ratio_max=bound,
            )
            kind = relative_performance.KIND
            said.append(_judged(bench, planted, kind, speed, f"{SPEED_MODEL}, {program}", f"{bound - 1:.0%}"))
    return said


def _judged(bench: Bench, known: Case, kind: object, params: object, what: str, bound: str) -> dict[str, object]:
    assert isinstance(kind, type(performance.KIND))
    needs = kind.needs(params, known)
    met = bench.build(known, bench.plan_builds(known, builds_of(needs, known)))
    steps, met = bench.plan_probes(met, needs)
    outcome: Outcome = kind.check(params, bench.probe(met, steps))
    told: tuple[Diagnostic, ...] = ()
    if isinstance(outcome, Failed):
        told = outcome.findings
    elif isinstance(outcome, Undecided):
        told = outcome.reasons
    return {
        "gate": kind.name,
        "on": what,
        "bound": bound,
        "outcome": type(outcome).__name__.lower(),
        "summary": outcome.summary,
        "codes": sorted({each.code for each in told}),
    }


def _built(bench: Bench, tree: TreeId) -> BuiltEngine:
    configuration = next(each for each in bench.stacked.release.configurations if each.name == CONFIGURATION)
    made: Built = build(
        need=BuildNeed(tree=tree, configuration=CONFIGURATION),
        configuration=configuration,
        toolchain=bench.toolchain,
        source=bench.stacked.store,
        cache=bench.workshop.cache,
        progress=Silent(),
    )
    assert made.folder is not None, made.observation.tail
    return BuiltEngine(key=made.key, observation=made.observation, folder=made.folder)


def _model(bench: Bench, name: ModelName) -> ModelFile:
    return provide_model(
        pin=next(pin for pin in bench.stacked.release.models if pin.name == name),
        base_tree=bench.stacked.imported.tree,
        source=bench.stacked.store,
        cache=bench.workshop.cache,
        offline=True,
        progress=Silent(),
    )


def _slower_tree(git_dir: Path, base: TreeId) -> TreeId:
    """The base's tree with the slowdown."""
    with tempfile.TemporaryDirectory() as folder:

        def git(*command: str, given: bytes | None = None) -> str:
            environment = {"GIT_DIR": str(git_dir), "GIT_INDEX_FILE": f"{folder}/index", "PATH": "/usr/bin:/bin"}
            done = subprocess.run(["git", *command], env=environment, input=given, capture_output=True, check=True)
            return done.stdout.decode()

        text = git("cat-file", "blob", f"{base}:{PLACE}")
        assert text.count(PLAIN) == 1
        blob = git("hash-object", "-w", "--stdin", given=text.replace(PLAIN, SLOWER).encode()).strip()
        git("read-tree", base)
        git("update-index", "--cacheinfo", f"100644,{blob},{PLACE}")
        return TreeId(git("write-tree").strip())


def _machine() -> dict[str, object]:
    described = Path("/proc/cpuinfo").read_text("utf-8")
    cpu = next((line.partition(":")[2].strip() for line in described.splitlines() if "model name" in line), "")
    return {"cpu": cpu, "cores": os.cpu_count(), "system": platform.system()}


if __name__ == "__main__":
    main()
