"""What is kept from run to run: why something is made anew, what is asked once, and whose record counts."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from builder.measure import Bench
from builder.pipeline import Stacked, Workshop, read_unpinned, stack
from builder.plan import Step
from tests.gates.good import good_case, good_run
from tests.requires.blocks import BRINGS, planted
from tests.requires.conftest import Plant
from tests.whole.command import say
from verify.evidence import make_key
from verify.gates.battery import gates_of
from verify.gates.case import Case
from verify.gates.kinds import KINDS
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import ProbeNeed
from verify.model.ids import ModelName
from verify.model.observation import RunObservation, encode_observation
from verify.model.progress import Silent


def test_a_plan_says_that_what_was_kept_is_damaged(plant: Plant) -> None:
    project = plant(BRINGS, proofs=("tip",))
    assert say("build", root=project.root, cache=project.cache).exit == 0
    kept = [each for each in (project.cache / "builds").glob("*/bin/libmini.so*") if not each.is_symlink()]
    assert kept
    before = {each: each.read_bytes() for each in kept}
    try:
        for each in kept:
            each.write_bytes(b"damaged")
        said = say("build", "--plan", root=project.root, cache=project.cache)
    finally:
        for each, data in before.items():
            each.write_bytes(data)
    assert json.dumps(said.document).count("damaged") >= 2
    assert "no evidence" not in json.dumps(said.document)


def test_a_plan_says_that_the_last_build_failed(plant: Plant) -> None:
    broken = planted("broken", ("src/model.c", "    return -0.5 - 0.75", "    return nowhere - 0.75"))
    project = plant(broken, proofs=("tip",))
    assert say("build", root=project.root, cache=project.cache).exit == 1
    plan = say("build", "--plan", root=project.root, cache=project.cache).document["plan"]
    assert isinstance(plan, list)
    assert plan[-1]["why"] == "the last build failed"


@pytest.fixture
def bench(plant: Plant, tmp_path: Path) -> Bench:
    project = plant(BRINGS)
    workshop = Workshop(root=project.root, cache=project.cache, offline=True, progress=Silent())
    stacked: Stacked = stack(read_unpinned(workshop), workshop, against_lock=False)
    return Bench(stacked=stacked, workshop=replace(workshop, cache=tmp_path / "own"), fresh=False)


def test_a_model_that_could_not_be_had_is_asked_for_once(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refuse(**given: object) -> None:
        asked.append(given)
        raise EnvironmentFault(Diagnostic(code="x", message="no network"))

    monkeypatch.setattr("builder.measure.provide_model", refuse)
    for _ in range(3):
        with pytest.raises(EnvironmentFault, match="no network"):
            bench._model(ModelName("plain"))
    assert len(asked) == 1


def step_of(case: Case) -> Step[ProbeNeed]:
    needs = [need for gate in gates_of(case.release) for need in KINDS[gate.kind].needs(gate.params, case)]
    need = next(each for each in needs if isinstance(each, ProbeNeed))
    return Step(need=need, key=make_key("probe", {"a": "b"}), known=False, why="")


def unmeasured(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Bench, "_engines", lambda *_: {})
    monkeypatch.setattr(Bench, "_model", lambda *_: None)
    bench.workshop.cache.mkdir()


def test_of_two_runs_that_measure_at_once_the_first_record_counts(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    unmeasured(bench, monkeypatch)
    step = step_of(good_case())
    first = good_run(step.need)
    assert isinstance(first, RunObservation)

    def measured_beside(**_: object) -> RunObservation:
        bench.evidence.put(bench.witness.record(step.key, encode_observation(first), 1.0))
        return replace(first, seconds=first.seconds + 1)

    monkeypatch.setattr("builder.measure.run_probe", measured_beside)
    assert bench._probe(step, good_case(), "probe").observation == first


def test_what_was_measured_on_a_full_disk_is_no_measurement(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    unmeasured(bench, monkeypatch)
    step = step_of(good_case())
    monkeypatch.setattr("builder.measure.run_probe", lambda **_: good_run(step.need))
    monkeypatch.setattr("builder.disk.TOO_LITTLE", 1 << 62)
    with pytest.raises(EnvironmentFault, match="no-space"):
        bench._probe(step, good_case(), "probe")
    assert list(bench.evidence.every("probe")) == []
