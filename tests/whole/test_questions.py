"""Questions on the mini engine: would a missing block be noticed, which fold did it, what is known and by whom."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.mini_engine.blocks import BLOCKS, SERVER, MiniFold
from tests.mini_engine.project import GATES, MiniProject, write_project
from tests.whole.command import Said, say
from tests.whole.given import Whole

PLANTED = MiniFold(
    id="planted",
    subject="Choose another token now and then",
    changes=((SERVER, "id    = mini_candidate(state, 0);", "id    = mini_candidate(state, state % 7 == 0);"),),
)


def ask(project: MiniProject, *arguments: str, **how: Any) -> Said:
    return say(*arguments, root=project.root, cache=how.pop("cache", project.cache), **how)


def test_a_block_is_missed_by_its_own_gate_and_one_without_a_gate_survives(whole: Whole) -> None:
    said = ask(whole.project, "gate", "--mutate", "--only", "checkpoint-kept")
    mutants = {each["name"]: each for each in said.document["mutants"]}  # type: ignore[attr-defined] # a list
    assert {name: each["noticed"] for name, each in mutants.items()} == {
        "prefill-rotation": "nobody",
        "prefill-rotation/rotate": "text",
        "prefill-rotation/unified": "nobody",
        "checkpoint-keep": "behaviour",
    }
    assert mutants["prefill-rotation"]["also"] == ["checkpoint-keep"]
    assert mutants["checkpoint-keep"]["gates"][0]["codes"] == ["arm-without-effect", "checkpoint-superseded"]
    assert (said.exit, "mutant-survives" in said.codes()) == (1, True)


@pytest.fixture(scope="module")
def planted(whole: Whole, tmp_path_factory: pytest.TempPathFactory) -> MiniProject:
    """The mini project with a fold in its middle that changes text."""
    first, last = BLOCKS
    blocks = (first, replace(last, folds=(PLANTED, *last.folds)))
    project = write_project(tmp_path_factory.mktemp("planted") / "project", whole.project.cache, blocks=blocks)
    assert ask(project, "pin").exit == 0
    return project


def test_bisect_finds_the_planted_fold_and_asks_evidence_first(planted: MiniProject) -> None:
    assert ask(planted, "bisect", "golden", "--known").exit == 2  # nothing is known of the whole stack yet
    said = ask(planted, "bisect", "golden")
    found = said.document["found"]
    assert isinstance(found, dict)
    assert (said.exit, found["block"], found["fold"]) == (0, "checkpoint-keep", "planted")
    assert found["subject"] == PLANTED.subject
    assert found["author"] == "stackproof <maintainers@stackproof.dev>"
    green, red = said.document["green"], said.document["red"]
    assert isinstance(green, dict)
    assert isinstance(red, dict)
    assert (green["light"], red["light"]) == ("green", "red")
    assert set(green["evidence"]).isdisjoint(red["evidence"]) is False  # upstream is one arm of both
    assert len(red["evidence"]) == 3
    again = ask(planted, "bisect", "golden", "--known")
    assert again.document["found"] == found
    assert not any(state["measured"] for state in again.document["states"])  # type: ignore[attr-defined] # a list


def test_a_gate_about_files_names_its_fold_itself(whole: Whole) -> None:
    said = ask(whole.project, "bisect", "tree-equal")
    assert (said.exit, said.codes()) == (2, {"bisect-needless"})


def test_why_names_the_evidence_who_made_it_and_when(whole: Whole) -> None:
    said = ask(whole.project, "gate", "--why", "checkpoint-kept")
    rests = said.document["rests_on"]
    assert isinstance(rests, list)
    assert {each["made_by"] for each in rests} == {"local"}
    assert all(each["made_at"].endswith("Z") and each["key"] for each in rests)
    assert said.document["changes"]
    shown = ask(whole.project, "evidence", "show", rests[1]["key"][:16])
    assert shown.document["key"]["digest"] == rests[1]["key"]  # type: ignore[index] # an object
    kept = ask(whole.project, "evidence", "gc", "--dry-run")
    assert not {each["key"] for each in rests} & set(kept.document["records"])  # type: ignore[call-overload] # a list
    differ = ask(whole.project, "evidence", "diff", rests[0]["key"], rests[0]["key"])
    assert (differ.exit, differ.document["differences"]) == (0, [])


def test_a_gate_that_needs_hardware_is_a_debt_until_signed_evidence_comes(whole: Whole, tmp_path: Path) -> None:
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)], check=True)
    public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    project = write_project(
        tmp_path / "project",
        whole.project.cache,
        gates={"golden": {**dict(GATES["golden"]), "hardware": "gpu"}},  # type: ignore[call-overload] # a table
    )
    document = project.release() | {
        "hardware": {"gpu": "one that nobody has here"},
        "policy": {"evidence": {"signers": {"gpu-box": {"role": "ci", "key": public}}}},
    }
    project.write_release(document)
    assert ask(project, "pin").exit == 0
    elsewhere = tmp_path / "cache"
    write_project(tmp_path / "unused", elsewhere)
    debt = ask(project, "gate", "--only", "golden", cache=elsewhere)
    assert (debt.exit, debt.outcomes()) == (0, {"golden": "deferred"})

    file = tmp_path / "gpu.json"
    export = ("evidence", "export", "golden", "--hardware", "gpu", "--as", "gpu-box", "--out", str(file))
    assert ask(project, *export, "--key", str(key)).exit == 0
    taken = ask(project, "evidence", "import", str(file), cache=elsewhere)
    assert (taken.exit, taken.document["counts"], taken.document["role"]) == (0, True, "ci")

    paid = ask(project, "gate", "--why", "golden", cache=elsewhere)
    assert paid.outcomes() == {"golden": "passed"}
    assert {each["made_by"] for each in paid.document["rests_on"]} == {"ci gpu-box"}  # type: ignore[attr-defined] # a list
    assert not (elsewhere / "builds").exists()
