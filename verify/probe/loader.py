"""What the system's loader gives a program of a build, asked before it runs, in the environment in which it will run.

For programs that end too soon to be looked at while they run.
"""

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from verify.model.observation import LoadedFile
from verify.probe.engine import BuiltEngine
from verify.probe.identity import identified
from verify.probe.session import Bench
from verify.sandbox.bounds import Bounds
from verify.sandbox.confined import confined

_TRACE = "LD_TRACE_LOADED_OBJECTS"


def files_of_programs(
    bench: Bench,
    engine: BuiltEngine,
    programs: Sequence[str],
    *,
    folder: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
) -> tuple[LoadedFile, ...]:
    """Each program and its libraries, by digest; a fault where a library is not the build's or the system's."""
    home = (engine.folder / "bin").absolute()
    paths: set[Path] = set()
    for program in programs:
        path = home / program
        paths.add(path.resolve())
        with confined(
            [path], folder=folder, environment={**environment, _TRACE: "1"}, bounds=bounds, stdout=subprocess.PIPE
        ) as asked:
            assert asked.stdout is not None
            for line in asked.stdout.read().decode("utf-8", "replace").splitlines():
                paths.update(Path(word).resolve() for word in line.split() if word.startswith("/"))
    if not paths:
        return ()
    return identified(sorted(paths), folder=home, build=engine.observation, system=bench.system)
