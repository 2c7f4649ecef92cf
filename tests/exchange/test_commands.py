"""Each command of import and export is wired, and says the same to programs and to people."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.core.real_git import RealGit
from tests.exchange.folders import random_series
from tests.exchange.test_import import random_history


def stackproof(folder: Path, *args: str) -> "subprocess.CompletedProcess[bytes]":
    """One run with nothing on PATH: no git, no patch, no quilt."""
    env = {"PATH": "/nowhere", "HOME": str(folder), "STACKPROOF_CACHE": str(folder / "cache"), "NO_COLOR": "1"}
    code = "import sys; from builder.cli.main import main; sys.argv[0] = 'stackproof'; main()"
    return subprocess.run(
        [sys.executable, "-c", code, *args], env=env, cwd=Path.cwd(), capture_output=True, check=False
    )


def answer(folder: Path, *args: str) -> dict[str, object]:
    done = stackproof(folder, *args, "--json")
    assert done.returncode == 0, done.stderr + done.stdout
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


@pytest.fixture
def series(tmp_path: Path) -> Path:
    random_series(3, tmp_path, 3)
    return tmp_path


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, object]]:
    """One import that many exports start from: where it is, and what it told."""
    folder = tmp_path_factory.mktemp("taken")
    random_series(3, folder, 3)
    return folder, import_quilt(folder)


def import_quilt(folder: Path, *more: str) -> dict[str, object]:
    return answer(
        folder, "import", "quilt", "--orig", str(folder / "orig"), "--patches", str(folder / "patches"),
        "--dialect", "git", "--out", str(folder / "out"), *more,
    )  # fmt: skip


def test_import_tells_what_became_of_every_hunk(taken: tuple[Path, dict[str, object]]) -> None:
    series, told = taken
    folds = told["folds"]
    assert isinstance(folds, list)
    assert [fold["fold"] for fold in folds] == ["0-change", "1-change", "2-change"]
    fates = {hunk["fate"] for fold in folds for hunk in fold["hunks"]}
    assert fates == {"exact"}
    # The tip that is told is the one that `stack` derives.
    done = stackproof(series, "stack", "-C", str(series / "out"), "--json")
    if done.returncode == 0:
        assert json.loads(done.stdout)["tip"] == told["tip"]


@pytest.mark.parametrize(("command", "place"), [("mbox", "m"), ("diff", "combined.patch")])
def test_export_writes_a_new_file(taken: tuple[Path, dict[str, object]], command: str, place: str) -> None:
    series, _ = taken
    told = export(series, command, "--out", str(series / place))
    assert told["written"] == str(series / place)
    assert (series / place).stat().st_size > 0


def test_export_quilt_and_git_are_wired(taken: tuple[Path, dict[str, object]]) -> None:
    series, _ = taken
    RealGit(series)
    told = export(series, "git", "--to", str(series / "repo.git"), "--branch", "b")
    assert told["written"] == str(series / "repo.git")
    done = stackproof(series, "export", "quilt", "-C", str(series / "out"), "--out", str(series / "q"), "--json")
    assert (done.returncode, (series / "q/series").exists()) in ((0, True), (2, False))


def export(folder: Path, *args: str) -> dict[str, object]:
    env = {"PATH": os.environ["PATH"], "HOME": str(folder), "STACKPROOF_CACHE": str(folder / "cache")}
    code = "import sys; from builder.cli.main import main; sys.argv[0] = 'stackproof'; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "export", *args, "-C", str(folder / "out"), "--json"], env=env, cwd=Path.cwd(),
        capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr + done.stdout
    value = json.loads(done.stdout)
    assert isinstance(value, dict)
    return value


def test_import_git_is_wired(tmp_path: Path) -> None:
    _, commits = random_history(RealGit(tmp_path), 2, 2)
    told = answer(
        tmp_path, "import", "git", str(tmp_path / "repo.git"), f"{commits[0]}..main", "--out", str(tmp_path / "out")
    )
    assert len(told["folds"]) == 2  # type: ignore[arg-type]  # a list


def test_what_is_left_out_of_the_sources_is_no_part_of_the_base(
    series: Path, taken: tuple[Path, dict[str, object]]
) -> None:
    _, plain = taken
    (series / "orig/.pc").mkdir()
    (series / "orig/.pc/x").write_text("quilt's own")
    again = import_quilt(series, "--without", ".pc")
    assert again["base"] == plain["base"]


def test_a_refused_import_exits_2_and_names_the_place(series: Path) -> None:
    (series / "patches/1-change.patch").write_bytes(b"--- a/none\n+++ b/none\n@@ -1 +1 @@\n-a\n+b\n")
    done = stackproof(
        series, "import", "quilt", "--orig", str(series / "orig"), "--patches", str(series / "patches"), "--out",
        str(series / "out"), "--dialect", "git",
    )  # fmt: skip
    assert done.returncode == 2
    assert b"error[path-missing]" in done.stderr
    assert b"1-change.patch:1" in done.stderr
    assert not (series / "out").exists()


def test_an_unknown_dialect_is_told(series: Path) -> None:
    done = stackproof(
        series, "import", "quilt", "--orig", str(series / "orig"), "--patches", str(series / "patches"), "--out",
        str(series / "out"), "--dialect", "svn",
    )  # fmt: skip
    assert done.returncode == 2
    assert b"error[dialect-unknown]" in done.stderr
