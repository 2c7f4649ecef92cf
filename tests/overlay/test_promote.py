"""Blocks of the overlay become the delivery's: the tip stays, everything comes along, one undo takes it back."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.overlay.conftest import World
from tests.overlay.world import BETA, BETA_2, DELIVERED, LINES, Project, lines, make, on_release
from verify.manifest.read import read_release

ARCHIVE = "../engine-1.tar.gz"


def promote(world: World, *words: str, status: int = 0) -> Any:
    return world.delivery.json("promote", str(world.overlay.root), *words, status=status)


def codes(document: Any) -> set[str]:
    return {each["code"] for each in document["diagnostics"]}


def with_blocks(world: World, *blocks: tuple[str, str]) -> None:
    """The overlay with other blocks."""
    shutil.rmtree(world.overlay.root)
    base = on_release(world.bundle, world.overlay.root, base=ARCHIVE)
    make(world.folder, "overlay", name="engine-1-r1-beta", base=base, blocks=blocks, start=DELIVERED)


def test_all_of_it_leaves_the_overlays_tip_and_one_undo_takes_it_back(world: World) -> None:
    before = world.delivery.files()
    made = promote(world, "--name", "engine-1-r2")
    assert made["tip"]["tree"] == world.overlay.stack().tip_tree()
    assert made["tip"]["commit"] == world.overlay.stack().tip_commit()
    assert made["builds"] == []
    release = read_release(world.delivery.root)
    assert (release.name, release.parent) == ("engine-1-r2", "engine-1-r1")
    assert [block.name for block in release.blocks] == ["alpha", "beta", "gamma", "delta"]
    assert "holds" in world.delivery.run("check")
    world.delivery.run("undo")
    assert world.delivery.files() == before


def test_every_file_of_a_block_comes_along_byte_for_byte(world: World) -> None:
    folder = world.overlay.root / "blocks/gamma"
    (folder / "resolutions").mkdir()
    (folder / "resolutions/kept.txt").write_text("a resolution\n")
    promote(world, "--name", "engine-1-r2")
    theirs, ours = world.overlay.files(), world.delivery.files()
    moved = {name for name in theirs if name.startswith(("blocks/gamma/", "blocks/delta/"))}
    assert len(moved) == 7
    assert {name for name in moved if theirs[name] != ours[name]} == set()


def test_a_part_is_the_overlay_less_the_rest_and_its_patch_is_written_anew(world: World) -> None:
    with_blocks(world, ("gamma", BETA.replace("line 1\n", "line 1\nline 1b\n")), ("delta", inserted(BETA_2)))
    made = promote(world, "delta", "--name", "engine-1-r2")
    assert made["rest"] == ["gamma"]
    assert made["told"] == ["delta/base: offset only"]
    assert len(made["builds"]) == 1
    main = world.delivery.root / "blocks/delta/folds/base/fold.patch"
    assert main.read_bytes() != (world.overlay.root / "blocks/delta/folds/base/fold.patch").read_bytes()
    source = "blocks/delta/folds/base/source.patch"
    assert (world.delivery.root / source).read_bytes() == (world.overlay.root / source).read_bytes()
    assert "holds" in world.delivery.run("check")


def inserted(text: str) -> str:
    return text.replace("line 1\n", "line 1\nline 1b\n")


def test_the_rest_of_the_overlay_goes_on_upon_what_was_promoted(world: World) -> None:
    tip = world.overlay.stack().tip_tree()
    promote(world, "gamma", "--name", "engine-1-r2")
    bundle = world.delivery.seal(world.folder / "dist")
    told = world.overlay.run("bump", "--to", str(bundle), "--base", f"../{world.archive.name}")
    assert "gamma/base: upstreamed" in told
    world.overlay.run("bump", "accept", "--name", "engine-1-r2-beta", "--drop", "gamma", "--unproven")
    assert world.overlay.stack().tip_tree() == tip
    assert [block.name for block in read_release(world.overlay.root).blocks] == ["delta"]
    assert "holds" in world.overlay.run("check")
    assert world.overlay.seal(world.folder / "dist").is_dir()


def test_a_block_that_stands_on_what_stays_behind_is_refused(world: World) -> None:
    before = world.delivery.files()
    on_top = BETA.replace("ten of gamma", "ten of gamma and delta")
    with_blocks(world, ("gamma", BETA), ("delta", on_top))
    assert "edit-conflict" in codes(promote(world, "delta", "--name", "engine-1-r2", status=1))
    assert world.delivery.files() == before


def test_what_a_block_requires_is_promoted_with_it(world: World) -> None:
    file = world.overlay.root / "blocks/delta/block.yaml"
    file.write_text(file.read_text().replace("folds:", "requires: [gamma]\nfolds:"))
    world.overlay.run("pin")
    assert codes(promote(world, "delta", "--name", "engine-1-r2", status=2)) == {"promote-requires"}
    promote(world, "delta", "gamma", "--name", "engine-1-r2")


def test_a_name_that_is_taken_is_refused(world: World) -> None:
    with_blocks(world, ("alpha", BETA))
    assert codes(promote(world, "--name", "engine-1-r2", status=2)) == {"promote-name-taken"}


def test_an_overlay_on_another_tip_is_refused(world: World) -> None:
    promote(world, "--name", "engine-1-r2")
    assert codes(promote(world, "--name", "engine-1-r3", status=2)) == {"promote-other-base"}


def test_an_overlay_that_is_not_pinned_is_refused(world: World) -> None:
    file = world.overlay.root / "blocks/delta/block.yaml"
    file.write_text(file.read_text().replace("Grace Hopper", "Ada Lovelace"))
    assert codes(promote(world, "--name", "engine-1-r2", status=2)) == {"promote-not-pinned"}


def test_a_project_on_upstream_is_no_overlay(world: World, tmp_path: Path) -> None:
    other = make(tmp_path, "other", name="other", base=None, blocks=(("eta", lines(l1="x")),), start=LINES)
    told = world.delivery.json("promote", str(other.root), status=2)
    assert codes(told) == {"promote-no-overlay"}


def test_a_sealed_name_is_not_used_for_more_blocks(world: World) -> None:
    shutil.copytree(world.bundle, world.delivery.root / "dist/engine-1-r1")
    before = world.delivery.files()
    assert codes(promote(world, status=2)) == {"release-name-bound"}
    assert world.delivery.files() == before


def test_an_unknown_block_is_told(world: World) -> None:
    assert codes(promote(world, "gama", status=2)) == {"block-unknown"}


def test_a_dry_run_writes_nothing(world: World) -> None:
    before = world.delivery.files()
    assert promote(world, "--name", "engine-1-r2", "--dry-run")["blocks"] == ["gamma", "delta"]
    assert world.delivery.files() == before


def with_model(project: Project, digest: str) -> None:
    """A gate of gamma on a model that is pinned to this digest."""
    document = project.document()
    model = {"kind": "generated", "generator": "llama", "sha256": digest * 64, "licence": "MIT"}
    document["models"] = {"tiny": model}
    (project.root / "release.json").write_text(json.dumps(document, indent=2) + "\n")
    project.run("pin")


@pytest.mark.parametrize("ours", ["", "1", "2"])
def test_models_of_promoted_gates_come_along_and_must_be_the_same(world: World, ours: str) -> None:
    file = world.overlay.root / "blocks/gamma/block.yaml"
    declared = "{kind: repeat-determinism, model: tiny, configuration: release, prompts: [Hello]}"
    gate = f"gates:\n  steady: {declared}\nfolds:"
    file.write_text(file.read_text().replace("folds:", gate))
    with_model(world.overlay, "1")
    if ours:
        with_model(world.delivery, ours)
    made = promote(world, "--name", "engine-1-r2", status=2 if ours == "2" else 0)
    if ours == "2":
        assert codes(made) == {"promote-model-differs"}
    else:
        assert world.delivery.document()["models"]["tiny"]["sha256"] == "1" * 64
