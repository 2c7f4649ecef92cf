"""What proofs cost: one full build, the prefix sweep, fresh lanes, all proofs; against `git rebase -x` in the same run.

    python -m benchmarks.builds --project DIR --objects CACHE [--ccache DIR] [--jobs N] [--out FILE]

Starts from a cache with nothing but the downloads and objects of `--objects`; with `--ccache` the compiler cache
starts as a copy of that one (the full build is then no cold one, and the result says so). Every figure is CPU and wall
seconds of a whole process with its children. `git rebase -x` builds in one folder after each commit. Its first build,
of the base, is taken from a compiler cache so that the run has one cold build alone; "without ccache" adds the full
build's measured seconds for it and compiles everything after it.
"""

import argparse
import json
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
HERE = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Took:
    """CPU and wall seconds of a process with its children, and what it printed."""

    cpu: float
    wall: float
    out: bytes = b""

    def plus(self, other: "Took") -> "Took":
        """Both together."""
        return Took(cpu=self.cpu + other.cpu, wall=self.wall + other.wall)


def main() -> None:
    """Measure and store, or be one of the measured processes."""
    parser = argparse.ArgumentParser(description="What proofs cost")
    parser.add_argument("--project", type=Path, default=HERE)
    parser.add_argument("--objects", type=Path, help="a cache whose downloads and objects are used")
    parser.add_argument("--ccache", type=Path, help="a compiler cache to start from")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("--fresh", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.part is not None:
        _part(options.project.absolute(), options.part, fresh=options.fresh, jobs=options.jobs)
        return
    with tempfile.TemporaryDirectory(prefix="stackproof-bench-") as scratch:
        runs = _measure(options, Path(scratch))
    now = time.strftime("%Y-%m-%d", time.gmtime())
    document = {"date": now, "machine": _machine(), "cold": options.ccache is None, **runs}
    out = options.out or RESULTS / f"builds-{now}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document, indent=2) + "\n")
    print(json.dumps(document, indent=2))


def _measure(options: argparse.Namespace, scratch: Path) -> dict[str, object]:
    project, cache = options.project.absolute(), scratch / "cache"
    cache.mkdir()
    for name in ("downloads", "objects.git", "bases", "models"):
        if options.objects is not None and (options.objects / name).exists():
            shutil.copytree(options.objects / name, cache / name, symlinks=True)
    if options.ccache is not None:
        shutil.copytree(options.ccache, cache / "ccache")

    def ours(part: str, *more: str) -> Took:
        command = (sys.executable, "-m", "benchmarks.builds", "--project", str(project), "--part", part)
        return _timed((*command, "--jobs", str(options.jobs), *more), env={"STACKPROOF_CACHE": str(cache)})

    names = json.loads(ours("names").out)
    full = ours("0")
    told = json.loads(full.out)
    shutil.copytree(cache / "ccache", scratch / "ccache-base")
    blocks = []
    for number, name in enumerate(names[1:], start=1):
        took = ours(str(number))
        seen = json.loads(took.out)
        blocks.append({"block": name, "cpu": took.cpu, "wall": took.wall, **seen})
    sweep = Took(cpu=full.cpu + sum(b["cpu"] for b in blocks), wall=full.wall + sum(b["wall"] for b in blocks))
    alone = ours("alone")
    fresh = [ours(str(number), "--fresh") for number in range(len(names))]
    again = ours("all")
    shutil.copytree(cache / "ccache", scratch / "ccache-all")
    own = sum(b["own_seconds"] for b in blocks)
    goal = full.cpu + 1.1 * own + 8 * len(blocks)
    with_cache = _rebase(options, scratch, cache, full, ccache=scratch / "ccache-base", disabled=False)
    without = _rebase(options, scratch, cache, full, ccache=scratch / "ccache-all", disabled=True)
    return {
        "project": json.loads((project / "release.json").read_bytes())["name"],
        "blocks": blocks,
        "figures": {
            "full build": _figure(full, compiled=told["compiled"], cached=told["cached"]),
            "prefix sweep with the full build": _figure(sweep, goal_cpu=round(goal, 1), own_seconds=round(own, 2)),
            "each block alone, after that": _figure(alone, builds=json.loads(alone.out)["builds"]),
            "every prefix anew in fresh lanes": _figure(
                Took(cpu=sum(t.cpu for t in fresh), wall=sum(t.wall for t in fresh)), builds=len(fresh)
            ),
            "nothing changed": _figure(again),
            "git rebase -x with ccache": _figure(with_cache.plus(full)),
            "git rebase -x without ccache": _figure(without.plus(full)),
        },
    }


def _figure(took: Took, **more: object) -> dict[str, object]:
    return {"cpu": round(took.cpu, 2), "wall": round(took.wall, 2), **more}


def _rebase(
    options: argparse.Namespace, scratch: Path, cache: Path, full: Took, *, ccache: Path, disabled: bool
) -> Took:
    """What `git rebase -x BUILD BASE` takes once the base is built in the folder."""
    place = scratch / ("rebase-plain" if disabled else "rebase-ccache")
    tree, build = place / "src", place / "build"
    place.mkdir()
    env = {"STACKPROOF_CACHE": str(cache)}
    run = (sys.executable, "-c", "from builder.cli.main import main; main()")
    _timed((*run, "checkout", str(tree), "-C", str(options.project.absolute())), env=env)
    commands = (sys.executable, "-m", "benchmarks.builds", "--project", str(options.project), "--jobs")
    said = _timed((*commands, str(options.jobs), "--part", f"commands {place}"), env=env)
    configure, make, base, digest = json.loads(said.out)
    git_env = {
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_SEQUENCE_EDITOR": "true",
        **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _WHO.items()},
    }
    cached = {
        "CCACHE_DIR": str(ccache),
        "CCACHE_BASEDIR": str(place),
        "CCACHE_NOHASHDIR": "1",
        # as lanes have it, or nothing of what they compiled would be found
        "CCACHE_COMPILERCHECK": f"string:{digest}",
        "LC_ALL": "C",
        "SOURCE_DATE_EPOCH": _EPOCH,
        "PATH": os.defpath,
        "HOME": str(place),
    }
    tip = _git(tree, "rev-parse", "HEAD", env=git_env)
    _git(tree, "checkout", "-q", base, env=git_env)
    build.mkdir()
    _timed(configure, env=cached, bare=True)
    first = _timed(make, env=cached, bare=True)
    if first.cpu > _MOST_FIRST * full.cpu:
        raise SystemExit(f"the base was compiled anew in {place}: {first.cpu:.0f} CPU s, not taken from the cache")
    _git(tree, "checkout", "-q", "-B", "bench", tip, env=git_env)
    more = {**cached, **({"CCACHE_DISABLE": "1"} if disabled else {})}
    rebase = ("git", "-C", str(tree), "rebase", "--no-ff", "-x", shlex.join(make), base)
    return _timed(rebase, env={**git_env, **more}, bare=True)


_EPOCH = "1262304000"
_MOST_FIRST = 0.8
"""A first build that takes more of a full one was not served from the compiler cache (small projects link a lot)."""

_WHO = {"NAME": "bench", "EMAIL": "bench@example.org"}


def _git(tree: Path, *arguments: str, env: Mapping[str, str]) -> str:
    return _timed(("git", "-C", str(tree), *arguments), env=env).out.decode().strip()


def _timed(command: tuple[str, ...] | list[str], *, env: Mapping[str, str], bare: bool = False) -> Took:
    """Run to the end, all CPU of its children counted; `bare` without the caller's environment.

    What it says on stderr is shown when it fails.
    """
    began = time.monotonic()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(
            command, cwd=HERE, env=env if bare else {**os.environ, **env}, stdout=out, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        said = out.read()
        if process.returncode:
            raise SystemExit(f"{shlex.join(command)} failed:\n{errors.read().decode()}{said.decode()}")
    return Took(cpu=usage.ru_utime + usage.ru_stime, wall=time.monotonic() - began, out=said)


def _part(project: Path, part: str, *, fresh: bool, jobs: int) -> None:
    """One of the measured processes: what a part of `stackproof build` does."""
    from builder import pipeline
    from builder.compile.anatomy import kept_anatomy
    from builder.compile.build import build, build_folder
    from builder.compile.recipe import build_command, build_key, configure_command
    from builder.compile.toolchain import find_toolchain
    from builder.pipeline import Workshop
    from verify.model.evidence import BuildNeed
    from verify.model.progress import Silent

    cache = Path(os.environ["STACKPROOF_CACHE"])
    workshop = Workshop(root=project, cache=cache, offline=False, progress=Silent())
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    stacked.keep()
    case = pipeline.case(stacked, workshop)
    configuration, toolchain = stacked.release.configurations[0], find_toolchain()
    trees = [tree for _, tree in case.prefix_trees()]

    def one(tree: str) -> dict[str, object]:
        need = BuildNeed(tree=tree, configuration=configuration.name)  # type: ignore[arg-type]
        made = build(
            need=need, configuration=configuration, toolchain=toolchain, source=stacked.store, cache=cache,
            progress=Silent(), fresh=fresh, jobs=jobs,
        )  # fmt: skip
        if not made.observation.ok:
            raise SystemExit(f"{tree} does not build: {made.observation.errors}")
        return {"compiled": made.observation.compiled, "cached": made.observation.cache_hits}

    if part == "names":
        print(json.dumps([str(block) for block, _ in case.prefix_trees()]))
    elif part == "all":
        for tree in trees:
            one(tree)
    elif part == "alone":
        alone = [each.tree for each in pipeline.alone(stacked, workshop) or () if each.without is None]
        print(json.dumps({"builds": len([one(tree) for tree in alone if tree not in trees])}))
    elif part.startswith("commands "):
        place = part.removeprefix("commands ")
        source, folder = f"{place}/src", f"{place}/build"
        configure = configure_command(
            configuration=configuration, toolchain=toolchain, lane=place, source=source, build=folder
        )
        make = build_command(configuration=configuration, toolchain=toolchain, build=folder, jobs=jobs)
        print(json.dumps([configure, make, stacked.imported.commit, toolchain.digest]))
    else:
        seen = one(trees[int(part)])
        if int(part) > 0 and not fresh:
            keys = [
                build_key(BuildNeed(tree=tree, configuration=configuration.name), configuration, toolchain)
                for tree in trees[int(part) - 1 : int(part) + 1]
            ]
            below, own = (kept_anatomy(build_folder(cache, key)) for key in keys)
            known = {each.name: each.sha256 for each in (below.objects if below else ())}
            changed = [each for each in (own.objects if own else ()) if known.get(each.name) != each.sha256]
            seen |= {"own_objects": len(changed), "own_seconds": round(sum(each.seconds for each in changed), 2)}
        print(json.dumps(seen))


def _machine() -> dict[str, object]:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text().split("\n")
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    compiler = subprocess.run(["c++", "--version"], capture_output=True, check=False).stdout.decode().split("\n")[0]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "compiler": compiler,
    }


if __name__ == "__main__":
    main()
