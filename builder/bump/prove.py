"""A release that is not written yet, built and gated: on a copy of the project, with the cache of the real one.

Builds and evidence are keyed by content: what is measured here is known to the project once the same bytes are in it.
"""

import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from builder import pipeline
from builder.measure import Bench
from builder.scratch import scratch
from verify.gates.battery import gates_of
from verify.judge import judge
from verify.model.diagnostic import Diagnostic, ExitCode
from verify.model.verdict import CannotJudge, DoesNotHold, Failed, Holds, Undecided

_LEFT = (".git", ".venv", "dist", ".stackproof", "__pycache__", "build")


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """Whether the release would hold, in words, and why not."""

    holds: bool
    text: str
    diagnostics: tuple[Diagnostic, ...]
    exit: ExitCode


def prove_plan(workshop: pipeline.Workshop, contents: Mapping[str, bytes | None], *, plan: bool) -> Proof:
    """Build and gate the project with these files; with `plan` only say what would be built."""
    workshop.cache.mkdir(parents=True, exist_ok=True)
    with scratch(workshop.cache, "proof-") as folder:
        copy = folder / "project"
        shutil.copytree(workshop.root, copy, symlinks=True, ignore=shutil.ignore_patterns(*_LEFT))
        for name, data in contents.items():
            target = copy / name
            if data is None:
                target.unlink(missing_ok=True)
                _drop_empty(target.parent, copy)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        there = replace(workshop, root=copy)
        release = pipeline.read(there)
        stacked = pipeline.stack(release, workshop)  # a base beside the project is found from there alone
        stacked.keep()
        bench = Bench(stacked=stacked, workshop=there, fresh=False)
        case = pipeline.case(stacked, there)
        gates = gates_of(release)
        if plan:
            from builder.plan import builds_of, needs_of

            steps = bench.plan_builds(case, builds_of(needs_of(gates, case), case))
            fresh = sum(not step.known for step in steps)
            text = f"to prove it: {fresh} builds of {len(steps)}, and {len(gates)} gates"
            return Proof(holds=False, text=text, diagnostics=(), exit=ExitCode.HOLDS)
        verdict = judge(release=release, case=bench.all_steps(case, gates))
    match verdict:
        case Holds():
            text = f"proven without it: {len(verdict.results)} gates hold"
            return Proof(holds=True, text=text, diagnostics=(), exit=ExitCode.HOLDS)
        case DoesNotHold() | CannotJudge():
            told: list[Diagnostic] = []
            for result in verdict.results:
                if isinstance(result.outcome, Failed):
                    told += result.outcome.findings
                elif isinstance(result.outcome, Undecided) and result.required:
                    told += result.outcome.reasons
            does_not = isinstance(verdict, DoesNotHold)
            exit_code = ExitCode.DOES_NOT_HOLD if does_not else ExitCode.CANNOT_JUDGE
            text = "not accepted: without it the release does not hold" if does_not else "not accepted: nobody can say"
            return Proof(holds=False, text=text, diagnostics=tuple(told), exit=exit_code)


def _drop_empty(folder: Path, top: Path) -> None:
    while folder != top and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent
