"""The one writer: whole before or whole after, whatever fails or dies at whichever call."""

import errno
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from builder.disk import Disk
from builder.journal import Recovered
from builder.write import finish_interrupted, project_lock, write_file, write_files
from tests.write.sabotaged_disk import Killed, LinklessDisk, SabotagedDisk
from verify.model.diagnostic import EnvironmentFault, InputFault

OLD = {"a": b"old a", "dir/b": b"old b", "gone": b"to go", "only/one": b"last", "untouched": b"same"}
CHANGE = {"a": b"new a" * 100, "dir/b": b"", "fresh/deep/c": b"new c", "gone": None, "only/one": None}
NEW = {"a": b"new a" * 100, "dir/b": b"", "fresh/deep/c": b"new c", "untouched": b"same"}


def lay_out(root: Path) -> Path:
    for name, data in OLD.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def state(root: Path) -> dict[str, bytes]:
    """Every file of the project and each folder that holds nothing."""
    found = {}
    for path in root.rglob("*"):
        name = path.relative_to(root).as_posix()
        if name.split("/")[0] == ".stackproof":
            continue
        if path.is_file():
            found[name] = path.read_bytes()
        elif not any(path.iterdir()):
            found[name + "/"] = b""
    return found


def left_over(root: Path) -> list[str]:
    own = root / ".stackproof"
    return (
        sorted(path.name for path in own.iterdir() if path.name not in {".gitignore", "lock"}) if own.exists() else []
    )


def calls_of_a_change(root: Path, kind: type[SabotagedDisk] = SabotagedDisk) -> int:
    disk = kind()
    write_files(lay_out(root), CHANGE, disk=disk)
    assert state(root) == NEW
    return disk.calls


def test_a_change_of_several_files_is_made_and_leaves_nothing_behind(tmp_path: Path) -> None:
    write_files(lay_out(tmp_path), CHANGE)
    assert (state(tmp_path), left_over(tmp_path)) == (NEW, [])


def test_a_folder_that_a_change_leaves_empty_goes(tmp_path: Path) -> None:
    write_files(lay_out(tmp_path), {"only/one": None})
    assert not (tmp_path / "only").exists()


def test_of_its_own_folder_a_change_may_write_the_log_alone(tmp_path: Path) -> None:
    write_files(tmp_path, {".stackproof/log/1.json": b"{}"})
    assert (tmp_path / ".stackproof/log/1.json").read_bytes() == b"{}"
    for name in (".stackproof/lock", ".stackproof/journal/index.json", ".stackproof/log/a/b", ".stackproof/log"):
        with pytest.raises(ValueError, match="not a file of a project"):
            write_files(tmp_path, {name: b""})


def test_what_stackproof_keeps_in_a_project_is_ignored_by_git(tmp_path: Path) -> None:
    write_files(tmp_path, {"a": b"a"})
    assert (tmp_path / ".stackproof" / ".gitignore").read_bytes() == b"*\n"


def test_permissions_of_a_file_are_kept(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "a").chmod(0o751)
    write_files(tmp_path, {"a": b"new"})
    assert (tmp_path / "a").stat().st_mode & 0o777 == 0o751


@pytest.mark.parametrize("kind", [SabotagedDisk, LinklessDisk])
def test_killed_at_any_call_the_next_run_finds_all_or_nothing(tmp_path: Path, kind: type[SabotagedDisk]) -> None:
    seen = set()
    for at in range(1, calls_of_a_change(tmp_path / "count", kind) + 1):
        root = lay_out(tmp_path / str(at))
        with pytest.raises(Killed):
            write_files(root, CHANGE, disk=kind(at))
        found = finish_interrupted(root, disk=SabotagedDisk())
        assert state(root) == (NEW if state(root).keys() == NEW.keys() else OLD), at
        assert left_over(root) == [], at
        seen.add((found, state(root) == NEW))
    assert seen == {(Recovered.NOTHING, False), (Recovered.FINISHED, True), (Recovered.NOTHING, True)}


def test_the_first_record_of_a_project_outlives_being_killed_at_any_call(tmp_path: Path) -> None:
    change = {"a": b"new a", ".stackproof/log/1.json": b"{}"}
    counting = SabotagedDisk()
    write_files(lay_out(tmp_path / "count"), change, disk=counting)
    for at in range(1, counting.calls + 1):
        root = lay_out(tmp_path / str(at))
        with pytest.raises(Killed):
            write_files(root, change, disk=SabotagedDisk(at))
        finish_interrupted(root)
        written = (root / "a").read_bytes() == b"new a"
        assert (root / ".stackproof/log/1.json").exists() is written, at


def test_what_somebody_wrote_after_a_killed_run_is_never_lost(tmp_path: Path) -> None:
    told = 0
    for at in range(1, calls_of_a_change(tmp_path / "count") + 1):
        for name in CHANGE:
            root = lay_out(tmp_path / f"{at}-{name.replace('/', '-')}")
            with pytest.raises(Killed):
                write_files(root, CHANGE, disk=SabotagedDisk(at))
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_bytes(b"mine")
            try:
                finish_interrupted(root)
            except InputFault as fault:
                assert [(each.code, each.place and each.place.file) for each in fault.diagnostics] == [
                    ("journal-edited", name)
                ]
                assert (root / name).read_bytes() == b"mine"
                step = fault.diagnostics[0].help
                assert step is not None
                subprocess.run(step, shell=True, check=True)
                aside = root / (name.replace("/", "-") + ".yours")
                assert aside.read_bytes() == b"mine"
                aside.unlink()
                finish_interrupted(root)
                assert state(root) in (OLD, NEW), at
                told += 1
            else:
                assert (root / name).read_bytes() == b"mine", (at, name)
    assert told > 20


def test_killed_again_while_recovering_the_run_after_that_finds_all_or_nothing(tmp_path: Path) -> None:
    for at in range(1, calls_of_a_change(tmp_path / "count") + 1):
        for again in range(1, 30):
            root = lay_out(tmp_path / f"{at}-{again}")
            with pytest.raises(Killed):
                write_files(root, CHANGE, disk=SabotagedDisk(at))
            try:
                finish_interrupted(root, disk=SabotagedDisk(again))
            except Killed:
                finish_interrupted(root, disk=SabotagedDisk())
            else:
                break
            assert state(root) in (OLD, NEW), (at, again)
            assert left_over(root) == [], (at, again)


@pytest.mark.parametrize("kind", [SabotagedDisk, LinklessDisk])
@pytest.mark.parametrize(
    ("refusal", "code"), [(errno.ENOSPC, "no-space"), (errno.EACCES, "cannot-write"), (errno.EIO, "cannot-write")]
)
def test_refused_at_any_call_everything_is_as_it_was(
    tmp_path: Path, kind: type[SabotagedDisk], refusal: int, code: str
) -> None:
    refused = 0
    for at in range(1, calls_of_a_change(tmp_path / "count", kind) + 1):
        root = lay_out(tmp_path / str(at))
        try:
            write_files(root, CHANGE, disk=kind(at, refusal))
        except EnvironmentFault as fault:
            assert [found.code for found in fault.diagnostics] == [code]
            assert (state(root), left_over(root)) == (OLD, []), at
            refused += 1
        else:
            assert state(root) == NEW, at
    assert refused > 20


def test_refused_and_then_killed_while_undoing_the_next_run_finds_all_or_nothing(tmp_path: Path) -> None:
    class Both(SabotagedDisk):
        """Refuses one call, and dies some calls later."""

        def __init__(self, at: int, later: int) -> None:
            super().__init__(at, errno.EIO)
            self._later = at + later

        def _call(self, carry_out, partly=lambda: None):  # type: ignore[no-untyped-def]
            if self.calls + 1 >= self._later:
                raise Killed
            return super()._call(carry_out, partly)

    undone = 0
    for at in range(1, calls_of_a_change(tmp_path / "count") + 1):
        for later in range(1, 20):
            root = lay_out(tmp_path / f"{at}-{later}")
            try:
                write_files(root, CHANGE, disk=Both(at, later))
            except Killed:
                undone += finish_interrupted(root, disk=SabotagedDisk()) is Recovered.UNDONE
                assert state(root) in (OLD, NEW), (at, later)
                assert left_over(root) == [], (at, later)
            except EnvironmentFault:
                break
    assert undone > 20


def test_a_file_that_somebody_put_into_a_new_folder_outlives_the_undoing(tmp_path: Path) -> None:
    root = lay_out(tmp_path)

    class Refusing(Disk):
        def rename(self, old: Path, new: Path) -> None:
            if new.name == "c":
                (root / "fresh" / "theirs").write_bytes(b"kept")
                raise OSError(errno.EIO, "broken")
            super().rename(old, new)

    with pytest.raises(EnvironmentFault, match="cannot-write"):
        write_files(root, CHANGE, disk=Refusing())
    assert (state(root), left_over(root)) == (OLD | {"fresh/theirs": b"kept"}, [])


def test_a_process_that_is_really_killed_half_way_loses_nothing(tmp_path: Path) -> None:
    root = lay_out(tmp_path)
    program = (
        "import os, signal, sys; from pathlib import Path;"
        "from builder.write import write_files; from tests.write.sabotaged_disk import SabotagedDisk;"
        "from tests.write.test_write import CHANGE;"
        "die = lambda: os.kill(os.getpid(), signal.SIGKILL);"
        "write_files(Path(sys.argv[1]), CHANGE, disk=SabotagedDisk(int(sys.argv[2]), dies=die))"
    )
    half_way = calls_of_a_change(tmp_path / "count") * 2 // 3
    ended = subprocess.run([sys.executable, "-c", program, str(root), str(half_way)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert finish_interrupted(root, disk=SabotagedDisk()) is Recovered.FINISHED
    assert {name: data for name, data in state(root).items() if not name.startswith("count/")} == NEW


def test_a_file_too_large_for_the_system_is_told_as_no_space(tmp_path: Path) -> None:
    program = (
        "import resource, sys; from pathlib import Path; from builder.write import write_files;"
        "from verify.model.diagnostic import Fault;"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000))\n"
        "try: write_files(Path(sys.argv[1]), {'a': bytes(1000000)})\n"
        "except Fault as fault: print(fault.diagnostics[0].code)"
    )
    lay_out(tmp_path)
    ended = subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, capture_output=True, text=True)
    assert (ended.stdout, state(tmp_path), left_over(tmp_path)) == ("no-space\n", OLD, [])


@pytest.mark.parametrize("refusal", [errno.ENOSPC, None])
def test_a_single_file_keeps_its_old_content_when_its_writing_ends_early(tmp_path: Path, refusal: int | None) -> None:
    path = tmp_path / "file"
    counting = SabotagedDisk()
    write_file(path, b"old", disk=counting)
    for at in range(1, counting.calls + 1):
        path.write_bytes(b"old")
        with pytest.raises((Killed, EnvironmentFault)):
            write_file(path, b"new", disk=SabotagedDisk(at, refusal))
        assert path.read_bytes() in (b"old", b"new")
        assert refusal is None or [each.name for each in tmp_path.iterdir()] == ["file"]
    write_file(path, b"newest")
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


@pytest.mark.parametrize("name", ["../out", "/out", "", ".stackproof/lock", "a/../../b", "a\\b", "./a", "a//b"])
def test_a_name_that_is_not_of_a_project_is_our_defect(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="not a file of a project"):
        write_files(tmp_path, {name: b"x"})


def test_nothing_is_written_through_a_link_that_stands_for_a_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "blocks").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EnvironmentFault, match="cannot-write"):
        write_files(tmp_path / "project", {"blocks/lock.json": b"x"})
    assert state(tmp_path / "elsewhere") == {}


def test_a_link_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    lay_out(tmp_path)
    (tmp_path / "link").symlink_to("a")
    with pytest.raises(EnvironmentFault, match="cannot-write"):
        write_files(tmp_path, {"link": b"x", "untouched": b"y"})
    assert (tmp_path / "untouched").read_bytes() == b"same"


@pytest.mark.parametrize(
    "index",
    [
        {"changes": [{"name": "../out", "before": None, "after": "0" * 64}], "folders": []},
        {"changes": [], "folders": ["/out"]},
        {"changes": [{"name": 7, "before": None, "after": "0" * 64}], "folders": []},
        {"changes": 7, "folders": []},
        {"changes": [], "folders": [".stackproof/journal"]},
        {"changes": [{"name": "a", "before": None, "after": "0" * 64}], "folders": []},
        {"changes": [{"name": "a", "before": None, "after": 7}], "folders": []},
        [],
    ],
)
def test_a_journal_that_is_not_ours_is_refused_and_not_carried_out(tmp_path: Path, index: object) -> None:
    journal = tmp_path / "project" / ".stackproof" / "journal"
    journal.mkdir(parents=True)
    (journal / "index.json").write_text(json.dumps(index))
    (journal / "0.new").write_bytes(b"evil")
    with pytest.raises(EnvironmentFault, match="journal-broken"):
        finish_interrupted(tmp_path / "project")
    assert [path.name for path in tmp_path.iterdir()] == ["project"]
    assert [path.name for path in (tmp_path / "project").iterdir()] == [".stackproof"]
    assert (journal / "0.new").exists()


def test_entering_the_project_finishes_what_a_killed_run_left(tmp_path: Path) -> None:
    calls = calls_of_a_change(tmp_path / "count")
    root = lay_out(tmp_path / "project")
    with pytest.raises(Killed):
        write_files(root, CHANGE, disk=SabotagedDisk(calls * 2 // 3))
    with project_lock(root, tell=pytest.fail) as found:
        assert (found, state(root)) == (Recovered.FINISHED, NEW)


def test_entering_the_project_twice_in_one_run_is_free(tmp_path: Path) -> None:
    with project_lock(tmp_path, tell=pytest.fail), project_lock(tmp_path, tell=pytest.fail) as found:
        assert found is Recovered.NOTHING


def test_a_second_run_waits_for_the_first_and_says_so(tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from builder.write import project_lock\n"
        "with project_lock(Path(sys.argv[1]), tell=print): print('in', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as first:
        assert first.stdin is not None
        assert first.stdout is not None
        assert first.stdout.readline() == "in\n"
        told: list[str] = []
        leaves = first.stdin.close

        def tell(text: str) -> None:
            told.append(text)
            leaves()

        with project_lock(tmp_path, tell=tell):
            pass
    assert told == [f"another stackproof run is changing {tmp_path}; waiting for it to end"]


def test_a_project_folder_that_is_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / ".stackproof").write_bytes(b"")
    with pytest.raises(EnvironmentFault, match="cannot-write"):
        write_files(tmp_path, {"a": b"x"})


def test_the_real_disk_syncs_files_and_folders(tmp_path: Path) -> None:
    synced = []

    class Watching(Disk):
        def sync(self, handle: int) -> None:
            super().sync(handle)
            synced.append(str(Path(f"/proc/self/fd/{handle}").readlink()).removeprefix(str(tmp_path)))

    if not Path("/proc/self/fd").exists():
        pytest.skip("needs /proc to see what a handle is of")
    write_files(tmp_path, {"folder/a": b"x"}, disk=Watching())
    own = "/.stackproof"
    assert synced == [
        f"{own}/.gitignore",
        f"{own}/staging/0.new",
        f"{own}/staging/index.json",
        f"{own}/staging",
        own,
        "",
        "/folder",
        f"{own}/journal",
    ]
