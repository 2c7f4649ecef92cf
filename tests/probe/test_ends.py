"""However a session is ended, no server is left: interrupted, or killed without a chance to tidy up."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -9)]
)
def test_no_server_outlives_its_session(tmp_path: Path, number: signal.Signals, status: int) -> None:
    session = subprocess.Popen(
        [sys.executable, "-m", "tests.probe.silent_session", str(tmp_path)], cwd=ROOT, stderr=subprocess.PIPE
    )
    server = wait_for_server(tmp_path)
    session.send_signal(number)
    _, told = session.communicate(timeout=20)
    assert session.returncode in (status, 1), told.decode()
    assert not outlives(server)


def wait_for_server(folder: Path) -> int:
    """The process id of the server, once it is being asked."""
    for _ in range(500):
        for log in folder.glob("scratch/*/0-only.err"):
            if "asked: " in (text := log.read_text(encoding="utf-8")):
                return int(text.split("asked: ")[1].split()[0])
        time.sleep(0.02)
    raise AssertionError("the server was never asked")


def outlives(pid: int) -> bool:
    for _ in range(250):
        try:
            os.kill(pid, 0)
            state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()[0]
        except (ProcessLookupError, FileNotFoundError):
            return False
        if state == "Z":
            return False
        time.sleep(0.02)
    return True
