"""A project on a bundle: it is checked, sealed and verified from upstream; a bundle that is another one is refused."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.overlay.conftest import World
from tests.overlay.world import ARCHIVE, BETA_2, DELIVERED, LINES, Project, make, on_release, overlay, tree
from tests.seal.project import archive_of
from tests.seal.tampering import sum_again
from verify.bundle.check import Report, check_bundle
from verify.bundle.line import DEEPEST
from verify.report.json import outcome_word

ROOT = Path(__file__).parents[2]


def ends(report: Report) -> dict[str, str]:
    return {check.name: outcome_word(check.outcome) for check in report.checks}


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings()}


def cold(world: World) -> Project:
    """The overlay with an empty cache."""
    return Project(root=world.overlay.root, cache=world.folder / "empty")


def test_the_base_is_the_tip_of_the_release_below_and_commits_go_on_there(world: World) -> None:
    below, above = world.delivery.stack(), world.overlay.stack()
    assert (above.base_tree, above.base_commit) == (below.tip_tree(), below.tip_commit())
    assert "holds" in cold(world).run("check")


def test_once_derived_the_bundle_is_not_read_again(world: World) -> None:
    shutil.rmtree(world.bundle)
    assert "holds" in world.overlay.run("check")


def test_the_bundle_of_an_overlay_is_checked_from_upstream_alone(world: World, tmp_path: Path) -> None:
    sealed = world.overlay.seal(tmp_path / "out")
    for folder in (world.delivery.root, world.bundle, world.overlay.root, world.overlay.cache):
        shutil.rmtree(folder)
    command = [sys.executable, "-m", "verify", str(sealed), "--base", str(world.archive), "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    report = json.loads(done.stdout)
    assert done.returncode == 0, report
    assert "it stands on `engine-1-r1`, by digest" in done.stdout
    assert "the pinned archive with 2 folds of engine-1-r1 gives" in done.stdout
    base = json.loads((sealed / "base.json").read_text())
    assert base["source"]["kind"] == "release"
    assert base["upstream"]["source"]["kind"] == "archive"
    pedigree = json.loads((sealed / "sbom.cdx.json").read_text())["metadata"]["component"]["pedigree"]
    assert [each["diff"]["url"] for each in pedigree["patches"]] == [
        "base/blocks/alpha/folds/base/fold.patch",
        "base/blocks/beta/folds/base/fold.patch",
        "patches/0001-gamma-base.patch",
        "patches/0002-delta-base.patch",
    ]


def test_without_upstream_what_needs_it_is_undecided(world: World, tmp_path: Path) -> None:
    sealed = world.overlay.seal(tmp_path / "out")
    report = check_bundle(sealed, base=None)
    assert ends(report)["base releases"] == "passed"
    assert ends(report)["trees"] == "undecided"
    assert [reason.code for reason in report.reasons()] == ["base-not-given"]


def test_two_deep_stands_on_what_its_bundle_carries(world: World, tmp_path: Path) -> None:
    middle = world.overlay.seal(world.folder / "dist")
    for folder in (world.delivery.root, world.bundle, world.overlay.root, world.overlay.cache):
        shutil.rmtree(folder)
    base = on_release(middle, world.folder / "top", base=f"../{ARCHIVE}")
    after = BETA_2.replace("line 20\n", "twenty of top\n")
    top = make(world.folder, "top", name="mine", base=base, blocks=(("zeta", after),), start=BETA_2)
    sealed = top.seal(tmp_path / "out")
    report = check_bundle(sealed, base=world.archive)
    assert set(ends(report).values()) == {"passed"}
    assert (sealed / "base/base/blocks/alpha/folds/base/fold.patch").is_file()


@pytest.mark.parametrize(
    "member", ["blocks/alpha/folds/base/fold.patch", "release.json", "blocks/beta/block.yaml", "blocks/lock.json"]
)
def test_a_tampered_bundle_is_no_base(world: World, member: str) -> None:
    file = world.bundle / member
    file.write_bytes(file.read_bytes().replace(b"of ", b"OF ") + b" ")
    assert "base-release-differs" in cold(world).run("check", status=2)


def test_the_pinned_name_with_other_content_is_no_base(world: World, tmp_path: Path) -> None:
    other = make(tmp_path, "other", name="engine-1-r1", base=None, blocks=(("alpha", BETA_2),), start=LINES)
    shutil.rmtree(world.bundle)
    other.seal(world.bundle.parent)
    told = cold(world).run("check", status=2)
    assert "base-release-differs" in told
    assert "expected" in told


def test_another_name_is_no_base(world: World) -> None:
    document = world.overlay.document()
    document["base"]["source"]["release"] = "engine-1-r0"
    (world.overlay.root / "release.json").write_text(json.dumps(document))
    assert "it is a bundle of `engine-1-r1`" in cold(world).run("check", status=2)


def test_a_bundle_that_is_gone_is_told_with_its_place(world: World) -> None:
    shutil.rmtree(world.bundle)
    told = cold(world).run("check", status=2)
    assert "base-release-missing" in told
    assert "dist/engine-1-r1" in told


def test_upstreams_path_must_be_told_where_the_release_names_one(world: World) -> None:
    document = world.overlay.document()
    del document["base"]["source"]["base"]
    (world.overlay.root / "release.json").write_text(json.dumps(document))
    assert "base-release-path" in cold(world).run("check", status=2)


def test_another_archive_at_that_path_is_refused(world: World) -> None:
    world.archive.write_bytes(archive_of(tree(BETA_2), "engine-1"))
    assert "sha256-differs" in cold(world).run("check", status=2)


def test_a_release_is_not_its_own_base(world: World) -> None:
    document = world.overlay.document()
    document["name"] = "engine-1-r1"
    (world.overlay.root / "release.json").write_text(json.dumps(document))
    assert "base-release-cycle" in cold(world).run("check", status=2)


def test_the_commit_of_upstream_is_not_stated_twice(world: World) -> None:
    document = world.overlay.document()
    document["base"]["upstream_commit"] = "1" * 40
    (world.overlay.root / "release.json").write_text(json.dumps(document))
    assert "upstream-commit-inherited" in cold(world).run("check", status=2)


def test_a_name_that_comes_twice_in_a_line_is_refused(world: World) -> None:
    middle = world.overlay.seal(world.folder / "dist")
    base = on_release(middle, world.folder / "top", base=f"../{ARCHIVE}")
    top = make(world.folder, "top", name="mine", base=base, blocks=(("zeta", BETA_2 + "top\n"),), start=BETA_2)
    again = top.seal(world.folder / "dist")
    base = on_release(again, world.folder / "last", base=f"../{ARCHIVE}")
    start = BETA_2 + "top\n"
    last = make(world.folder, "last", name="engine-1-r1", base=base, blocks=(("eta", start + "x\n"),), start=start)
    with pytest.raises(Exception, match="two releases of the line are named `engine-1-r1`"):
        last.seal(world.folder / "out")


def test_a_line_has_an_end(world: World) -> None:
    below, start = world.bundle, DELIVERED
    for number in range(DEEPEST):
        root = f"level-{number}"
        base = on_release(below, world.folder / root, base=f"../{ARCHIVE}")
        after = f"{start}{number}\n"
        made = make(world.folder, root, name=root, base=base, blocks=(("more", after),), start=start)
        below, start = made.seal(world.folder / "dist"), after
    base = on_release(below, world.folder / "last", base=f"../{ARCHIVE}")
    with pytest.raises(AssertionError, match="base-release-too-deep"):
        make(world.folder, "last", name="last", base=base, blocks=(("more", f"{start}x\n"),), start=start)


@pytest.mark.parametrize(
    "member",
    ["base/blocks/alpha/folds/base/fold.patch", "base/stack.json", "base/release.json", "base/blocks/lock.json"],
)
def test_a_carried_release_that_was_changed_is_told(world: World, member: str, tmp_path: Path) -> None:
    sealed = world.overlay.seal(tmp_path / "out")
    file = sealed / member
    file.write_bytes(file.read_bytes().replace(b"alpha", b"alphA"))
    sum_again(sealed)
    report = check_bundle(sealed, base=world.archive)
    assert "bundle-base-release-differs" in codes(report)
    assert ends(report)["trees"] == "undecided"


def test_a_carried_file_that_is_missing_and_one_too_many_are_told(world: World, tmp_path: Path) -> None:
    sealed = world.overlay.seal(tmp_path / "out")
    (sealed / "base/blocks/beta/block.yaml").unlink()
    (sealed / "base/more.txt").write_text("more\n")
    sum_again(sealed)
    assert {"bundle-base-release-differs", "bundle-file-unknown"} <= codes(check_bundle(sealed, base=None))


def test_credit_changed_in_a_carried_release_does_not_give_its_commits(world: World, tmp_path: Path) -> None:
    sealed = world.overlay.seal(tmp_path / "out")
    file = sealed / "base/stack.json"
    file.write_bytes(file.read_bytes().replace(b"Grace Hopper", b"Somebody Else"))
    sum_again(sealed)
    assert "bundle-commit-differs" in codes(check_bundle(sealed, base=None))


def test_another_bundle_swapped_in_below_is_told(world: World, tmp_path: Path) -> None:
    sealed = world.overlay.seal(tmp_path / "out")
    other = make(tmp_path, "other", name="engine-1-r1", base=None, blocks=(("alpha", BETA_2),), start=LINES)
    bundle = other.seal(tmp_path / "dist")
    shutil.rmtree(sealed / "base")
    (sealed / "base").mkdir()
    for name in ("release.json", "stack.json"):
        shutil.copy(bundle / name, sealed / "base")
    shutil.copytree(bundle / "blocks", sealed / "base/blocks")
    sum_again(sealed)
    assert "bundle-base-release-differs" in codes(check_bundle(sealed, base=world.archive))


def test_two_overlays_of_one_release_are_the_same_bytes_wherever_they_are_sealed(world: World, tmp_path: Path) -> None:
    one = world.overlay.seal(tmp_path / "one")
    there = tmp_path / "there"
    shutil.copytree(world.folder, there, symlinks=True)
    two = Project(root=there / "overlay", cache=there / "cache").seal(tmp_path / "two")
    assert (one / "SHA256SUMS").read_bytes() == (two / "SHA256SUMS").read_bytes()


def test_a_second_overlay_beside_the_first(world: World) -> None:
    other = overlay(world.folder, world.bundle, root="second", name="second")
    assert other.stack().base_tree == world.overlay.stack().base_tree
