"""A folder is put in its place as a whole: whatever happens, the old one stands there or the new one."""

import errno
import os
import signal
import stat
from collections.abc import Callable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import pytest

from builder.disk import Disk
from builder.seal.place import FolderDisk, How, place_folder
from verify.bundle.layout import SUMS, VERDICT
from verify.bundle.sums import render_sums
from verify.model.diagnostic import EnvironmentFault, InputFault
from verify.model.ids import Sha256

T = TypeVar("T")
TIME = 1790000000


def contents(text: bytes) -> dict[str, bytes]:
    files = {VERDICT: text, "patches/0001-a-b.patch": b"patch of " + text, "patches/series": b"0001-a-b.patch\n"}
    return {**files, SUMS: render_sums({name: Sha256(sha256(data).hexdigest()) for name, data in files.items()})}


OLD, NEW = contents(b"old"), contents(b"new")


class Sabotaged(FolderDisk):
    """Every call is counted; the `at`-th is refused with an error number, or is the last that this process makes."""

    def __init__(self, at: int = 0, refusal: int | None = None, *, can_exchange: bool = True) -> None:
        self.calls = 0
        self._at = at
        self._refusal = refusal
        self._can_exchange = can_exchange

    def _call(self, carry_out: Callable[[], T]) -> T:
        self.calls += 1
        if self.calls == self._at:
            if self._refusal is None:
                os.kill(os.getpid(), signal.SIGKILL)
            else:
                raise OSError(self._refusal, os.strerror(self._refusal))
        return carry_out()

    def create(self, path: Path, permissions: int | None) -> int:
        return self._call(lambda: Disk.create(self, path, permissions))

    def write(self, handle: int, data: bytes) -> int:
        return self._call(lambda: Disk.write(self, handle, data))

    def sync(self, handle: int) -> None:
        self._call(lambda: None)

    def rename(self, old: Path, new: Path) -> None:
        self._call(lambda: Disk.rename(self, old, new))

    def make_folder(self, path: Path) -> None:
        self._call(lambda: Disk.make_folder(self, path))

    def stamp(self, path: Path, permissions: int, seconds: int) -> None:
        self._call(lambda: FolderDisk.stamp(self, path, permissions, seconds))

    def exchange(self, one: Path, other: Path) -> None:
        def carry_out() -> None:
            if not self._can_exchange:
                raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
            FolderDisk.exchange(self, one, other)

        self._call(carry_out)


def put(target: Path, files: Mapping[str, bytes], disk: FolderDisk | None = None) -> How:
    return place_folder(target, files, seconds=TIME, look_over=lambda made: None, disk=disk or Sabotaged())


def found(folder: Path) -> dict[str, bytes] | None:
    if not folder.exists():
        return None
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def killed_at(at: int, target: Path, files: Mapping[str, bytes], *, can_exchange: bool) -> bool:
    """Whether the process was killed at that call, and did not end before."""
    child = os.fork()
    if child == 0:
        put(target, files, Sabotaged(at, can_exchange=can_exchange))
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.parametrize("can_exchange", [True, False])
@pytest.mark.parametrize("before", [None, OLD])
def test_a_kill_at_any_call_leaves_the_old_or_the_new_and_the_next_run_finishes(
    before: Mapping[str, bytes] | None, can_exchange: bool, tmp_path: Path
) -> None:
    at = steps = 0
    while True:
        at += 1
        target = tmp_path / str(at) / "dist/r1"
        if before is not None:
            put(target, before)
        if not killed_at(at, target, NEW, can_exchange=can_exchange):
            break
        steps += 1

        left = found(target)
        parked = found(target.with_name(".r1.replaced")) if not can_exchange else None

        assert left in (before, NEW) or (left is None and parked == before)
        put(target, NEW)
        assert found(target) == NEW
        assert [path.name for path in target.parent.iterdir()] == ["r1"]
    assert steps > 20


@pytest.mark.parametrize("refusal", [errno.ENOSPC, errno.EACCES])
def test_a_refusal_at_any_call_leaves_what_was_there_and_nothing_else(refusal: int, tmp_path: Path) -> None:
    whole = Sabotaged()
    put(tmp_path / "count/r1", NEW, whole)
    target = tmp_path / "dist/r1"
    put(target, OLD)
    for at in range(1, whole.calls):
        with pytest.raises(EnvironmentFault) as told:
            put(target, NEW, Sabotaged(at, refusal))

        assert told.value.diagnostics[0].code == ("no-space" if refusal == errno.ENOSPC else "cannot-write")
        assert found(target) == OLD
        assert [path.name for path in target.parent.iterdir()] == ["r1"]


def test_an_equal_folder_is_left_alone(tmp_path: Path) -> None:
    assert put(tmp_path / "r1", OLD) is How.NEW
    number = (tmp_path / "r1").stat().st_ino

    assert put(tmp_path / "r1", OLD) is How.UNCHANGED
    assert (tmp_path / "r1").stat().st_ino == number


@pytest.mark.parametrize("can_exchange", [True, False])
def test_another_one_of_ours_is_replaced_and_said_so(can_exchange: bool, tmp_path: Path) -> None:
    put(tmp_path / "r1", OLD)

    assert put(tmp_path / "r1", NEW, Sabotaged(can_exchange=can_exchange)) is How.REPLACED
    assert found(tmp_path / "r1") == NEW
    assert [path.name for path in tmp_path.iterdir()] == ["r1"]


def a_file(target: Path) -> None:
    target.write_bytes(b"mine")


def an_empty_folder(target: Path) -> None:
    target.mkdir()


def a_folder_of_somebody(target: Path) -> None:
    target.mkdir()
    (target / "thesis.txt").write_bytes(b"mine")


def a_link(target: Path) -> None:
    put(target.with_name("elsewhere"), OLD)
    target.symlink_to(target.with_name("elsewhere"))


def ours_with_a_note(target: Path) -> None:
    put(target, OLD)
    (target / "note.txt").write_bytes(b"mine")


def ours_with_an_edit(target: Path) -> None:
    put(target, OLD)
    (target / VERDICT).write_bytes(b"mine")


@pytest.mark.parametrize(
    "lay", [a_file, an_empty_folder, a_folder_of_somebody, a_link, ours_with_a_note, ours_with_an_edit]
)
def test_whatever_is_not_exactly_ours_is_refused_and_kept(lay: Callable[[Path], None], tmp_path: Path) -> None:
    target = tmp_path / "r1"
    lay(target)
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))

    with pytest.raises(InputFault) as told:
        put(target, NEW)

    assert told.value.diagnostics[0].code == "seal-in-the-way"
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before
    assert b"mine" in {path.read_bytes() for path in (target, *target.rglob("*")) if path.is_file()} or lay in (
        a_link,
        an_empty_folder,
    )


def test_what_is_refused_when_looked_over_is_never_seen(tmp_path: Path) -> None:
    def refuse(made: Path) -> None:
        assert found(made) == NEW
        raise ValueError(made)

    with pytest.raises(ValueError, match="r1"):
        place_folder(tmp_path / "r1", NEW, seconds=TIME, look_over=refuse)

    assert list(tmp_path.iterdir()) == []


def test_permissions_and_times_are_nobodys(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        put(tmp_path / "r1", NEW)
    finally:
        os.umask(before)

    for path in (tmp_path / "r1", *(tmp_path / "r1").rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o755 if path.is_dir() else 0o644)
        assert path.stat().st_mtime == TIME


def test_several_at_once_leave_one_whole_folder_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "dist/r1"
    children = []
    for number in range(6):
        child = os.fork()
        if child == 0:
            for _ in range(5):
                put(target, OLD if number % 2 else NEW)
            os._exit(0)
        children.append(child)

    assert [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children] == [0] * 6
    assert found(target) in (OLD, NEW)
    assert [path.name for path in target.parent.iterdir()] == ["r1"]
