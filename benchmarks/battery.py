"""The release's battery of gates on the real engine, clean: what it takes, and whether it ever cries wolf.

    python -m benchmarks.battery CACHE [--batteries N] [--noisy N] [--out FILE]

CACHE must be a copy of a cache that holds the release's builds: what sessions measured is dropped in it before each
cold battery, builds stay. `--noisy` are so many repeats of the gates that judge times or memory.
"""

import argparse
import json
import os
import shutil
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.whole.command import say
from verify.probe.machine import this_machine

OURS = Path(__file__).parent.parent
NOISY = ("relative-performance", "warm-behind-cold", "checkpoint-resume", "performance", "memory-budget")


def main() -> None:
    """Measure and store after every step, so that a run that is ended has its figures."""
    parser = argparse.ArgumentParser(description="The clean battery")
    parser.add_argument("cache", type=Path)
    parser.add_argument("--batteries", type=int, default=5)
    parser.add_argument("--noisy", type=int, default=20)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    machine = this_machine()
    document: dict[str, Any] = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "release": json.loads((OURS / "release.json").read_bytes())["name"],
        "machine": {"cpu": machine.processor, "cores": os.cpu_count()},
        "gates": dict(Counter(each["kind"] for each in _listed(options.cache))),
        "cold": [], "warm": [], "noisy": [],
    }  # fmt: skip
    noisy = [each for each in _listed(options.cache) if each["kind"] in NOISY]
    names = [part for each in noisy for part in ("--only", _name(each))]
    for step, count, arguments in (("cold", options.batteries, []), ("noisy", options.noisy, names)):
        for _ in range(count):
            forget(options.cache)
            document[step].append(battery(options.cache, *arguments))
            if step == "cold":
                document["warm"].append(battery(options.cache))
            print(json.dumps(document[step][-1]), flush=True)
            if options.out is not None:
                options.out.write_text(json.dumps(document, indent=2) + "\n", "utf-8")


class Watch(threading.Thread):
    """Processor seconds of everything that a process has started, looked at ten times a second.

    Measured processes are ended by their warden, which nobody waits for through us, so the system's own sums lack them.
    The last tenth of a second of each is lost.
    """

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.root, self.end = root, threading.Event()
        self.seen: dict[tuple[int, int], int] = {}
        self.ours: set[tuple[int, int]] = set()

    def run(self) -> None:
        """Until told to end."""
        while not self.end.wait(0.1):
            now = {int(path.name): found for path in Path("/proc").glob("[0-9]*") if (found := _stat(path))}
            for pid, (parent, started, ticks) in now.items():
                above = (parent, now[parent][1]) if parent in now else None
                if parent == self.root or above in self.ours or (pid, started) in self.ours:
                    self.ours.add((pid, started))
                    self.seen[pid, started] = ticks

    def seconds(self) -> float:
        """The sum so far."""
        return sum(self.seen.values()) / os.sysconf("SC_CLK_TCK")


def _stat(path: Path) -> tuple[int, int, int] | None:
    """Parent, start and ticks of a process."""
    try:
        fields = (path / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return int(fields[1]), int(fields[19]), int(fields[11]) + int(fields[12])


def forget(cache: Path) -> None:
    """Drop every record but those of builds."""
    for folder in (cache / "evidence").iterdir():
        if folder.name != "build":
            shutil.rmtree(folder)


def battery(cache: Path, *arguments: str) -> dict[str, Any]:
    """One run of `stackproof gate`: seconds, how many gates ended how, and what every one that did not pass said."""
    began, watch = time.monotonic(), Watch(os.getpid())
    watch.start()
    said = say("gate", *arguments, root=OURS, cache=cache)
    watch.end.set()
    watch.join()
    results = said.document["results"]
    assert isinstance(results, list)
    return {
        "wall": round(time.monotonic() - began, 1),
        "cpu": round(watch.seconds(), 1),
        "load": round(os.getloadavg()[0], 1),
        "exit": said.exit,
        "ends": dict(Counter(each["outcome"] for each in results)),
        "not passed": [
            {"gate": _name(each), "kind": each["kind"], "outcome": each["outcome"], "said": each["summary"]}
            for each in results
            if each["outcome"] != "passed"
        ],
    }


def _listed(cache: Path) -> list[dict[str, Any]]:
    gates = say("gate", "--list", root=OURS, cache=cache).document["gates"]
    assert isinstance(gates, list)
    return [each | {"gate": each["name"]} for each in gates]


def _name(gate: dict[str, Any]) -> str:
    return f"{gate['block']}/{gate['gate']}" if gate["block"] else str(gate["gate"])


if __name__ == "__main__":
    main()
