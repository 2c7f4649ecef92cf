"""The real engine, broken four ways: `release` must fail each, at the right gate.

Runs after `make release`, whose cache it shares, so that only what is broken is built and measured again. The folds
are broken as a maintainer would break them: in a checkout, read back by `sync`, recorded by `pin`.
"""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from builder.cli.session import cache_root
from tests.whole.command import Said, say
from verify.git import Git

pytestmark = pytest.mark.engine

OURS = Path(__file__).parents[2]
SERVER = "tools/server/server-context.cpp"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Our own release, copied."""
    root = tmp_path / "project"
    root.mkdir()
    shutil.copy(OURS / "release.json", root)
    shutil.copytree(OURS / "blocks", root / "blocks")
    return root


def run(*arguments: str, root: Path) -> Said:
    return say(*arguments, root=root, cache=cache_root())


def break_tip(root: Path, folder: Path, old: str, new: str) -> None:
    """Amend the last fold in a checkout, read it back and record it."""
    stack = folder / "stack"
    assert run("checkout", str(stack), root=root).exit == 0
    source = stack / SERVER
    text = source.read_text("utf-8")
    assert text.count(old) == 1
    source.write_text(text.replace(old, new), "utf-8")
    git = Git(git_dir=stack / ".git", cwd=stack, work_tree=stack)
    git.run("commit", "--quiet", "--all", "--amend", "--no-edit")
    said = run("sync", str(stack), root=root)
    assert said.document["written"] is True, said.document
    assert run("pin", root=root).exit == 0


def test_a_fold_that_does_not_compile_fails_the_build_gate(project: Path, tmp_path: Path) -> None:
    break_tip(project, tmp_path, "keeping context checkpoint %d of %d", 'keeping " no_such_name " checkpoint %d of %d')
    said = run("release", root=project)
    assert said.exit == 1
    assert said.outcomes()["builds"] == "failed"
    assert "block-does-not-build" in said.codes()
    assert said.outcomes()["golden-smollm2"] == "undecided"
    assert not (project / "dist").exists()


def test_a_fold_that_changes_text_fails_the_golden_gates(project: Path, tmp_path: Path) -> None:
    break_tip(
        project,
        tmp_path,
        "id = common_sampler_sample(slot.smpl.get(), slot.ctx_tgt, tok_idx);",
        "id = common_sampler_sample(slot.smpl.get(), slot.ctx_tgt, tok_idx); if (id % 5 == 0) { id++; }",
    )
    said = run("release", root=project)
    assert said.exit == 1
    outcomes = said.outcomes()
    assert outcomes["builds"] == "passed"
    assert outcomes["golden-smollm2"] == "failed"
    assert "golden-differs" in said.codes()
    assert not (project / "dist").exists()


def test_another_tip_tree_fails_before_anything_is_built(project: Path) -> None:
    value = json.loads((project / "release.json").read_bytes())
    value["reference"]["tip_tree"] = value["reference"]["base_tree"]
    (project / "release.json").write_text(json.dumps(value), "utf-8")
    said = run("release", root=project)
    assert said.exit == 1
    assert said.outcomes()["trees"] == "failed"
    assert "tip-tree-differs" in said.codes()
    assert said.outcomes()["builds"] == "undecided"


def test_a_missing_patch_is_told_with_its_file(project: Path) -> None:
    (project / "blocks/checkpoint-keep/folds/keep/fold.patch").unlink()
    said = run("release", root=project)
    assert said.exit == 2
    assert "patch-missing" in said.codes()


def test_our_own_check_takes_no_compiler(project: Path) -> None:
    said = say("check", root=project, cache=cache_root(), env={"CC": "/nowhere/cc", "CXX": "/nowhere/c++"})
    assert said.exit == 0


def test_git_is_asked_for_by_package_when_it_is_not_there(project: Path, tmp_path: Path) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    said = say("check", root=project, cache=cache_root(), env={"PATH": str(empty)})
    assert said.exit == 2
    assert "git-missing" in said.codes()
    assert subprocess.run(["git", "--version"], check=False, capture_output=True).returncode == 0
