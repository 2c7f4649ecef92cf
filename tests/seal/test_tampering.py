"""One byte, one file, another release's file: with every checksum made again, it is caught and named."""

import random
import shutil
from pathlib import Path

import pytest

from tests.seal.project import Project, make_project
from tests.seal.tampering import members, sum_again
from verify.bundle.check import Report, check_bundle
from verify.bundle.layout import SUMS

MEMBERS = (
    "base.json",
    "blocks/alpha/block.yaml",
    "blocks/alpha/folds/base/fold.patch",
    "blocks/alpha/folds/pr-7/fold.patch",
    "blocks/alpha/folds/pr-7/source.patch",
    "blocks/beta/block.yaml",
    "blocks/beta/folds/base/fold.patch",
    "blocks/lock.json",
    "combined.diff",
    "evidence",
    "patches/0001-alpha-base.patch",
    "patches/0002-alpha-pr-7.patch",
    "patches/0003-beta-base.patch",
    "patches/series",
    "release.json",
    "stack.json",
    "verdict.json",
)


def member(bundle: Path, name: str) -> str:
    """The member of that name; of the evidence there is one, whose name is long."""
    return next(each for each in members(bundle) if each == name or (name == "evidence" and each.startswith(name)))


def named(report: Report) -> set[str]:
    """Every file that a finding is about."""
    return {finding.place.file for finding in report.findings() if finding.place}


def test_these_are_all_the_members(sealed: Path) -> None:
    assert sorted(member(sealed, name) for name in MEMBERS) == sorted(members(sealed))


@pytest.mark.parametrize("name", MEMBERS)
def test_a_flipped_bit_is_caught_and_its_file_is_named(name: str, project: Project, bundle: Path) -> None:
    path = bundle / member(bundle, name)
    good = path.read_bytes()
    base = project.store.git_dir if name == "combined.diff" else None  # the others show it by themselves
    rng = random.Random(name)
    for at in rng.sample(range(len(good)), min(12, len(good))):
        bit = 1 << rng.randrange(8)
        path.write_bytes(good[:at] + bytes([good[at] ^ bit]) + good[at + 1 :])
        sum_again(bundle)

        report = check_bundle(bundle, base=base)

        assert int(report.exit_code()) == 1, (at, bit)
        assert member(bundle, name) in named(report), (at, bit, report.findings())


@pytest.mark.parametrize("name", MEMBERS)
def test_a_file_taken_out_is_missed(name: str, bundle: Path) -> None:
    gone = member(bundle, name)
    (bundle / gone).unlink()
    sum_again(bundle)

    report = check_bundle(bundle, base=None)

    assert int(report.exit_code()) == 1
    assert any(gone in finding.message for finding in report.findings()), report.findings()


@pytest.mark.parametrize("name", [name for name in MEMBERS if name not in ("combined.diff", "patches/series")])
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
    return make_project(folder, name="engine-1-r2", flavour="-b").seal(folder / "dist").folder
