"""The whole way on the mini engine: real git, real CMake and compiler, a server that answers, a bundle at the end."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.mini_engine.blocks import BLOCKS, SERVER, Replacement
from tests.mini_engine.project import MiniProject, write_project
from tests.whole.command import Said, say
from tests.whole.given import Whole


@pytest.fixture
def copy(whole: Whole, tmp_path: Path) -> MiniProject:
    shutil.copytree(whole.project.root, tmp_path / "project", ignore=shutil.ignore_patterns("dist"))
    return MiniProject(root=tmp_path / "project", cache=whole.project.cache)


def release(project: MiniProject) -> Said:
    return say("release", root=project.root, cache=project.cache)


def pin(project: MiniProject) -> None:
    assert say("pin", root=project.root, cache=project.cache).exit == 0


def test_a_good_release_holds_and_is_packed(whole: Whole) -> None:
    assert whole.said.exit == 0, whole.said.document
    assert set(whole.said.outcomes().values()) == {"passed"}
    assert (whole.project.root / "dist/mini-1/SHA256SUMS").is_file()


def test_a_second_release_builds_and_measures_nothing(whole: Whole) -> None:
    builds = say("build", "--plan", root=whole.project.root, cache=whole.project.cache).document["plan"]
    probes = say("gate", "--plan", root=whole.project.root, cache=whole.project.cache).document["plan"]
    assert isinstance(builds, list)
    assert isinstance(probes, list)
    assert len(builds) == 3
    assert len(probes) > 3
    assert all(step["known"] for step in (*builds, *probes))
    golden = next(step for step in probes if step["what"] == "tokens on plain")
    assert golden["arms"] == ["upstream: base", "tip: prefix checkpoint-keep"]
    assert golden["gates"] == ["golden"]


def test_the_stack_document_names_every_tree(whole: Whole) -> None:
    document = say("stack", root=whole.project.root, cache=whole.project.cache).document
    blocks, tip = document["blocks"], document["tip"]
    assert isinstance(blocks, list)
    assert isinstance(tip, dict)
    assert [block["name"] for block in blocks] == ["prefill-rotation", "checkpoint-keep"]
    assert [len(block["folds"]) for block in blocks] == [2, 1]
    assert blocks[-1]["tree"] == blocks[-1]["folds"][-1]["tree"] == tip["tree"]


def test_a_block_that_does_not_compile_fails_the_build_gate_and_names_the_line(whole: Whole, tmp_path: Path) -> None:
    project = broken(whole, tmp_path, ("log_line(", "no_such_function("))
    said = release(project)
    assert said.exit == 1
    assert said.outcomes()["build"] == "failed"
    assert "block-does-not-build" in said.codes()
    assert not (project.root / "dist").exists()


def test_a_block_that_changes_text_fails_the_golden_gate(whole: Whole, tmp_path: Path) -> None:
    project = broken(
        whole,
        tmp_path,
        also=(SERVER, "id    = mini_candidate(state, 0);", "id    = mini_candidate(state, state % 7 == 0);"),
    )
    said = release(project)
    assert said.exit == 1
    outcomes = said.outcomes()
    assert outcomes["build"] == "passed"
    assert outcomes["golden"] == "failed"
    assert not (project.root / "dist").exists()


def test_a_tree_that_is_not_the_promised_one_fails_before_anything_is_built(copy: MiniProject) -> None:
    value = copy.release()
    reference = value["reference"]
    assert isinstance(reference, dict)
    reference["tip_tree"] = "0123456789abcdef0123456789abcdef01234567"
    copy.write_release(value)
    said = release(copy)
    assert said.exit == 1
    outcomes = said.outcomes()
    assert outcomes["tree-equal"] == "failed"
    assert outcomes["build"] == "undecided"
    assert "tip-tree-differs" in said.codes()


def test_a_missing_patch_is_told_with_its_file(copy: MiniProject) -> None:
    (copy.root / "blocks/checkpoint-keep/folds/keep/fold.patch").unlink()
    said = release(copy)
    assert said.exit == 2
    assert "patch-missing" in said.codes()


def test_a_changed_patch_is_told_by_its_digest(copy: MiniProject) -> None:
    copy.edit("blocks/checkpoint-keep/folds/keep/fold.patch", "keeping context", "keeping a context")
    said = release(copy)
    assert said.exit == 2
    assert "lock-patch" in said.codes()


def test_an_unknown_block_is_told_with_a_guess(copy: MiniProject) -> None:
    copy.edit("release.json", '"checkpoint-keep"', '"checkpoint-kep"')
    said = release(copy)
    assert said.exit == 2
    assert "unknown-block" in said.codes()


def test_a_missing_compiler_is_undecided_and_names_the_package(copy: MiniProject) -> None:
    said = say("build", "--fresh", root=copy.root, cache=copy.cache, env={"CC": "/nowhere/cc", "CXX": "/nowhere/c++"})
    assert said.exit == 2
    assert "compiler-missing" in said.codes()


def test_a_branch_checked_out_and_read_back_changes_nothing(copy: MiniProject, tmp_path: Path) -> None:
    before = {path: path.read_bytes() for path in copy.root.rglob("*") if path.is_file()}
    stack = str(tmp_path / "stack")
    assert say("checkout", stack, root=copy.root, cache=copy.cache).exit == 0
    said = say("sync", stack, root=copy.root, cache=copy.cache)
    assert said.exit == 0
    assert said.document["written"] is False
    for path, data in before.items():
        assert path.read_bytes() == data


def broken(
    whole: Whole, folder: Path, change: tuple[str, str] = ("", ""), also: Replacement | None = None
) -> MiniProject:
    """A pinned project whose last fold is broken: text of its change replaced, or one more change in it."""
    first, last = BLOCKS
    (fold,) = last.folds
    changes = tuple((file, old, new.replace(*change) if change[0] else new) for file, old, new in fold.changes)
    fold = replace(fold, changes=(*changes, also) if also else changes)
    blocks = (first, replace(last, folds=(fold,)))
    project = write_project(folder / "broken", whole.project.cache, blocks=blocks)
    pin(project)
    return project


def test_a_gate_is_tried_on_programs_without_a_stack(whole: Whole) -> None:
    folder = next((whole.project.cache / "builds").glob("*/bin"))
    tried = say("try", "golden", "--bin", str(folder), root=whole.project.root, cache=whole.project.cache)
    assert (tried.exit, tried.outcomes()) == (0, {"golden": "passed"})


def test_what_needs_the_library_says_why_it_cannot_be_asked(whole: Whole) -> None:
    asked = say("trace", "golden", root=whole.project.root, cache=whole.project.cache)
    assert (asked.exit, asked.codes()) == (2, {"no-bindings"})
