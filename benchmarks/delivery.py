"""How long a delivery of real size takes: imported, and checked as CI checks it. `python -m benchmarks.delivery`."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from builder.exchange.delivery import import_delivery
from tests.exchange.deliveries import make_delivery

_RUNS = 5


def main() -> None:
    """Print the size of the delivery, and the median of some runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        made = make_delivery(folder)
        print(f"{made.insertions:,} insertions, {made.size:,} bytes of patches")
        start = time.perf_counter()
        taken = import_delivery(folder=made.folder, orig=made.base, out=folder / "out", rest=False).taken
        print(f"import: {time.perf_counter() - start:.2f} s, tip {taken.stack.tip_tree()}")
        assert taken.stack.tip_tree() == made.tip_tree
        times = sorted(_check(folder) for _ in range(_RUNS + 1))[:_RUNS]
        wall, cpu = times[_RUNS // 2]
        print(f"check: {wall:.2f} s, {cpu:.2f} s of CPU (median of {_RUNS}, base in the cache)")


def _check(folder: Path) -> tuple[float, float]:
    code = "import sys; from builder.cli.main import main; sys.argv[0] = 'stackproof'; main()"
    env = {**os.environ, "STACKPROOF_CACHE": str(folder / "cache")}
    before, start = _cpu(), time.perf_counter()
    command = [sys.executable, "-c", code, "check", "-C", str(folder / "out"), "--json"]
    done = subprocess.run(command, env=env, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode()
    return time.perf_counter() - start, _cpu() - before


def _cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
