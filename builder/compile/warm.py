"""Builds a tree in a warm lane: what the last tree left there is kept, and only what differs is compiled again.

For the inner loop: quick, and no evidence. A warm folder is believed only when the record that the last build wrote
still names every byte in it and the same tools and options; else it is emptied and the reason told. The record is
taken away before anything is done and written after a build that went well, so that one which was cut short leaves
none. CMake is run again whenever the set of paths changes, since projects list files by pattern. What comes out is
compared with a fresh lane by `stackproof reproduce --warm`.
"""

import json
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from builder.compile.build import build_folder, refuse_if_disturbed
from builder.compile.collect import keep_build
from builder.compile.lane import Lane, hold_lane
from builder.compile.make import TIME_LIMIT, MakeJob, make, processors
from builder.compile.recipe import build_key
from builder.compile.sources import remove_folder, update_sources
from builder.compile.toolchain import Toolchain
from builder.disk import told_as_fault
from builder.tree import ObjectSource
from verify.model.codec import canonical_json
from verify.model.evidence import BuildNeed, Key
from verify.model.observation import BuildObservation
from verify.model.progress import Progress
from verify.model.release import Configuration
from verify.probe.engine import file_sha256

_SCHEMA = "stackproof/warm/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Warmed:
    """A build in a warm lane: `anew` says why it began with an empty folder, and is empty where it went on.

    `damaged` are files of the folder that were not what the last build had left; `folder` holds what was built, in the
    form of a kept build, where it was asked for and the build went well.
    """

    observation: BuildObservation
    anew: str
    damaged: tuple[str, ...]
    folder: Path | None


def build_warm(
    *,
    need: BuildNeed,
    configuration: Configuration,
    toolchain: Toolchain,
    source: ObjectSource,
    cache: Path,
    progress: Progress,
    keep: bool = False,
    jobs: int | None = None,
    seconds: float = TIME_LIMIT,
) -> Warmed:
    """Build the tree on what the last one left; `keep` copies what was built to where a fresh build would be kept."""
    cache = cache.resolve()
    key = build_key(need, configuration, toolchain)
    with (
        told_as_fault(cache),
        hold_lane(cache=cache, name=configuration.name, progress=progress, warm=True) as lane,
    ):
        record = lane.folder / "warm.json"
        left = _read(record)
        record.unlink(missing_ok=True)
        anew, damaged = _distrust(left, lane, key)
        if anew:
            remove_folder(lane.build)
        lane.build.mkdir(exist_ok=True)
        with progress.stage(f"lay {need.tree[:12]}") as stage:
            laid = update_sources(tree=need.tree, source=source, folder=lane.source, record=lane.record, stage=stage)
            stage.outcome(f"{laid.written} written, {laid.removed} removed, {laid.kept} kept")
        paths = _paths(lane.source)
        job = MakeJob(
            configuration=configuration,
            toolchain=toolchain,
            lane=lane,
            environment=lane.environment(toolchain=toolchain, ccache=cache / "ccache", cold=False),
            jobs=jobs or processors(),
            deadline=time.monotonic() + seconds,
        )
        log = Path("logs") / f"warm-{key.digest[:24]}.log"
        with progress.stage(f"build {configuration.name} {need.tree[:12]} (warm)") as stage:
            observation = make(job, cache, log, stage, configure=bool(anew) or left is None or paths != left.paths)
        refuse_if_disturbed(lane)
        folder = None
        if observation.ok:
            if keep:
                folder = build_folder(cache, key)
                observation = keep_build(
                    build=lane.build, source=lane.source, folder=folder, key=key, observation=observation
                )
            # last of all: keeping a build asks its tests for their names, and that leaves a log in the folder
            _write(record, _Left(tools=_tools(key), paths=paths, files=_digests(lane.build)))
    return Warmed(observation=observation, anew=anew, damaged=damaged, folder=folder)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Left:
    """What a build left: with what tools and options, the digest of the set of paths, and every file it made."""

    tools: str
    paths: str
    files: dict[str, str]


def _distrust(left: _Left | None, lane: Lane, key: Key) -> tuple[str, tuple[str, ...]]:
    """Why the folder is not gone on with, and its damaged files; empty where it is what the last build left."""
    if left is None:
        return "no build that went well was the last one here", ()
    if left.tools != _tools(key):
        return "the tools or the options are not those of the last build", ()
    met = _digests(lane.build) if lane.build.is_dir() else {}
    damaged = tuple(sorted(name for name in left.files.keys() | met.keys() if left.files.get(name) != met.get(name)))
    return (f"{len(damaged)} files are not what the last build left" if damaged else "", damaged)


def _tools(key: Key) -> str:
    """Names all of a key but the tree."""
    return sha256(canonical_json([list(part) for part in key.parts if part[0] != "tree"])).hexdigest()


def _paths(folder: Path) -> str:
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))
    return sha256("\0".join(names).encode("utf-8", "surrogateescape")).hexdigest()


def _digests(build: Path) -> dict[str, str]:
    """Every file that the build made, links by where they lead."""
    return {
        path.relative_to(build).as_posix(): f"-> {path.readlink()}" if path.is_symlink() else file_sha256(path)
        for path in sorted(build.rglob("*"))
        if path.is_symlink() or path.is_file()
    }


def _read(record: Path) -> _Left | None:
    try:
        value = json.loads(record.read_bytes())
        if value["schema"] != _SCHEMA:
            return None
        return _Left(tools=str(value["tools"]), paths=str(value["paths"]), files=dict(value["files"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _write(record: Path, left: _Left) -> None:
    part = record.with_name(record.name + ".part")
    part.write_bytes(canonical_json({"schema": _SCHEMA, "tools": left.tools, "paths": left.paths, "files": left.files}))
    part.replace(record)
