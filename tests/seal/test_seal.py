"""Sealing: only what holds, only what was judged, the same bytes everywhere, and proven before it is seen."""

import dataclasses
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest

import builder.seal.bundle
from builder.seal.place import How
from tests.core.real_git import RealGit
from tests.seal.project import ARCHIVE, STATES, Project, make_project
from verify.model.diagnostic import EnvironmentFault, InputFault
from verify.model.ids import ReleaseName, Sha256
from verify.model.verdict import Holds, JudgeToken, Subject, verdict_digest


def everything(folder: Path) -> dict[str, tuple[int, float, bytes]]:
    """Every file and folder: permissions, time, content."""
    return {
        path.relative_to(folder).as_posix(): (
            path.stat().st_mode,
            path.stat().st_mtime,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in (folder, *folder.rglob("*"))
    }


def holds_for(project: Project, **changes: object) -> Holds:
    """A verdict that holds for another subject, as if the judge had made it."""
    subject = dataclasses.replace(project.holds.subject, **changes)  # type: ignore[arg-type]  # names come from tests
    token = JudgeToken(verdict_digest(subject, project.holds.results))
    return Holds(subject=subject, results=project.holds.results, token=token)


def test_two_seals_in_other_folders_with_other_masks_and_zones_are_the_same_bytes(
    sealed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Pacific/Chatham")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    time.tzset()
    before = os.umask(0o077)
    try:
        again = make_project(tmp_path / "somewhere else", image=True).seal(tmp_path / "out").folder
    finally:
        os.umask(before)
        monkeypatch.undo()
        time.tzset()

    assert everything(again) == everything(sealed)


def test_nothing_of_the_machine_is_in_a_bundle(project: Project, sealed: Path) -> None:
    whole = b"".join(path.read_bytes() for path in sealed.rglob("*") if path.is_file())

    for place in (str(project.root), str(project.store.git_dir), str(Path.home()), os.uname().nodename):
        # the name of a host can be a short word, and packed bytes hold any of these
        assert place.encode() not in whole or place == "/" or len(place) < 6


def test_the_checksums_are_what_sha256sum_reads(sealed: Path) -> None:
    done = subprocess.run(["sha256sum", "--strict", "--quiet", "-c", "SHA256SUMS"], cwd=sealed, capture_output=True)

    assert (done.returncode, done.stdout) == (0, b"")


def test_the_series_and_the_combined_diff_make_the_tip_by_plain_git(
    project: Project, sealed: Path, tmp_path: Path
) -> None:
    git = RealGit(tmp_path)
    tree = git.tree_of(STATES[0])
    combined = git.apply(tree, (sealed / "combined.diff").read_bytes())
    for name in (sealed / "patches/series").read_text("ascii").split():
        applied = git.apply(tree, (sealed / "patches" / name).read_bytes())
        assert applied is not None, git.why
        tree = applied

    assert tree == combined == project.stack.tip_tree()


def test_a_bundle_is_itself_a_project_with_the_same_digest(project: Project, sealed: Path, tmp_path: Path) -> None:
    from tests.seal.project import KINDS
    from verify.manifest.read import read_release

    assert read_release(sealed, kinds=KINDS).digest == project.release.digest


def test_sealing_again_changes_nothing(project: Project, tmp_path: Path) -> None:
    first = project.seal(tmp_path)
    again = project.seal(tmp_path)

    assert (first.how, again.how) == (How.NEW, How.UNCHANGED)
    assert first.digest == again.digest


def test_the_same_name_with_other_evidence_replaces_what_we_sealed(project: Project, tmp_path: Path) -> None:
    project.seal(tmp_path / "dist")

    other = make_project(tmp_path / "other", seconds=2.5).seal(tmp_path / "dist")

    assert other.how is How.REPLACED


@pytest.mark.parametrize(
    "changes",
    [
        {"release": ReleaseName("engine-1-r2")},
        {"digest": Sha256("0" * 64)},
        {"base_tree": "1" * 40},
        {"tip_tree": "1" * 40},
        {"tip_commit": "1" * 40},
    ],
)
def test_a_verdict_on_another_release_seals_nothing(
    changes: dict[str, object], project: Project, tmp_path: Path
) -> None:
    other = dataclasses.replace(project, holds=holds_for(project, **changes))

    with pytest.raises(InputFault) as told:
        other.seal(tmp_path / "dist")

    assert told.value.diagnostics[0].code == "verdict-of-another-release"
    assert not (tmp_path / "dist").exists()


def test_what_was_changed_after_the_verdict_is_not_sealed(project: Project, tmp_path: Path) -> None:
    root = shutil.copytree(project.root, tmp_path / "project")
    with (root / "blocks/beta/block.yaml").open("a") as file:
        file.write("# a remark\n")

    with pytest.raises(InputFault) as told:
        dataclasses.replace(project, root=root).seal(tmp_path / "dist")

    assert told.value.diagnostics[0].code == "declared-files-changed"
    assert not (tmp_path / "dist").exists()


def test_evidence_that_was_used_must_be_there(project: Project, tmp_path: Path) -> None:
    with pytest.raises(InputFault) as told:
        dataclasses.replace(project, evidence=()).seal(tmp_path / "dist")

    assert told.value.diagnostics[0].code == "evidence-not-kept"


def test_evidence_that_no_gate_used_stays_out(project: Project, sealed: Path, tmp_path: Path) -> None:
    from verify.evidence import make_key

    stray = dataclasses.replace(project.evidence[0], key=make_key("build", {"tree": "another"}))
    more = dataclasses.replace(project, evidence=(stray, *project.evidence))

    assert everything(more.seal(tmp_path).folder) == everything(sealed)


def test_a_stale_combined_diff_is_never_seen(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stale = project.release.blocks[0].folds[0].patch_bytes
    monkeypatch.setattr(builder.seal.bundle, "_combined", lambda stack, store: stale)

    with pytest.raises(EnvironmentFault) as told:
        project.seal(tmp_path / "dist")

    assert [each.code for each in told.value.diagnostics] == [
        "seal-not-sound",
        "bundle-combined-differs",
        "bundle-second-differs",
    ]
    assert list((tmp_path / "dist").iterdir()) == []


def test_a_project_without_blocks_seals_its_base(tmp_path: Path) -> None:
    whole = make_project(tmp_path / "a", folds=())

    sealed = whole.seal(tmp_path / "dist").folder

    assert (sealed / "combined.diff").read_bytes() == b""
    assert (sealed / "patches/series").read_bytes() == b""


def test_the_subject_of_a_verdict_is_not_to_be_exchanged(project: Project) -> None:
    other = Subject(
        release=ReleaseName("other"),
        digest=project.holds.subject.digest,
        base_tree=project.holds.subject.base_tree,
        tip_tree=project.holds.subject.tip_tree,
        tip_commit=project.holds.subject.tip_commit,
    )

    with pytest.raises(ValueError, match="another subject"):
        dataclasses.replace(project.holds, subject=other)


def test_the_base_archive_is_named_and_not_packed(sealed: Path) -> None:
    assert ARCHIVE in (sealed / "base.json").read_text("ascii")
    assert not list(sealed.rglob(ARCHIVE))


def test_archives_follow_from_tree_and_configuration_and_statements_from_evidence(
    project: Project, sealed: Path, tmp_path: Path
) -> None:
    later = make_project(tmp_path / "measured-again", seconds=9.5, image=True).seal(tmp_path / "dist").folder
    names = {path.relative_to(sealed).as_posix() for path in sealed.rglob("*") if path.is_file()}
    differing = {name for name in names if (later / name).is_file()}
    differing = {name for name in differing if (later / name).read_bytes() != (sealed / name).read_bytes()}
    assert not {name for name in differing if name.startswith(("source/", "binaries/", "image/", "patches/"))}
    assert {"statements/release.json", "statements/tests.json", "verdict.json"} <= differing
