"""One byte, one file, another release's file: with every checksum made again, it is caught and named."""

import json
import random
import shutil
from pathlib import Path

import pytest

from tests.seal.project import Project, make_project
from tests.seal.tampering import members, sum_again
from verify.bundle.check import Report, check_bundle
from verify.bundle.image import blob_member
from verify.bundle.layout import SUMS

MEMBERS = (
    "NOTES.md",
    "base.json",
    "blocks/alpha/block.yaml",
    "blocks/alpha/folds/base/fold.patch",
    "blocks/alpha/folds/pr-7/fold.patch",
    "blocks/alpha/folds/pr-7/source.patch",
    "blocks/beta/block.yaml",
    "blocks/beta/folds/base/fold.patch",
    "binaries/engine-1-r1-release.tar.gz",
    "blocks/lock.json",
    "combined.diff",
    "evidence",
    "image/index.json",
    "image/oci-layout",
    "image:config",
    "image:engine",
    "image:manifest",
    "image:system",
    "patches/0001-alpha-base.patch",
    "patches/0002-alpha-pr-7.patch",
    "patches/0003-beta-base.patch",
    "patches/series",
    "release.json",
    "reviews.json",
    "sbom.cdx.json",
    "series.mbox",
    "source/engine-1-r1.tar.gz",
    "stack.json",
    "statements/build-release.json",
    "statements/release.json",
    "statements/reviews.json",
    "statements/tests.json",
    "verdict.json",
)


SAME_OR_SILENT = (
    "combined.diff", "patches/series", "image/oci-layout", "image:engine", "image:system",
)  # fmt: skip
"""What two releases with the same programs share, and what only the base can tell."""


def member(bundle: Path, name: str) -> str:
    """The member of that name; evidence has one with a long name, blobs are told by what they are."""
    if name.startswith("image:"):
        return blobs(bundle)[name.removeprefix("image:")]
    name = name.replace("engine-1-r1", bundle.name)
    return next(each for each in members(bundle) if each == name or (name == "evidence" and each.startswith(name)))


def blobs(bundle: Path) -> dict[str, str]:
    """The members of the image that are named by their digest."""
    index = json.loads((bundle / "image/index.json").read_bytes())
    manifest = index["manifests"][0]["digest"]
    whole = json.loads((bundle / blob_member(manifest[7:])).read_bytes())
    system, engine = (layer["digest"] for layer in whole["layers"])
    digests = {"manifest": manifest, "config": whole["config"]["digest"], "system": system, "engine": engine}
    return {what: blob_member(digest[7:]) for what, digest in digests.items()}


def named(report: Report) -> set[str]:
    """Every file that a finding is about."""
    return {finding.place.file for finding in report.findings() if finding.place}


def test_these_are_all_the_members(sealed: Path) -> None:
    assert sorted(member(sealed, name) for name in MEMBERS) == sorted(members(sealed))


@pytest.mark.parametrize("name", MEMBERS)
def test_a_flipped_bit_is_caught_and_its_file_is_named(name: str, project: Project, bundle: Path) -> None:
    damaged = member(bundle, name)
    path = bundle / damaged
    good = path.read_bytes()
    base = project.store.git_dir if name == "combined.diff" else None  # the others show it by themselves
    rng = random.Random(name)
    for at in rng.sample(range(len(good)), min(12, len(good))):
        bit = 1 << rng.randrange(8)
        path.write_bytes(good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :])
        sum_again(bundle)

        report = check_bundle(bundle, base=base)

        assert int(report.exit_code()) == 1, (at, bit)
        assert damaged in named(report), (at, bit, report.findings())


@pytest.mark.parametrize("name", MEMBERS)
def test_a_file_taken_out_is_missed(name: str, bundle: Path) -> None:
    gone = member(bundle, name)
    (bundle / gone).unlink()
    sum_again(bundle)

    report = check_bundle(bundle, base=None)

    assert int(report.exit_code()) == 1
    assert any(gone in finding.message for finding in report.findings()), report.findings()


@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in SAME_OR_SILENT])
def test_a_file_of_another_release_is_noticed_without_the_base(name: str, bundle: Path, other: Path) -> None:
    mine, its = member(bundle, name), member(other, name)
    shutil.copyfile(other / its, bundle / mine)
    sum_again(bundle)

    report = check_bundle(bundle, base=None)

    assert int(report.exit_code()) == 1
    assert mine in named(report)


@pytest.mark.parametrize(
    "where", ["", "patches/", "evidence/", "evidence/build/", "blocks/", "blocks/alpha/folds/new/"]
)
def test_a_file_put_in_is_noticed(where: str, bundle: Path) -> None:
    (bundle / where).mkdir(exist_ok=True)
    (bundle / where / "extra").write_bytes(b"x\n")
    sum_again(bundle)

    report = check_bundle(bundle, base=None)

    assert f"{where}extra" in named(report)


def test_without_making_the_sums_again_every_change_is_found_by_them(bundle: Path) -> None:
    (bundle / "combined.diff").write_bytes(b"")
    (bundle / "base.json").unlink()
    (bundle / "more").write_bytes(b"")

    sums = check_bundle(bundle, base=None).checks[0]

    assert sums.name == "checksums"
    found = {
        (finding.code, finding.place.file) for finding in check_bundle(bundle, base=None).findings() if finding.place
    }
    assert found >= {
        ("bundle-file-changed", "combined.diff"),
        ("bundle-file-missing", "base.json"),
        ("bundle-file-added", "more"),
    }


def test_a_bundle_without_its_sums_does_not_hold(bundle: Path) -> None:
    (bundle / SUMS).unlink()

    report = check_bundle(bundle, base=None)

    assert SUMS in named(report)


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundle of another release with the same names inside."""
    folder = tmp_path_factory.mktemp("other")
    return make_project(folder, name="engine-1-r2", flavour="-b", image=True).seal(folder / "dist").folder
