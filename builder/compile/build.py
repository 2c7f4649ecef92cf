"""Builds one tree in one configuration, or takes the stored build of the very same key.

Takes the need, the configuration, the tools and the object source; gives `Built`: the key, the observation and, when
it went well, the folder with the programs and libraries. A build that fails is an observation with its first errors;
one that was cut short (`builder/compile/make.py`) or whose source was touched meanwhile says nothing about the tree and
is a fault.
"""

import time
from dataclasses import dataclass
from pathlib import Path

from builder.compile.collect import keep_build, stored_build
from builder.compile.lane import Lane, hold_lane
from builder.compile.make import TIME_LIMIT, MakeJob, make, processors
from builder.compile.recipe import build_key
from builder.compile.sources import disturbed, update_sources
from builder.compile.toolchain import Toolchain
from builder.compile.tools_record import record_tools
from builder.disk import told_as_fault
from builder.tree import ObjectSource
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import BuildNeed, Key
from verify.model.ids import show_path
from verify.model.observation import BuildObservation
from verify.model.progress import Progress
from verify.model.release import Configuration


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
        job = MakeJob(
            configuration=configuration,
            toolchain=toolchain,
            lane=lane,
            environment=lane.environment(toolchain=toolchain, ccache=cache / "ccache", cold=cold),
            jobs=jobs or processors(),
            deadline=time.monotonic() + seconds,
        )
        log = Path("logs") / f"build-{key.digest[:24]}.log"
        with progress.stage(f"build {configuration.name} {need.tree[:12]}") as stage:
            observation = make(job, cache, log, stage)
        refuse_if_disturbed(lane)
        folder = None
        if observation.ok:
            folder = build_folder(cache, key)
            observation = keep_build(
                build=lane.build, source=lane.source, folder=folder, key=key, observation=observation
            )
    return Built(need=need, key=key, observation=observation, folder=folder, reused=False)


def refuse_if_disturbed(lane: Lane) -> None:
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
