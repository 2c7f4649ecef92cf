"""One cache for all planted projects, so that what they have in common is compiled once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from builder import pipeline
from builder.measure import Bench
from builder.pipeline import Workshop
from tests.mini_engine.blocks import MiniBlock
from tests.mini_engine.project import MiniProject, write_project
from tests.requires.blocks import CONFIGURATION
from verify.gates.battery import gates_of
from verify.gates.case import Case
from verify.judge import rule
from verify.model.diagnostic import Diagnostic
from verify.model.progress import Silent
from verify.model.verdict import Failed, Outcome, Undecided

Plant = Callable[..., MiniProject]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("planted-cache")


@pytest.fixture
def plant(cache: Path, tmp_path: Path) -> Plant:
    def write(*blocks: MiniBlock, proofs: tuple[str, ...] = ("alone",)) -> MiniProject:
        gates = {"requirements": {"kind": "requires"}, "warnings": {"kind": "warnings", "configurations": ["library"]}}
        project = write_project(tmp_path / "project", cache, blocks=blocks, gates=gates)
        project.write_release(
            {**project.release(), "configurations": {"library": {**CONFIGURATION, "proofs": list(proofs)}}}
        )
        return project

    return write


def case_of(project: MiniProject) -> Case:
    """The project's case, with nothing measured."""
    workshop = Workshop(root=project.root, cache=project.cache, offline=True, progress=Silent())
    return pipeline.case(pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False), workshop)


def told(project: MiniProject, kind: str) -> tuple[Diagnostic, ...]:
    """What the gate of a kind has against the project, everything it needs built."""
    match ruled(project, kind):
        case Failed(findings=findings):
            return findings
        case Undecided(reasons=reasons):
            return reasons
        case _:
            return ()


def ruled(project: MiniProject, kind: str) -> Outcome:
    """How the gate of a kind ends, everything it needs built."""
    workshop = Workshop(root=project.root, cache=project.cache, offline=True, progress=Silent())
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    stacked.keep()
    case = pipeline.case(stacked, workshop)
    gates = [gate for gate in gates_of(case.release) if gate.kind == kind]
    case = Bench(stacked=stacked, workshop=workshop, fresh=False).all_steps(case, gates)
    return rule(gates[0], case).outcome
