"""Runs CMake and Ninja in a lane and observes how it went.

Takes a job: a lane whose sources are laid, the configuration, the tools, an environment and a deadline. Gives the
observation, without artifacts. A build that fails is an observation with its first errors; one that was cut short or
ran out of space or memory says nothing about the tree and is a fault.
"""

import os
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from builder.compile.collect import ask_for_targets, unmade
from builder.compile.lane import Lane
from builder.compile.log import read_log, read_statistics, read_step, says_killed, says_no_space
from builder.compile.recipe import build_command, configure_command
from builder.compile.run import Ran, run
from builder.compile.toolchain import Toolchain
from builder.disk import nearly_full
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.observation import BuildObservation, CompilerMessage
from verify.model.progress import Stage
from verify.model.release import Configuration

TIME_LIMIT = 4 * 3600.0
"""Seconds after which a build is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeJob:
    """What is to be made where; `deadline` is a reading of the monotonic clock, `jobs` how many compilers at once."""

    configuration: Configuration
    toolchain: Toolchain
    lane: Lane
    environment: dict[str, str]
    jobs: int
    deadline: float


def make(job: MakeJob, cache: Path, log: Path, stage: Stage, *, configure: bool = True) -> BuildObservation:
    """Configure, unless the folder still is, and build; everything said goes to `log`, a path within the cache."""
    lines: list[str] = []
    (cache / log).parent.mkdir(parents=True, exist_ok=True)
    space = _Space(job, cache, log)

    def follow(line: str) -> None:
        lines.append(line)
        space.look()
        step = read_step(line)
        if step is not None:
            stage.tell(f"[{step.finished}/{step.total}] {step.what}")
        elif line.startswith("-- "):
            stage.tell(f"configure: {line[3:]}")

    ran: list[Ran] = []
    with (cache / log).open("wb") as file:
        if configure:
            stage.tell("configure")
            ran.append(_configure(job, file, follow))
        job.lane.statistics.unlink(missing_ok=True)  # CMake's own trials are no part of the build
        configured = all(each.status == 0 for each in ran)
        if configured:
            command = build_command(
                configuration=job.configuration, toolchain=job.toolchain, build=str(job.lane.build), jobs=job.jobs
            )
            ran.append(_run(job, command, file, follow))
    missing = unmade(job.lane.build, job.configuration.targets) if all(each.status == 0 for each in ran) else ()
    ok = all(each.status == 0 for each in ran) and not missing
    if not ok:
        _refuse_machine_trouble(lines, cache / log)
        space.refuse()
    reading = read_log(lines, sources=(str(job.lane.source), "../src"))
    if missing:
        told = tuple(CompilerMessage(file="", line=0, text=text, flag="") for text in missing)
        reading = replace(reading, failed_step="products", errors=(*told, *reading.errors))
    compiled, hits = read_statistics(_text(job.lane.statistics))
    stage.outcome(
        f"{reading.steps} steps, {compiled} compiled, {hits} cached"
        if ok
        else f"failed at {reading.failed_step or 'configure'}; log: {cache / log}"
    )
    return BuildObservation(
        ok=ok,
        failed_step="" if ok else reading.failed_step or ("build" if configured else "configure"),
        errors=() if ok else reading.errors,
        warnings=reading.warnings,
        steps=reading.steps,
        compiled=compiled,
        cache_hits=hits,
        cpu_seconds=round(sum(each.cpu_seconds for each in ran), 3),
        wall_seconds=round(sum(each.wall_seconds for each in ran), 3),
        peak_kib=max(each.peak_kib for each in ran),
        artifacts=(),
        log=str(log),
        tail=() if ok else reading.tail,
    )


def _configure(job: MakeJob, log: BinaryIO, follow: Callable[[str], None]) -> Ran:
    ask_for_targets(job.lane.build)
    command = configure_command(
        configuration=job.configuration,
        toolchain=job.toolchain,
        lane=str(job.lane.folder),
        source=str(job.lane.source),
        build=str(job.lane.build),
    )
    return _run(job, command, log, follow)


class _Space:
    """Whether a disk ran full meanwhile. Compilers do not always live to say so, and take back what they could not
    finish; so it is looked at while they run, and once more when one has failed."""

    def __init__(self, job: MakeJob, cache: Path, log: Path) -> None:
        lane = job.lane
        self._folders = (lane.build, lane.folder / "tmp", (cache / log).parent, cache / "ccache")
        self._found: Diagnostic | None = None
        self._log = cache / log

    def look(self) -> None:
        self._found = self._found or nearly_full(self._folders)

    def refuse(self) -> None:
        self.look()
        if self._found is not None:
            raise EnvironmentFault(replace(self._found, notes=(*self._found.notes, f"log: {self._log}")))


def _run(job: MakeJob, command: tuple[str, ...], log: BinaryIO, follow: Callable[[str], None]) -> Ran:
    return run(
        command,
        folder=job.lane.build,
        environment=job.environment,
        log=log,
        on_line=follow,
        seconds=max(0.0, job.deadline - time.monotonic()),
    )


def _refuse_machine_trouble(lines: list[str], log: Path) -> None:
    """A full disk or a killed compiler is no property of the tree: raise instead of observing a failed build."""
    full, killed = says_no_space(lines), says_killed(lines)
    if full:
        free = shutil.disk_usage(log.parent).free / (1 << 20)
        raise EnvironmentFault(
            Diagnostic(
                code="no-space",
                message="there is no space left to build",
                notes=(full.strip(), f"{free:.0f} MiB are free at {log.parent}", f"log: {log}"),
                help=f"df -h {shlex.quote(str(log.parent))}",
            )
        )
    if killed:
        raise EnvironmentFault(
            Diagnostic(
                code="compiler-killed",
                message="the compiler was killed or ran out of memory",
                notes=(killed.strip(), f"log: {log}", "a compiler needs up to 1.2 GiB for one file of llama.cpp"),
                help="run the same command again with `--jobs 1`",
            )
        )


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except FileNotFoundError:
        return ""


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
