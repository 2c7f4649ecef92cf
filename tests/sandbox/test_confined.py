"""Programs that want out, or more than their share, or to stay: each is stopped and named, and nothing survives."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from verify.sandbox.bounds import Bound, Bounds, Confinement, Ended
from verify.sandbox.confined import Confined, confined, confinement, start
from verify.sandbox.told import breach_told, conduct_told

MIB = 1 << 20
SHORT = Bounds(seconds=20, memory_bytes=400 * MIB, processes=40)
needs_namespaces = pytest.mark.skipif(
    bool(confinement().network or confinement().processes), reason=f"this system: {confinement().told()}"
)


def run(code: str, folder: Path, bounds: Bounds = SHORT) -> Ended:
    """Let a Python program run to its end, or to the end that it is given."""
    with confined([sys.executable, "-I", "-S", "-c", code], folder=folder, environment={}, bounds=bounds) as program:
        program.wait(30)
        ended = program.ended
    assert ended is not None
    return ended


@contextlib.contextmanager
def served(code: str, folder: Path) -> Iterator[Confined]:
    """A Python program that prints one line and goes on."""
    command = [sys.executable, "-I", "-S", "-c", code]
    with confined(command, folder=folder, environment={}, bounds=SHORT, stdout=subprocess.PIPE) as program:
        yield program


def lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_program_that_behaves_ends_as_it_says(tmp_path: Path) -> None:
    ended = run("import sys; sys.exit(7)", tmp_path)
    assert (ended.status, ended.left, ended.outside, ended.breach) == (7, (), 0, None)
    assert ended.peak_kib > 1000
    assert ended.cpu_seconds > 0


def test_a_signal_is_an_end_of_its_own(tmp_path: Path) -> None:
    assert run("import os; os.abort()", tmp_path).status == -signal.SIGABRT


def test_it_has_its_environment_its_folder_and_nothing_of_ours(tmp_path: Path) -> None:
    code = "import os; print(sorted(os.environ), os.getcwd(), sorted(map(int, os.listdir('/proc/self/fd'))))"
    command = [sys.executable, "-I", "-S", "-c", code]
    with confined(
        command, folder=tmp_path, environment={"LC_ALL": "C"}, bounds=SHORT, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        # the fourth is the one that lists them
        assert program.stdout.read().decode() == f"['LC_ALL'] {tmp_path} [0, 1, 2, 3]\n"


def test_a_program_that_is_not_there_is_told_as_the_system_does(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        start([tmp_path / "none"], folder=tmp_path, environment={}, bounds=SHORT)


def test_one_that_sleeps_for_ever_is_ended(tmp_path: Path) -> None:
    ended = run("import time; time.sleep(600)", tmp_path, Bounds(seconds=1))
    assert ended.breach is not None
    assert (ended.status, ended.breach.bound) == (-signal.SIGKILL, Bound.SECONDS)
    assert breach_told(ended.breach, "a test").code == "sandbox-seconds"


def test_one_that_fills_memory_is_refused_more(tmp_path: Path) -> None:
    """The system refuses one process what all together may have."""
    code = "x = []\ntry:\n while True: x.append(b'x' * 20_000_000)\nexcept MemoryError: raise SystemExit(len(x) < 25)"
    assert run(code, tmp_path).status == 1


def test_processes_that_fill_memory_together_are_ended(tmp_path: Path) -> None:
    child = "import os, time\nfor _ in range(3):\n if os.fork() == 0: x = b'x' * 200_000_000; time.sleep(600)\n"
    ended = run(child + "time.sleep(600)", tmp_path)
    assert ended.breach is not None
    assert (ended.breach.bound, ended.breach.met > ended.breach.allowed) == (Bound.MEMORY, True)
    assert breach_told(ended.breach, "a test").notes[0] == "allowed: 0.39 GiB"


def test_one_that_starts_itself_again_and_again_is_ended(tmp_path: Path) -> None:
    ended = run("import os, time\nwhile True:\n time.sleep(0.002)\n if os.fork() == 0: time.sleep(600)", tmp_path)
    assert ended.breach is not None
    assert ended.breach.bound is Bound.PROCESSES


def test_one_that_opens_files_without_end_is_refused_more(tmp_path: Path) -> None:
    code = "import os\ntry:\n while True: last = os.open('/', 0)\nexcept OSError: raise SystemExit(last < 50)"
    assert run(code, tmp_path, Bounds(seconds=20, open_files=50)).status == 1


def test_one_that_writes_without_end_is_stopped(tmp_path: Path) -> None:
    code = "while True: print('x' * 1000)"
    with (
        (tmp_path / "log").open("wb") as log,
        confined(
            [sys.executable, "-I", "-S", "-c", code],
            folder=tmp_path,
            environment={},
            bounds=Bounds(seconds=20, file_bytes=MIB),
            stdout=log,
        ) as program,
    ):
        program.wait(30)
    assert (program.returncode != 0, (tmp_path / "log").stat().st_size) == (True, MIB)


DAEMON = """
import os, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.environ.clear()
        for descriptor in range(3):
            os.close(descriptor)
        open('daemon', 'w').write(open('/proc/self/stat').read().split()[0])
        time.sleep(600)
    os._exit(0)
while not os.path.exists('daemon') or not open('daemon').read():
    time.sleep(0.01)
"""


def test_a_daemon_does_not_survive_its_program(tmp_path: Path) -> None:
    ended = run(DAEMON, tmp_path)
    assert (ended.status, len(ended.left)) == (0, 1)
    assert [told.code for told in conduct_told(ended, "a test")] == ["sandbox-left"]
    assert not lives(int((tmp_path / "daemon").read_text()))


def test_a_daemon_does_not_survive_being_let_go(tmp_path: Path) -> None:
    with served(DAEMON + "print('ready', flush=True); time.sleep(600)", tmp_path) as program:
        assert program.stdout is not None
        program.stdout.readline()
        daemon = int((tmp_path / "daemon").read_text())
        assert lives(daemon)
    assert (lives(daemon), lives(program.pid)) == (False, False)


def test_a_program_does_not_survive_us(tmp_path: Path) -> None:
    ours = (
        "import sys, time\nfrom pathlib import Path\nfrom verify.sandbox.confined import Bounds, start\n"
        "program = start(['/bin/sleep', '600'], folder=Path('/'), environment={}, bounds=Bounds(seconds=600))\n"
        "print(program.pid, flush=True)\ntime.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", ours], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        pid = int(process.stdout.readline())
        assert lives(pid)
        process.kill()
    for _ in range(200):
        if not lives(pid):
            break
        time.sleep(0.02)
    assert not lives(pid)


@needs_namespaces
def test_nobody_outside_is_reached(tmp_path: Path) -> None:
    """A listener on our own loopback stands for the rest of the world: inside there is another loopback."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        port = listener.getsockname()[1]
        ended = run(
            f"import socket\nfor where in (('127.0.0.1', {port}), ('192.0.2.1', 80)):\n"
            " try: socket.create_connection(where, timeout=5)\n except OSError: continue\n raise SystemExit(1)",
            tmp_path,
        )
        with pytest.raises(BlockingIOError):
            listener.accept()
    assert ended.status == 0
    assert [(told.code, "1 times" in told.message) for told in conduct_told(ended, "a test")] == [
        ("sandbox-outside", True)
    ]


@needs_namespaces
def test_its_own_loopback_is_reached_from_outside_by_us_alone(tmp_path: Path) -> None:
    code = (
        "import socket\nlistener = socket.create_server(('127.0.0.1', 0))\n"
        "print(listener.getsockname()[1], flush=True)\nlistener.accept()[0].sendall(b'hello')\nlistener.accept()"
    )
    with served(code, tmp_path) as program:
        assert program.stdout is not None
        port = int(program.stdout.readline())
        with program.dial(port, 5) as made:
            assert made.recv(16) == b"hello"
        with pytest.raises(OSError), socket.create_connection(("127.0.0.1", port), timeout=5):
            pass
        with pytest.raises(ConnectionRefusedError):
            program.dial(1, 5)


def test_a_network_that_is_asked_for_is_there(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        code = f"import socket; socket.create_connection(('127.0.0.1', {listener.getsockname()[1]}), timeout=5)"
        ended = run(code, tmp_path, Bounds(seconds=20, network=True))
    assert ended.status == 0


def test_what_is_not_forbidden_is_told() -> None:
    assert "no network" in Confinement(network="", processes="refused").told()
    assert "network not forbidden (refused)" in Confinement(network="refused", processes="").told()


def test_the_process_of_wardens_may_be_lost(tmp_path: Path) -> None:
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text(encoding="ascii").split()
    for child in children:
        if b"warden.py" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(int(child), signal.SIGKILL)
            os.waitpid(int(child), 0)
    assert run("", tmp_path).status == 0
