"""How fast stacks are, side by side on one machine in one run, and whether every tool ends at the same tree.

    python -m benchmarks.stacks [--own CACHE] [--debian DIR]... [--folds N] [--large] [--only-dpkg-source] [--out FILE]

`--debian` names stacks as `benchmarks.corpus` takes them. `--large` adds our own 10,000 folds on 80,000
files. Results are stored as JSON with machine and date; `python -m benchmarks.render` writes docs/benchmarks.md.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.cases import Case, debian, own, synthetic
from benchmarks.tools import Bench, Timed

RESULTS = Path(__file__).parent / "results"


def main() -> None:
    """Measure what is asked for and store it."""
    parser = argparse.ArgumentParser(description="Stacks side by side")
    parser.add_argument("--debian", action="append", type=Path, default=[])
    parser.add_argument("--own", type=Path, help="our own release; its base in this cache")
    parser.add_argument("--folds", type=int, default=1000)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only-ours", action="store_true")
    parser.add_argument("--only-dpkg-source", action="store_true", help="ours and dpkg-source, in a result of its own")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    runs: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory(prefix="stackproof-bench-") as scratch_name:
        scratch = Path(scratch_name)
        cases = [debian(folder.absolute(), scratch) for folder in options.debian]
        if options.own is not None:
            cases.insert(0, own(Path(), options.own))
        if options.folds:
            cases.append(synthetic(scratch / "small", folds=options.folds, files=4000))
        for case in cases:
            if options.only_dpkg_source:
                runs += beside_dpkg_source(case, scratch / case.name, options.repeat)
            else:
                runs += side_by_side(case, scratch / case.name, options.repeat, only_ours=options.only_ours)
        if options.large:
            runs += growth(scratch / "large", options.repeat)
    document = {
        "schema": "stackproof/benchmark/1",
        "date": time.strftime("%Y-%m-%d"),
        "machine": machine(),
        "scratch": "memory" if tempfile.gettempdir().startswith("/dev/shm") else "disk files",
        "runs": runs,
    }
    what = "dpkg-source" if options.only_dpkg_source else "stacks"
    out = options.out or RESULTS / f"{what}-{document['date']}.json"
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(json.dumps(document, indent=1) + "\n")
    print(f"wrote {out}")


def side_by_side(case: Case, folder: Path, repeat: int, *, only_ours: bool) -> list[dict[str, object]]:
    """Every tool that is installed on one case."""
    bench = Bench(case, folder)
    tools: list[tuple[str, Callable[[], Timed]]] = [
        ("ours", lambda: bench.ours(store=False)),
        ("ours, stored", lambda: bench.ours(store=True)),
    ]
    if not only_ours:
        tools += [("git apply --cached + commit", bench.git_apply), ("git am", bench.git_am)]
        if shutil.which("quilt"):
            tools.append(("quilt push -a", bench.quilt))
        if shutil.which("stg"):
            tools.append(("stg import --series", bench.stgit))
    return _best_of(case, tools, folder, repeat)


def beside_dpkg_source(case: Case, folder: Path, repeat: int) -> list[dict[str, object]]:
    """Ours and dpkg-source alone; a stack must be one that GNU patch can take."""
    bench = Bench(case, folder)
    tools: list[tuple[str, Callable[[], Timed]]] = [
        ("ours", lambda: bench.ours(store=False)),
        ("ours, stored", lambda: bench.ours(store=True)),
        ("dpkg-source", bench.dpkg_source),
    ]
    return _best_of(case, tools, folder, repeat)


def _best_of(
    case: Case, tools: list[tuple[str, Callable[[], Timed]]], folder: Path, repeat: int
) -> list[dict[str, object]]:
    found = []
    for name, run in tools:
        best = min((run() for _ in range(repeat if name.startswith("ours") else 1)), key=lambda timed: timed.cpu)
        found.append(_row(case, best))
    shutil.rmtree(folder, ignore_errors=True)
    return found


def growth(folder: Path, repeat: int) -> list[dict[str, object]]:
    """Our own stacking from 1,000 to 10,000 folds on 80,000 files: time against patch bytes."""
    found = []
    for folds in (1000, 2500, 5000, 10000):
        case = synthetic(folder / f"base-{folds}", folds=folds, files=80_000)
        bench = Bench(case, folder / f"run-{folds}")
        best = min((bench.ours(store=False) for _ in range(repeat)), key=lambda timed: timed.cpu)
        found.append(_row(case, best))
        shutil.rmtree(folder / f"base-{folds}", ignore_errors=True)
    return found


def _row(case: Case, timed: Timed) -> dict[str, object]:
    row: dict[str, object] = {
        "case": case.name,
        "folds": sum(1 for _ in case.folds()),
        "patch_bytes": sum(len(fold.patch_bytes) for _, fold in case.folds()),
        "tool": timed.tool,
        "cpu": timed.cpu,
        "wall": timed.wall,
        "right": timed.right,
        **{key: value for key, value in timed.more.items() if key != "tip"},
    }
    print(json.dumps(row), flush=True)
    return row


def machine() -> dict[str, object]:
    """What the figures were measured on."""
    lines = Path("/proc/cpuinfo").read_text().split("\n")
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "python": platform.python_version(),
        "git": _version("git"),
        "quilt": _version("quilt"),
        "stg": _version("stg"),
        "dpkg-source": _version("dpkg-source"),
    }


def _version(tool: str) -> str | None:
    if shutil.which(tool) is None:
        return None
    done = subprocess.run([tool, "--version"], capture_output=True, check=False)
    return done.stdout.decode().split("\n")[0]


if __name__ == "__main__":
    main()
