"""What the campaign of releases works with: commands that are timed, a registry of Debian's, an environment that has
nothing."""

import os
import platform
import resource
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
STACKPROOF = str(Path(sys.executable).parent / "stackproof")
VERIFY = "import sys; sys.path.insert(0, {root!r}); from verify.__main__ import main; sys.exit(main())"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What the campaign is about: a project that holds on the evidence in its cache, its base, a model to serve."""

    project: Path
    base: Path
    cache: Path
    model: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """A command that ended: status, both streams, wall and CPU seconds of it and its children."""

    status: int
    out: str
    err: str
    wall: float
    cpu: float

    def figures(self) -> dict[str, float]:
        """The seconds, for the record."""
        return {"wall": round(self.wall, 2), "cpu": round(self.cpu, 2)}


def run(words: Sequence[str], *, env: Mapping[str, str], cwd: Path, umask: int = 0o022) -> Ran:
    """Run a command to its end."""
    start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(words, cwd=cwd, env=dict(env), capture_output=True, text=True, umask=umask)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ran(status=done.returncode, out=done.stdout, err=done.stderr, wall=time.monotonic() - start, cpu=cpu)


def must(ran: Ran, what: str) -> Ran:
    """The command went well, or the campaign ends."""
    if ran.status != 0:
        raise SystemExit(f"{what} ended with {ran.status}:\n{ran.out[-3000:]}{ran.err[-3000:]}")
    return ran


def ours(asked: Asked, **more: str) -> dict[str, str]:
    """The environment of a maintainer."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "STACKPROOF_CACHE": str(asked.cache), **more}


def strangers(home: Path) -> dict[str, str]:
    """The environment of somebody who has an empty home and a PATH."""
    home.mkdir(exist_ok=True)
    return {"HOME": str(home), "PATH": os.environ["PATH"]}


def verify_words(bundle: Path | str, base: Path, *more: str) -> list[str]:
    """The check of a bundle by a Python that sees the standard library and `verify` alone."""
    program = VERIFY.format(root=str(ROOT))
    return [sys.executable, "-I", "-S", "-c", program, str(bundle), "--base", str(base), "--offline", *more]


class Registry:
    """Debian's docker-registry on the loopback, which can be stopped and started again on what it holds."""

    def __init__(self, folder: Path, data: Path | None = None) -> None:
        self.folder, self.port = folder, free_port()
        self.data = data or folder / "data"
        self.host = f"127.0.0.1:{self.port}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "registry.yml").write_text(
            f"version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {self.data}}}}}\n"
            f"http: {{addr: {self.host}}}\n"
        )
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Serve, and wait until it answers."""
        with (self.folder / "registry.log").open("ab") as log:
            words = ["docker-registry", "serve", str(self.folder / "registry.yml")]
            self._process = subprocess.Popen(words, stdout=log, stderr=log)
        wait_for(f"http://{self.host}/v2/")

    def stop(self) -> None:
        """As when its machine goes down."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


@contextmanager
def registry(folder: Path, data: Path | None = None) -> Iterator[Registry]:
    """A registry for as long as the block runs."""
    served = Registry(folder, data)
    served.start()
    try:
        yield served
    finally:
        served.stop()


def free_port() -> int:
    """A port that nobody has at the moment."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def wait_for(url: str, seconds: float = 120) -> bytes:
    """The body of the first answer."""
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bytes(answer.read())
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)


def machine() -> dict[str, object]:
    """What it ran on, with the load of the last minutes."""
    model = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if "model name" in line
        ),
        platform.machine(),
    )
    load = [round(each, 1) for each in os.getloadavg()]
    return {"cpu": model, "cores": os.cpu_count(), "load": load, "python": platform.python_version()}
