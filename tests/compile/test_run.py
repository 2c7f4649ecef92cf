"""Running a tool: watched to its end, and ended whole."""

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import builder.compile.run as running
from builder.compile.run import MARK, Ran, end_marked, run
from verify.model.diagnostic import EnvironmentFault
from verify.sandbox.confined import confinement

linux = pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="processes are found through /proc")


def shell(
    script: str, folder: Path, *, seconds: float = 20.0, on_line: Callable[[str], None] = lambda _: None
) -> tuple[Ran, bytes]:
    log = io.BytesIO()
    ran = run(
        ("/bin/sh", "-c", script),
        folder=folder,
        environment={"PATH": "/usr/bin:/bin", MARK: str(folder)},
        log=log,
        on_line=on_line,
        seconds=seconds,
    )
    return ran, log.getvalue()


def marked(folder: Path) -> list[int]:
    """Processes that run with this folder's mark."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and f"{MARK}={folder}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def test_output_and_errors_are_kept_and_told_line_by_line(tmp_path: Path) -> None:
    lines: list[str] = []
    ran, log = shell("echo one; echo two >&2; printf three", tmp_path, on_line=lines.append)
    assert (ran.status, log, lines) == (0, b"one\ntwo\nthree", ["one", "two", "three"])


def test_the_exit_status_is_given_and_is_no_fault(tmp_path: Path) -> None:
    assert shell("exit 7", tmp_path)[0].status == 7


def test_cost_counts_children_too(tmp_path: Path) -> None:
    busy = "x = bytearray(64 << 20); sum(range(2_000_000))"
    ran, _ = shell(f'{sys.executable} -c "{busy}"; true', tmp_path)
    assert ran.peak_kib > 64 << 10
    assert ran.cpu_seconds > 0.01


@linux
def test_what_takes_too_long_is_ended_with_children_in_groups_of_their_own(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        shell("setsid sleep 100 & sleep 100", tmp_path, seconds=0.3)
    assert caught.value.diagnostics[0].code == "build-timed-out"
    assert marked(tmp_path) == []


@linux
def test_a_process_left_behind_neither_hangs_the_run_nor_stays(tmp_path: Path) -> None:
    ran, log = shell("setsid sleep 100 & echo done", tmp_path)
    assert (ran.status, log.splitlines()[0]) == (0, b"done")
    assert b"stackproof: `sh` left processes behind, which were ended" in log
    assert marked(tmp_path) == []


@linux
def test_ctrl_c_ends_all_of_it(tmp_path: Path) -> None:
    def interrupt(line: str) -> None:
        raise KeyboardInterrupt(line)

    with pytest.raises(KeyboardInterrupt):
        shell("setsid sleep 100 & sleep 100 & echo ready; wait", tmp_path, on_line=interrupt)
    assert marked(tmp_path) == []


def test_a_tool_that_a_signal_ended_is_no_result(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        shell("kill -KILL $$", tmp_path)
    assert (caught.value.diagnostics[0].code, "SIGKILL" in caught.value.diagnostics[0].message) == (
        "build-killed",
        True,
    )


def test_endless_output_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "LOG_LIMIT", 1 << 20)
    with pytest.raises(EnvironmentFault) as caught:
        shell("yes", tmp_path)
    assert caught.value.diagnostics[0].code == "build-log-endless"


@linux
def test_processes_that_a_killed_run_left_are_ended_by_their_mark_and_no_others(tmp_path: Path) -> None:
    mine, other = (
        os.spawnve(os.P_NOWAIT, "/bin/sleep", ["sleep", "100"], {MARK: str(tmp_path / name)}) for name in ("a", "b")
    )
    try:
        while not marked(tmp_path / "a"):
            time.sleep(0.01)  # until it runs what it shall, its environment is still ours
        assert end_marked(str(tmp_path / "a")) == 1
        assert os.waitpid(mine, 0)[1] == signal.SIGKILL
        assert os.waitpid(other, os.WNOHANG) == (0, 0)
    finally:
        os.kill(other, signal.SIGKILL)
        os.waitpid(other, 0)


def test_a_line_without_end_is_told_in_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_LONGEST_LINE", 1000)
    lines: list[str] = []
    shell("printf '%5000s' x", tmp_path, on_line=lines.append)
    assert "".join(lines).strip() == "x"


def test_two_runs_beside_each_other_do_not_end_one_another(tmp_path: Path) -> None:
    results: list[int] = []
    folders = [tmp_path / name for name in ("a", "b")]
    for folder in folders:
        folder.mkdir()
    threads = [
        threading.Thread(target=lambda f=folder: results.append(shell("sleep 0.2", f)[0].status)) for folder in folders
    ]
    for thread in threads:
        thread.start()
        time.sleep(0.05)
    for thread in threads:
        thread.join()
    assert results == [0, 0]


@pytest.mark.skipif(bool(confinement().network), reason="this system cannot forbid a network")
def test_a_build_reaches_no_other_machine_and_its_log_says_that_it_wanted_to(tmp_path: Path) -> None:
    code = "import socket\ntry: socket.create_connection(('192.0.2.1', 80), 5)\nexcept OSError: print('refused')"
    ran, log = shell(f'{sys.executable} -c "{code}"', tmp_path)
    assert (ran.status, log.splitlines()[0]) == (0, b"refused")
    assert b"stackproof: `sh` tried to reach another machine" in log


def test_a_build_that_takes_all_memory_is_ended_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "most_memory", lambda: 150 << 20)
    eat = f"{sys.executable} -c \"import time; x = b'x' * 100_000_000; time.sleep(60)\""
    with pytest.raises(EnvironmentFault) as caught:
        shell(f"{eat} & {eat} & wait", tmp_path)
    assert caught.value.diagnostics[0].code == "sandbox-memory"
