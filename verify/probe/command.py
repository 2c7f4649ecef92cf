"""Probe `command`: a declared command on every arm's build, in the sandbox, with clean environment and bounds.

No shell is between: the first word is a program of the build, the others are given to it as they are. Its two streams
are kept apart.
"""

import re
import time
from hashlib import sha256
from pathlib import Path

from verify.model.command import CommandArm, CommandObservation, CommandSettings
from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import Arm
from verify.model.ids import Sha256
from verify.probe.engine import BuiltEngine, check_program
from verify.probe.environment import clean_environment
from verify.probe.loader import files_of_programs
from verify.probe.session import Bench
from verify.sandbox.bounds import Bounds
from verify.sandbox.confined import confined
from verify.sandbox.told import breach_told

RECIPE = "1"
_TAIL = 12
_LONGEST = 200


def run_command(bench: Bench, settings: CommandSettings) -> CommandObservation:
    """Each arm once, the first one first."""
    started = time.monotonic()
    arms = []
    for number, (arm, engine) in enumerate(bench.arms):
        bench.stage.tell(f"`{settings.program}` of arm `{arm.name}`")
        folder = bench.scratch / f"command-{number}"
        folder.mkdir()
        arms.append(_one_arm(bench, settings, arm, engine, folder))
    return CommandObservation(arms=tuple(arms), seconds=round(time.monotonic() - started, 3))


def _one_arm(bench: Bench, settings: CommandSettings, arm: Arm, engine: BuiltEngine, folder: Path) -> CommandArm:
    began = time.monotonic()
    program = check_program(engine, settings.program).absolute()
    model = str(bench.model_file().path.absolute()) if bench.model is not None else ""
    environment = {
        **clean_environment(arm, program.parent, folder),
        "OMP_THREAD_LIMIT": str(settings.threads),
    }
    limits = bench.limits
    bounds = Bounds(seconds=settings.seconds, memory_bytes=limits.memory_bytes, file_bytes=limits.log_bytes)
    loaded = files_of_programs(bench, engine, [settings.program], folder=folder, environment=environment, bounds=bounds)
    out, err = folder / "out", folder / "err"
    with (
        out.open("wb") as to_out,
        err.open("wb") as to_err,
        confined(
            [program, *(word.replace("{model}", model) for word in settings.arguments)],
            folder=folder,
            environment=environment,
            bounds=bounds,
            stdout=to_out,
            stderr=to_err,
        ) as running,
    ):
        running.wait()
    ended = running.end()
    if ended.breach is not None:
        raise EnvironmentFault(breach_told(ended.breach, f"`{settings.program}` of arm `{arm.name}`"))
    places = {str(program.parent): "{bin}", str(folder): "{home}", model: "{model}"}
    said, told = _portable(out, places), _portable(err, places)
    lines = [*said.splitlines(), *told.splitlines()]
    return CommandArm(
        arm=arm.name,
        status=ended.status,
        lines=len(lines),
        counts=tuple((mark.name, sum(1 for line in lines if re.search(mark.pattern, line))) for mark in settings.marks),
        out=_digest(said),
        err=_digest(told),
        tail=tuple(line[:_LONGEST] for line in (told.strip() or said.strip()).splitlines()[-_TAIL:]),
        loaded=loaded,
        seconds=round(time.monotonic() - began, 3),
    )


def _portable(path: Path, places: dict[str, str]) -> str:
    """What was written, with folders that differ from arm to arm by name."""
    text = path.read_text(encoding="utf-8", errors="replace")
    for place, name in places.items():
        text = text.replace(place, name) if place else text
    return text


def _digest(text: str) -> Sha256:
    return Sha256(sha256(text.encode("utf-8", "replace")).hexdigest())
