"""Ctrl-C in each stage of a release: told as such, nothing half-made is kept, and the next run goes on."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.mini_engine.project import MiniProject, write_project
from tests.whole.command import RUN, environment, say


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> MiniProject:
    folder = tmp_path_factory.mktemp("interrupt")
    project = write_project(folder / "project", folder / "cache")
    assert say("pin", root=project.root, cache=project.cache).exit == 0
    return project


def interrupted_after(project: MiniProject, line: str, seconds: float, number: signal.Signals) -> tuple[int, set[str]]:
    """Start a release from the beginning, send the signal some time after a line of its progress, and hear it out."""
    process = subprocess.Popen(
        [*RUN, "release", "--fresh", "-C", str(project.root)],
        env=environment(project.cache, project.cache),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    said: list[str] = []
    for each in process.stderr:
        said.append(each)
        if line in each:
            break
    assert process.poll() is None, "".join(said)
    time.sleep(seconds)
    process.send_signal(number)
    rest = process.stderr.read()
    status = process.wait(timeout=60)
    assert "Traceback" not in rest
    return status, {word for word in ("error[interrupted]",) if word in rest}


# Each case is a line of progress that is told when the stage before ends, and how long to wait from there.
@pytest.mark.parametrize(
    ("line", "seconds", "number"),
    [
        ("base:", 0.0, signal.SIGINT),
        ("the same trees by git:", 0.4, signal.SIGINT),
        ("the same trees by git:", 0.4, signal.SIGTERM),
        ("build 3/3, prefix checkpoint-keep: build", 0.3, signal.SIGINT),
    ],
    ids=["stack", "build", "build-terminated", "probe"],
)
def test_an_interrupted_release_says_so_and_leaves_nothing_running(
    project: MiniProject, line: str, seconds: float, number: signal.Signals
) -> None:
    assert interrupted_after(project, line, seconds, number) == (2, {"error[interrupted]"})
    assert not (project.root / "dist").exists()
    assert running_from(project.cache) == []


def test_the_next_run_after_interruptions_holds(project: MiniProject) -> None:
    said = say("release", root=project.root, cache=project.cache)
    assert said.exit == 0, json.dumps(said.document, indent=1)


def running_from(folder: Path) -> list[str]:
    """Processes whose command line names something in the folder."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            except OSError:
                continue
            if str(folder) in command:
                found.append(command)
    return found
