"""The plan of gates names what each session runs on and who asks for it; records that nobody asks for are dropped."""

from pathlib import Path
from typing import Any

from tests.evidence.records import some_evidence
from tests.mini_engine.project import write_project
from tests.requires.blocks import BRINGS, CONFIGURATION
from tests.whole.command import say
from verify.evidence import EvidenceStore
from verify.model.evidence import Evidence


def test_a_plan_names_the_arms_of_each_session_and_the_gates_that_ask_and_runs_nothing(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", tmp_path / "cache")
    said = say("gate", "--plan", root=project.root, cache=project.cache)
    plan: Any = said.document["plan"]
    sessions = [row for row in plan if row["step"] == "probe"]
    by_gate = {gate: row for row in sessions for gate in row["gates"]}
    golden = by_gate["golden"]["arms"]
    assert [arm.partition(":")[0] for arm in golden] == ["upstream", "tip"]
    assert golden[0].endswith("base")
    switched = [arm for row in sessions for arm in row["arms"] if arm.startswith("off:")]
    assert switched
    assert all("=0" in arm for arm in switched)
    assert all(row["gates"] and row["arms"] and not row["known"] for row in sessions)
    assert not (project.cache / "builds").exists()


def test_records_that_no_gate_asks_for_go_and_the_others_stay(tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", tmp_path / "cache", blocks=(BRINGS,), gates={})
    project.write_release({**project.release(), "configurations": {"library": {**CONFIGURATION, "proofs": ["tip"]}}})
    assert say("build", root=project.root, cache=project.cache).exit == 0
    store = EvidenceStore(project.cache / "evidence")
    needed = {record.key.digest for record in store.every("build")}
    strange = some_evidence()
    store.put(strange)
    dry = say("evidence", "gc", "--dry-run", root=project.root, cache=project.cache).document
    assert dry["records"] == [strange.key.digest]
    assert store.get(strange.key) == strange
    gone = say("evidence", "gc", root=project.root, cache=project.cache).document
    assert gone["records"] == [strange.key.digest]
    assert not isinstance(store.get(strange.key), Evidence)
    assert {record.key.digest for record in store.every("build")} == needed
