"""A folder gets a release by one rename; what stands there is never touched."""

import errno
import os
import shutil
import signal
from pathlib import Path

import pytest

from builder.publish.folder import place_new
from builder.publish.outcome import How
from builder.publish.parcel import Parcel, open_parcel
from builder.publish.publish import publish
from builder.publish.target import FolderTarget, GitTarget, LayoutTarget, RegistryTarget, read_published, read_target
from tests.seal.project import Project
from tests.seal.tampering import sum_again
from tests.seal.test_place import Sabotaged, found
from verify.bundle.check import check_bundle
from verify.model.diagnostic import EnvironmentFault, ExitCode, InputFault
from verify.model.ids import ReleaseName
from verify.model.progress import Silent

FILES = {"a": b"1", "b/c": b"2", "b/d": b"3"}


def put(target: Path, disk: Sabotaged | None = None) -> How:
    return place_new(target, FILES, seconds=5, look_over=lambda made: None, disk=disk or Sabotaged())


def hand_on(parcel: Parcel, project: Project, target: FolderTarget | LayoutTarget) -> How:
    return publish(parcel, target=target, store=project.store, progress=Silent()).how


def test_a_published_folder_holds(parcel: Parcel, published: Project, tmp_path: Path) -> None:
    assert hand_on(parcel, published, FolderTarget(folder=tmp_path)) is How.NEW
    report = check_bundle(tmp_path / parcel.name, base=published.archive)
    assert report.exit_code() is ExitCode.HOLDS
    assert hand_on(parcel, published, FolderTarget(folder=tmp_path)) is How.UNCHANGED


def test_another_content_under_the_name_is_kept(
    parcel: Parcel, other: Parcel, published: Project, tmp_path: Path
) -> None:
    hand_on(parcel, published, FolderTarget(folder=tmp_path))
    before = found(tmp_path)
    with pytest.raises(InputFault) as told:
        hand_on(other, published, FolderTarget(folder=tmp_path))
    assert told.value.diagnostics[0].code == "publish-name-taken"
    assert found(tmp_path) == before


@pytest.mark.parametrize("what", ["file", "link", "empty", "more"])
def test_whatever_stands_there_is_kept(what: str, tmp_path: Path) -> None:
    target = tmp_path / "r1"
    match what:
        case "file":
            target.write_bytes(b"mine")
        case "link":
            (tmp_path / "real").mkdir()
            target.symlink_to("real")
        case "empty":
            target.mkdir()
        case _:
            put(target)
            (target / "more").write_bytes(b"")
    with pytest.raises(InputFault):
        put(target)


def test_a_kill_at_any_call_leaves_nothing_or_all_and_the_next_run_finishes(tmp_path: Path) -> None:
    at = 0
    while True:
        at += 1
        target = tmp_path / str(at) / "r1"
        child = os.fork()
        if child == 0:
            put(target, Sabotaged(at))
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != -signal.SIGKILL:
            break
        assert found(target) in (None, FILES)
        put(target)
        assert found(target) == FILES
        assert [path.name for path in target.parent.iterdir()] == ["r1"]
    assert at > 10


def test_a_full_disk_at_any_call_shows_nothing(tmp_path: Path) -> None:
    counted = Sabotaged()
    put(tmp_path / "whole/r1", counted)
    for at in range(1, counted.calls + 1):
        target = tmp_path / str(at) / "r1"
        with pytest.raises(EnvironmentFault):
            put(target, Sabotaged(at, errno.ENOSPC))
        assert found(target) in (None, FILES)
        assert put(target) in (How.NEW, How.UNCHANGED)


def test_a_bundle_that_does_not_hold_is_not_published(bundle: Path, published: Project, tmp_path: Path) -> None:
    broken = shutil.copytree(bundle, tmp_path / bundle.name)
    (broken / "NOTES.md").write_text("Trust us.\n")
    sum_again(broken)
    with pytest.raises(InputFault) as told:
        open_parcel(broken, base=published.store.git_dir)
    assert told.value.diagnostics[0].code == "publish-not-sound"


def test_the_name_is_that_of_release_json(bundle: Path, published: Project, tmp_path: Path) -> None:
    renamed = shutil.copytree(bundle, tmp_path / "another-name")
    for folder, release in ((renamed, None), (bundle, ReleaseName("engine-1-r2"))):
        with pytest.raises(InputFault) as told:
            open_parcel(folder, base=published.store.git_dir, release=release)
        assert told.value.diagnostics[0].code == "publish-other-name"


def test_a_layout_is_a_folder_of_its_own(parcel: Parcel, published: Project, tmp_path: Path) -> None:
    assert hand_on(parcel, published, LayoutTarget(folder=tmp_path / "layout")) is How.NEW
    assert (tmp_path / "layout/oci-layout").is_file()


def test_targets_are_read_as_written() -> None:
    assert read_target("dist/out") == FolderTarget(folder=Path("dist/out"))
    assert read_target("git:ssh://git@host/a.git") == GitTarget(address="ssh://git@host/a.git")
    assert read_target("oci:host.org/a/b") == RegistryTarget(host="host.org", repository="a/b")
    assert read_target("oci:127.0.0.1:5000/a") == RegistryTarget(host="127.0.0.1:5000", repository="a")
    assert read_target("layout:x") == LayoutTarget(folder=Path("x"))
    assert read_published("oci:127.0.0.1:5000/a:r-1") == (
        RegistryTarget(host="127.0.0.1:5000", repository="a"),
        ReleaseName("r-1"),
    )


@pytest.mark.parametrize(
    "text", ["", "git:", "git:--upload-pack=x", "git:ext::sh", "oci:host", "oci:h/UP", "https://h/x"]
)
def test_what_is_no_target_is_refused(text: str) -> None:
    with pytest.raises(InputFault):
        read_target(text)


def test_only_a_registry_on_this_machine_is_asked_without_tls() -> None:
    assert RegistryTarget(host="127.0.0.1:5000", repository="a").url == "http://127.0.0.1:5000"
    assert RegistryTarget(host="127.evil.org", repository="a").url == "https://127.evil.org"
