"""The commands for folders, deliveries, the rest and upstream are wired."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.edit.workshop import Workshop
from tests.who.conftest import Run


@pytest.mark.parametrize("form", ["patches", "stgit", "electron"])
def test_a_folder_goes_out_and_comes_in(form: str, shop: Workshop, run: Run, tmp_path: Path) -> None:
    out = run("export", form, "--out", tmp_path / "folder", "-C", shop.root, "--json").json()
    told = run(
        "import", "patches", tmp_path / "folder", "--orig", shop.root / "engine", "--out", tmp_path / "again", "--json"
    ).json()
    assert told["tip"]["tree"] == out["tip"]["tree"]  # type: ignore[index]


def test_a_delivery_goes_out_and_comes_in(shop: Workshop, run: Run, tmp_path: Path) -> None:
    out = run("export", "delivery", "--out", tmp_path / "delivery", "-C", shop.root, "--json").json()
    told = run(
        "import",
        "delivery",
        tmp_path / "delivery",
        "--orig",
        shop.root / "engine",
        "--out",
        tmp_path / "again",
        "--json",
    ).json()
    assert (told["tip"], told["hashes"], told["rest"]) == (out["tip"], 3, False)
    assert run("check", "-C", tmp_path / "again").code == 0


def test_what_a_reference_has_beyond_the_stack_becomes_the_rest(shop: Workshop, run: Run, tmp_path: Path) -> None:
    reference = tmp_path / "fork"
    shutil.copytree(shop.root / "engine", reference)
    file = reference / "src/a.cpp"
    file.write_text(file.read_text().replace("line 3\n", "line 3 changed\n"))
    (reference / "src/b.cpp").write_text("int c;\n")
    (reference / "more.txt").write_text("more\n")

    told = run("import", "rest", reference, "-C", shop.root, "--json").json()

    assert told["left"] == ["more.txt"]
    assert json.loads((shop.root / "release.json").read_text())["blocks"] == ["alpha", "beta", "rest"]
    run("pin", "-C", shop.root)
    assert run("check", "-C", shop.root).code == 0
    assert run("import", "rest", reference, "-C", shop.root, "--dry-run", "--json").json()["left"] == ["more.txt"]


def test_the_reference_may_be_a_commit(shop: Workshop, run: Run, tmp_path: Path) -> None:
    fork = tmp_path / "fork"
    shutil.copytree(shop.root / "engine", fork)
    for step in (
        ("init", "-q"),
        ("add", "-Af"),
        ("-c", "user.name=A", "-c", "user.email=a@b.org", "commit", "-qm", "x"),
    ):
        subprocess.run(["git", *step], cwd=fork, check=True, capture_output=True)
    told = run("import", "rest", f"{fork}:HEAD", "-C", shop.root, "--dry-run", "--json").json()
    assert told["left"] == ["crlf.txt", "src/a.cpp", "src/b.cpp"]  # git itself changed the line ends of the first


def test_a_block_is_written_for_upstream(shop: Workshop, run: Run, tmp_path: Path) -> None:
    told = run("export", "--upstream", "alpha", "--out", tmp_path / "alpha.patch", "-C", shop.root, "--json").json()
    assert told["first"] == []
    assert b"Co-authored-by: B <b@c.org>" in (tmp_path / "alpha.patch").read_bytes()
    newer = tmp_path / "newer"
    shutil.copytree(shop.root / "engine", newer)
    (newer / "more.txt").write_text("more\n")
    again = run("export", "--upstream", "alpha", "--onto", newer, "-C", shop.root, "--json").json()
    assert again["trees"] != told["trees"]
    (newer / "src/a.cpp").write_text("another file\n")
    assert "upstream-does-not-fit" in run("export", "--upstream", "alpha", "--onto", newer, "-C", shop.root).err
