"""A block is left out only where the release without it was built and holds."""

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from builder.cli.main import app
from tests.mini_engine.project import MiniProject, write_project
from tests.requires.blocks import BRINGS, CONFIGURATION, USES
from verify.manifest.read import read_release


@pytest.fixture
def project(tmp_path: Path) -> MiniProject:
    made = write_project(
        tmp_path / "project", tmp_path / "cache", blocks=(BRINGS, USES), gates={"hygiene": {"kind": "patch-hygiene"}}
    )
    made.write_release({**made.release(), "configurations": {"library": {**CONFIGURATION, "proofs": ["tip"]}}})
    return made


def newer(project: MiniProject, name: str, *, brings: bool) -> str:
    """The engine as upstream has it now: with a comment more, and what the block `brings` brings, or without."""
    folder = project.root.parent / name
    shutil.copytree(project.root / "engine", folder)
    for file, old, new in BRINGS.folds[0].changes if brings else ():
        path = folder / file
        path.write_text(path.read_text().replace(old, new))
    (folder / "src/extra.c").write_text((folder / "src/extra.c").read_text() + "/* newer */\n")
    return str(folder)


def run(project: MiniProject, *words: str) -> tuple[int, str]:
    env = {"STACKPROOF_CACHE": str(project.cache), "NO_COLOR": "1", "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["bump", *words, "-C", str(project.root)], env=env)
    return result.exit_code, result.output


def test_a_block_is_dropped_only_when_the_rest_is_proven_without_it(project: MiniProject) -> None:
    run(project, "--to", newer(project, "without", brings=False))
    before = (project.root / "release.json").read_bytes()
    status, told = run(project, "accept", "--drop", "brings", "--reason", "nobody uses it")
    assert (status, "not accepted" in told, "mini_brought" in told) == (1, True, True), told
    assert (project.root / "release.json").read_bytes() == before
    status, told = run(project, "--to", newer(project, "with", brings=True))
    assert (status, "accept --drop brings" in told) == (0, True)
    assert "to prove it: " in run(project, "accept", "--drop", "brings", "--dry-run")[1]
    status, told = run(project, "accept", "--drop", "brings")
    assert (status, "proven without it" in told) == (0, True), told
    release = read_release(project.root)
    assert [block.name for block in release.blocks] == ["uses"]
    assert [(each.id, each.disposition) for each in release.not_taken] == [("brings", "upstreamed")]
