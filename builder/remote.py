"""One job run by a worker: in a process of its own, on the worker's own cache, and what came of it packed.

The tree comes as git packs: the base once, and what a tree has beyond it. What was built goes back as an archive of the
kept build's folder, which is put in place whole under the same key. The process is a group of its own and is ended with
all that it started: by a cancelled job, and (Linux) when the worker itself is killed.
"""

import ctypes
import io
import os
import pickle
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from builder.compile.build import build, build_folder
from builder.compile.collect import stored_build
from builder.compile.recipe import build_key
from builder.compile.toolchain import find_toolchain
from builder.executor import Job, NotDone
from builder.store import Store
from verify.git import Git
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Fault
from verify.model.ids import TreeId
from verify.model.observation import BuildObservation
from verify.model.progress import Silent

_POLL_SECONDS = 0.25
_GRACE_SECONDS = 15.0
_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """A job's outcome as it travels: the observation, and the kept folder as an archive (empty: the build failed)."""

    observation: BuildObservation
    archive: bytes
    machine: str


Travelled = Packed | NotDone


def pack_tree(store: Store, tree: TreeId, *, without: TreeId | None = None) -> bytes:
    """All objects of a tree as a git pack; `without` those of another one."""
    git = Git(git_dir=store.git_dir, cwd=store.git_dir)
    names = git.run("rev-list", "--objects", "--no-object-names", tree, *([f"^{without}"] if without else []))
    return git.run("pack-objects", "--stdout", "-q", stdin=names)


def perform(job: Job, packs: tuple[bytes, ...], cache: Path, cancelled: Callable[[], bool]) -> Travelled:
    """Run a job in a process of its own; ends it with everything that it started when `cancelled` says so."""
    with tempfile.TemporaryDirectory(prefix="stackproof-job-") as folder:
        asked, said = Path(folder) / "asked", Path(folder) / "said"
        asked.write_bytes(pickle.dumps((job, packs, cache)))
        process = subprocess.Popen(
            [sys.executable, "-c", "from builder.remote import main; main()", str(asked), str(said)],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=_die_with_parent if sys.platform == "linux" else None,
        )
        try:
            while process.poll() is None:
                if cancelled():
                    return NotDone(diagnostics=(_ended("it was cancelled"),))
                time.sleep(_POLL_SECONDS)
        finally:
            _end(process)
        if process.returncode or not said.exists():
            return NotDone(diagnostics=(_ended(f"its process ended with status {process.returncode}"),))
        outcome: Travelled = pickle.loads(said.read_bytes())  # noqa: S301 (our own child wrote it)
        return outcome


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Interrupt first: the build then ends every compiler, also those in groups of their own."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
        try:
            process.wait(_GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(_DEATH_SIGNAL, signal.SIGINT)


def run_job(job: Job, packs: tuple[bytes, ...], cache: Path) -> Travelled:
    """The job itself, in this process."""
    try:
        store = Store.open(cache / "objects.git")
        for pack in packs:
            if not (store.has(job.need.tree) and store.is_whole(job.need.tree)):
                Git(git_dir=store.git_dir, cwd=store.git_dir).run("index-pack", "--stdin", stdin=pack)
                store = Store.open(cache / "objects.git")
        toolchain = find_toolchain()
        if build_key(job.need, job.configuration, toolchain) != job.key:
            return NotDone(diagnostics=(_other_tools(toolchain.about()),))
        made = build(
            need=job.need,
            configuration=job.configuration,
            toolchain=toolchain,
            source=store,
            cache=cache,
            progress=Silent(),
            fresh=job.fresh,
        )
    except Fault as fault:
        return NotDone(diagnostics=fault.diagnostics)
    archive = b"" if made.folder is None else _archive(made.folder)
    return Packed(observation=made.observation, archive=archive, machine=toolchain.machine)


def _archive(folder: Path) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz", compresslevel=1) as archive:
        archive.add(folder, arcname=".")
    return packed.getvalue()


def unpack(job: Job, packed: Packed, cache: Path) -> Path | None:
    """Put what a worker built in its place, whole; its own record is checked there. None of a build that failed."""
    if not packed.archive:
        return None
    place = build_folder(cache, job.key)
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name[:16]}-", dir=place.parent) as name:
        part = Path(name) / "build"
        with tarfile.open(fileobj=io.BytesIO(packed.archive), mode="r:gz") as archive:
            archive.extractall(part, filter="data")
        if stored_build(part, job.key) is None:
            raise EnvironmentFault(_ended("what came back is not the build of the job's key"))
        if stored_build(place, job.key) is None:
            if place.exists():
                place.rename(Path(name) / "damaged")
            part.rename(place)
    return place


def _other_tools(about: str) -> Diagnostic:
    return Diagnostic(
        code="worker-other-tools",
        message="a worker has other tools than the machine that asks, so its build would have another key",
        notes=(f"the worker: {about}",),
        help="install the same compiler packages there",
    )


def _ended(why: str) -> Diagnostic:
    return Diagnostic(
        code="job-ended",
        message=f"a build on a worker did not come to its end: {why}",
        notes=("it says nothing about the tree and is not recorded",),
        help="run the same command again; what was finished is remembered",
    )


def main() -> None:
    """The process of one job: what is asked in one file, what came of it in another, whole or not at all."""
    asked, said = Path(sys.argv[1]), Path(sys.argv[2])
    job, packs, cache = pickle.loads(asked.read_bytes())  # noqa: S301 (our own parent wrote it)
    new = said.with_suffix(".new")
    new.write_bytes(pickle.dumps(run_job(job, packs, cache)))
    new.replace(said)
