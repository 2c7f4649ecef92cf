"""A packager's own patches on a release, and what becomes of each when the next release is there."""

from pathlib import Path

import pytest

from builder.exchange.tree_diff import patch_between
from tests.core.memory import tree_in_memory
from tests.overlay.conftest import World
from tests.overlay.world import DELIVERED, LINES, Project, make, tree
from verify.bundle.check import check_bundle
from verify.diff.render import render_patch
from verify.manifest.read import read_release
from verify.model.block import Disposition

DEP3 = """Description: {title}
 The packager says why.
Author: Ada Lovelace <ada@analytical.org>
Forwarded: https://example.org/{title}
Last-Update: 2026-01-02
---
"""
LOCAL = (
    ("fix-typo", "line 12\n", "line twelve\n"),
    ("two-places", "line 20\n", "line twenty\n"),
    ("keep-path", "line 40\n", "line forty, kept\n"),
    ("our-limit", "line 50\n", "line fifty, limited\n"),
)


def changed(text: str, *names: str) -> str:
    """The text with these local patches applied."""
    for name, old, new in LOCAL:
        if name in names:
            text = text.replace(old, new)
            text = text.replace("line 25\n", "line twenty-five\n") if name == "two-places" else text
    return text


def debian(folder: Path) -> Path:
    """debian/patches with a series, as a source package has it."""
    patches = folder / "debian/patches"
    patches.mkdir(parents=True)
    text = DELIVERED
    for name, _, _ in LOCAL:
        after = changed(text, name)
        patch = render_patch(patch_between(tree_in_memory(tree(text))[0], tree_in_memory(tree(after))[0]))
        (patches / f"{name}.patch").write_bytes(DEP3.format(title=name).encode() + patch)
        text = after
    (patches / "series").write_text("# ours\n" + "".join(f"{name}.patch\n" for name, _, _ in LOCAL))
    return patches


@pytest.fixture
def local(world: World) -> Project:
    """The packager's project."""
    made = Project(root=world.folder / "local", cache=world.folder / "packager")
    words = ["--on", str(world.bundle), "--patches", str(debian(world.folder)), "--out", str(made.root)]
    run(made, "quilt", *words, "--base", str(world.archive))
    return made


def run(project: Project, *words: str, status: int = 0) -> str:
    """`stackproof import WORDS`, which has no -C."""
    from typer.testing import CliRunner

    from builder.cli.main import app

    env = {"STACKPROOF_CACHE": str(project.cache), "NO_COLOR": "1", "COLUMNS": "200"}
    result = CliRunner().invoke(app, ["import", *words], env=env)
    assert result.exit_code == status, result.output
    return result.output


def next_release(world: World) -> Path:
    """The release after it: it took the typo whole, of two places one, and changed the line of our limit; one more."""
    text = DELIVERED.replace("line 1\n", "line 0\nline 1\n")
    taken = changed(text, "fix-typo").replace("line 20\n", "line twenty\n")
    end = taken.replace("line 50\n", "line fifty, otherwise\n")
    made = make(
        world.folder, "next", name="engine-1-r2", base=None,
        blocks=(("alpha", DELIVERED), ("beta", taken), ("epsilon", end)), start=LINES,
    )  # fmt: skip
    return made.seal(world.folder / "dist")


def test_a_folder_of_patches_becomes_an_overlay_that_is_built_as_the_release_is(world: World, local: Project) -> None:
    stack = local.stack()
    assert stack.base_tree == world.delivery.stack().tip_tree()
    assert len(stack.layers) == 4
    assert local.document()["configurations"] == world.delivery.document()["configurations"]
    assert local.document()["engine"] == "engine"
    assert "holds" in local.run("check")
    credit = read_release(local.root).blocks[0].folds[0].author
    assert credit.name == "Ada Lovelace"


def test_the_next_release_tells_absorbed_partly_applying_and_conflicting_patches(world: World, local: Project) -> None:
    found = local.json("bump", "--to", str(next_release(world)), status=1)
    outcomes = {each["fold"]: each["outcome"] for each in found["folds"]}
    assert outcomes == {
        "fix-typo": "upstreamed",
        "two-places": "partly upstreamed",
        "keep-path": "moved",
        "our-limit": "conflict",
    }


def test_the_overlay_goes_on_with_what_is_left_and_is_sealed_with_its_record(world: World, local: Project) -> None:
    before = local.files()
    local.json("bump", "--to", str(next_release(world)), status=1)
    drop = ("--drop", "local/our-limit", "--reason", "They did it.", "--unproven")
    local.run("bump", "accept", "--name", "local-2", *drop)
    release = read_release(local.root)
    folds = {str(fold.id): fold.disposition for fold in release.blocks[0].folds}
    assert folds["fix-typo"] is Disposition.UPSTREAMED
    assert "release engine-1-r2" in release.blocks[0].folds[0].reason
    assert "our-limit" not in folds
    assert release.bump is not None
    assert "holds" in local.run("check")
    sealed = local.seal(world.folder / "out")
    assert (sealed / "blocks/bump.json").is_file()
    assert int(check_bundle(sealed, base=world.archive).exit_code()) == 0
    local.run("undo")
    assert local.files() == before


def test_mailed_patches_are_laid_on_a_release_too(world: World, tmp_path: Path) -> None:
    patches = tmp_path / "outgoing"
    patches.mkdir()
    source = debian(world.folder)
    for number, (name, _, _) in enumerate(LOCAL, start=1):
        body = (source / f"{name}.patch").read_bytes().partition(b"---\n")[2]
        head = (
            f"From: Ada Lovelace <ada@analytical.org>\nDate: Thu, 1 Jan 2026 00:00:00 +0000\nSubject: {name}\n\n---\n"
        )
        (patches / f"{number:04d}-{name}.patch").write_bytes(head.encode() + body)
    made = Project(root=world.folder / "mailed", cache=world.folder / "packager")
    words = ["--on", str(world.bundle), "--out", str(made.root), "--base", str(world.archive)]
    run(made, "patches", str(patches), *words)
    assert made.stack().base_commit == world.delivery.stack().tip_commit()
    assert "holds" in made.run("check")


@pytest.mark.parametrize("named", [[], ["--orig", "x", "--on", "y"]])
def test_patches_are_laid_on_one_thing(world: World, named: list[str], tmp_path: Path) -> None:
    made = Project(root=tmp_path / "none", cache=world.folder / "cache")
    told = run(made, "quilt", "--patches", str(tmp_path), "--out", str(made.root), *named, status=2)
    assert "import-ground" in told
