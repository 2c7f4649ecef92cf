"""However a session is ended, no server is left: interrupted, or killed without a chance to tidy up."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.probe.living import gone_from, living_in

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, -signal.SIGTERM), (signal.SIGKILL, -9)]
)
def test_no_server_outlives_its_session(tmp_path: Path, number: signal.Signals, status: int) -> None:
    session = subprocess.Popen(
        [sys.executable, "-m", "tests.probe.silent_session", str(tmp_path)], cwd=ROOT, stderr=subprocess.PIPE
    )
    wait_for_server(tmp_path)
    assert living_in(tmp_path)
    session.send_signal(number)
    _, told = session.communicate(timeout=20)
    assert session.returncode in (status, 1), told.decode()
    assert gone_from(tmp_path)


def wait_for_server(folder: Path) -> None:
    """Wait until the server is being asked."""
    for _ in range(500):
        if any("asked: " in log.read_text(encoding="utf-8") for log in folder.glob("scratch/*/0-only.err")):
            return
        time.sleep(0.02)
    raise AssertionError("the server was never asked")
