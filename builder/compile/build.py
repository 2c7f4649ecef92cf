"""Builds one tree in one configuration, or takes the stored build of the very same key.

Takes the need, the configuration, the tools and the object source; gives `Built`: the key, the observation and, when
it went well, the folder with the programs and libraries. A build that fails is an observation with its first errors;
one that was cut short, ran out of space or memory, or whose source was touched meanwhile says nothing about the tree
and is a fault.
"""

import os
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from builder.compile.collect import ask_for_targets, keep_build, stored_build, unmade
from builder.compile.lane import Lane, hold_lane
from builder.compile.log import read_log, read_statistics, read_step, says_killed, says_no_space
from builder.compile.recipe import build_command, build_key, configure_command
from builder.compile.run import Ran, run
from builder.compile.sources import disturbed, update_sources
from builder.compile.toolchain import Toolchain
from builder.compile.tools_record import record_tools
from builder.disk import nearly_full, told_as_fault
from builder.tree import ObjectSource
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import BuildNeed, Key
from verify.model.ids import show_path
from verify.model.observation import BuildObservation, CompilerMessage
from verify.model.progress import Progress, Stage
from verify.model.release import Configuration

TIME_LIMIT = 4 * 3600.0
"""Seconds after which a build is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """A build: `folder` holds `bin/` and `build.json`, None when the build failed; `reused` when nothing was run."""

    need: BuildNeed
    key: Key
    observation: BuildObservation
    folder: Path | None
    reused: bool


def build_folder(cache: Path, key: Key) -> Path:
    """Where the build of a key is stored."""
    return cache / "builds" / key.digest


def find_build(*, need: BuildNeed, configuration: Configuration, toolchain: Toolchain, cache: Path) -> Built | None:
    """The stored build, None when there is none or it is damaged."""
    key = build_key(need, configuration, toolchain)
    folder = build_folder(cache, key)
    observation = stored_build(folder, key)
    if observation is None:
        return None
    return Built(need=need, key=key, observation=observation, folder=folder, reused=True)


def build(
    *,
    need: BuildNeed,
    configuration: Configuration,
    toolchain: Toolchain,
    source: ObjectSource,
    cache: Path,
    progress: Progress,
    fresh: bool = False,
    cold: bool = False,
    jobs: int | None = None,
    seconds: float = TIME_LIMIT,
) -> Built:
    """Build the tree unless its build is stored; `fresh` builds anyway, `cold` also bypasses the compiler cache."""
    fresh = fresh or cold
    cache = cache.resolve()  # tools run in another folder
    find = find_build(need=need, configuration=configuration, toolchain=toolchain, cache=cache)
    if find is not None and not fresh:
        return find
    with told_as_fault(cache), hold_lane(cache=cache, name=configuration.name, progress=progress) as lane:
        # whoever held the lane before may have built this very tree
        find = find_build(need=need, configuration=configuration, toolchain=toolchain, cache=cache)
        if find is not None and not fresh:
            return find
        key = build_key(need, configuration, toolchain)
        record_tools(cache, toolchain)
        with progress.stage(f"lay {need.tree[:12]}") as stage:
            laid = update_sources(tree=need.tree, source=source, folder=lane.source, record=lane.record, stage=stage)
            stage.outcome(f"{laid.written} written, {laid.removed} removed, {laid.kept} kept")
        job = _Job(
            configuration=configuration,
            toolchain=toolchain,
            lane=lane,
            environment=lane.environment(toolchain=toolchain, ccache=cache / "ccache", cold=cold),
            jobs=jobs or _processors(),
            deadline=time.monotonic() + seconds,
        )
        log = Path("logs") / f"build-{key.digest[:24]}.log"
        (cache / log).parent.mkdir(parents=True, exist_ok=True)
        with progress.stage(f"build {configuration.name} {need.tree[:12]}") as stage:
            observation = _observe(job, cache, log, stage)
        _refuse_if_disturbed(lane)
        folder = None
        if observation.ok:
            folder = build_folder(cache, key)
            observation = keep_build(
                build=lane.build, source=lane.source, folder=folder, key=key, observation=observation
            )
    return Built(need=need, key=key, observation=observation, folder=folder, reused=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    configuration: Configuration
    toolchain: Toolchain
    lane: Lane
    environment: dict[str, str]
    jobs: int
    deadline: float


def _observe(job: _Job, cache: Path, log: Path, stage: Stage) -> BuildObservation:
    lines: list[str] = []

    space = _Space(job, cache, log)

    def follow(line: str) -> None:
        lines.append(line)
        space.look()
        step = read_step(line)
        if step is not None:
            stage.tell(f"[{step.finished}/{step.total}] {step.what}")
        elif line.startswith("-- "):
            stage.tell(f"configure: {line[3:]}")

    with (cache / log).open("wb") as file:
        stage.tell("configure")
        ask_for_targets(job.lane.build)
        configure = configure_command(
            configuration=job.configuration,
            toolchain=job.toolchain,
            lane=str(job.lane.folder),
            source=str(job.lane.source),
            build=str(job.lane.build),
        )
        ran = [_run(job, configure, file, follow)]
        job.lane.statistics.unlink(missing_ok=True)  # CMake's own trials are no part of the build
        configured = ran[0].status == 0
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


class _Space:
    """Whether a disk ran full meanwhile. Compilers do not always live to say so, and take back what they could not
    finish; so it is looked at while they run, and once more when one has failed."""

    def __init__(self, job: _Job, cache: Path, log: Path) -> None:
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


def _run(job: _Job, command: tuple[str, ...], log: BinaryIO, follow: Callable[[str], None]) -> Ran:
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


def _refuse_if_disturbed(lane: Lane) -> None:
    """What was built from other bytes than the tree's is no build of the tree."""
    changed = disturbed(folder=lane.source, record=lane.record)
    if changed:
        raise EnvironmentFault(
            Diagnostic(
                code="lane-disturbed",
                message=f"source files changed while they were built: `{show_path(changed[0])}`",
                notes=(f"{len(changed)} of the laid files in {lane.source}", "what was built is not the tree's"),
                help="leave that folder alone and run the same command again",
            )
        )


def _text(path: Path) -> str:
    try:
        return path.read_text(errors="replace")
    except FileNotFoundError:
        return ""


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
