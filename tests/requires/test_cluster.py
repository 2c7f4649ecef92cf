"""A cluster on loopback: a worker killed in the middle loses nothing; an empty compiler cache is served from Redis."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from tests.mini_engine.project import MiniProject, write_project
from tests.requires.blocks import BRINGS, CONFIGURATION, USES_AND_SAYS
from tests.whole.command import RUN, environment, say

pytestmark = pytest.mark.campaign

ROOT = Path(__file__).parents[2]
SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"


def free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def wait_for(port: int) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise AssertionError(f"nothing listens on {port}")


@contextmanager
def running(*command: str, env: dict[str, str]) -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **env}, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


def worker(port: int, cache: Path, **env: str) -> "AbstractContextManager[subprocess.Popen[bytes]]":
    cache.mkdir()
    return running(
        sys.executable, "-c", WORKER, f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--no-nanny", "--no-dashboard",
        "--host", "127.0.0.1", "--local-directory", str(cache / "scratch"),
        env={"STACKPROOF_CACHE": str(cache), **env},
    )  # fmt: skip


@contextmanager
def scheduler() -> Iterator[int]:
    port = free_port()
    command = ("--host", "127.0.0.1", "--port", str(port), "--no-dashboard", "--no-show")
    with running(sys.executable, "-c", SCHEDULER, *command, env={}):
        wait_for(port)
        yield port


@pytest.fixture
def project(tmp_path: Path) -> MiniProject:
    made = write_project(tmp_path / "project", tmp_path / "cache", blocks=(BRINGS, USES_AND_SAYS), gates={})
    proofs = {"one": ["prefix"], "two": ["prefix"]}
    made.write_release(
        {
            **made.release(),
            "configurations": {
                name: {**CONFIGURATION, "options": {**_options(), "MINI_BUILD_COMMIT": name}, "proofs": each}
                for name, each in proofs.items()
            },
        }
    )
    return made


def _options() -> dict[str, str]:
    options = CONFIGURATION["options"]
    assert isinstance(options, dict)
    return options


def artifacts(cache: Path) -> dict[str, list[object]]:
    """Key → what was built, of every build record."""
    found = {}
    for path in cache.glob("evidence/build/*/*.json"):
        record = json.loads(path.read_bytes())
        found[record["key"]["digest"]] = record["observation"]["artifacts"]
    return found


def test_a_worker_that_is_killed_in_the_middle_loses_nothing(project: MiniProject, tmp_path: Path) -> None:
    pytest.importorskip("distributed")
    with scheduler() as port, worker(port, tmp_path / "a") as first, worker(port, tmp_path / "b"):
        build = subprocess.Popen(
            [*RUN, "build", "--executor", f"tcp://127.0.0.1:{port}", "-C", str(project.root), "--json"],
            env={**os.environ, **environment(project.cache, project.cache)},
            stdout=subprocess.PIPE,
            cwd=ROOT,
        )
        while not list((tmp_path / "a").glob("lanes/*/build/*")):
            assert build.poll() is None
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        out, _ = build.communicate(timeout=300)
    assert build.returncode == 0, out.decode()
    shutil.copytree(project.cache / "downloads", tmp_path / "local/downloads")
    assert say("build", root=project.root, cache=tmp_path / "local").exit == 0
    assert artifacts(project.cache) == artifacts(tmp_path / "local")
    assert len(artifacts(project.cache)) == 6


@pytest.mark.skipif(shutil.which("redis-server") is None, reason="Debian's package redis-server is not installed")
def test_a_second_machines_empty_cache_is_served_from_redis(project: MiniProject, tmp_path: Path) -> None:
    port = free_port()
    redis = ("redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path))
    with running(*redis, env={}):
        wait_for(port)
        shared = {"STACKPROOF_CCACHE_REMOTE": f"redis://127.0.0.1:{port}"}
        assert say("build", root=project.root, cache=project.cache, env=shared).exit == 0
        shutil.copytree(project.cache / "downloads", tmp_path / "second/downloads")
        builds = say("build", root=project.root, cache=tmp_path / "second", env=shared).document["builds"]
    assert isinstance(builds, list)
    assert sum(build["compiled"] for build in builds) == 0
    assert sum(build["cache_hits"] for build in builds) > 0
    assert artifacts(project.cache) == artifacts(tmp_path / "second")
