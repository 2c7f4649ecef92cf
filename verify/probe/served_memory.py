"""Probe `served-memory`: the same requests again and again on one server, which is weighed after each cycle.

Only anonymous memory is counted: pages of the model's file come and go as the system likes.
"""

import time

from verify.model.evidence import Arm
from verify.model.observation import Answer
from verify.model.served_memory import ServedMemoryArm, ServedMemoryObservation, ServedMemorySettings
from verify.probe.blame import blamed
from verify.probe.engine import BuiltEngine
from verify.probe.identity import loaded_files
from verify.probe.llama import Ask, server_options
from verify.probe.server import Logs, RunningServer, ended, serve
from verify.probe.session import Bench

RECIPE = "1"


def run_served_memory(bench: Bench, settings: ServedMemorySettings) -> ServedMemoryObservation:
    """Each arm once, on a server of its own."""
    started = time.monotonic()
    done: list[ServedMemoryArm] = []
    for arm, engine in bench.arms:
        bench.stage.tell(f"arm `{arm.name}`, {settings.cycles} cycles")
        with blamed(arm, done[0].arm if done else None):
            done.append(_weighed(bench, settings, arm, engine))
    return ServedMemoryObservation(arms=tuple(done), seconds=round(time.monotonic() - started, 3))


def _weighed(bench: Bench, settings: ServedMemorySettings, arm: Arm, engine: BuiltEngine) -> ServedMemoryArm:
    logs = Logs(out=bench.scratch / f"{arm.name}.out", err=bench.scratch / f"{arm.name}.err")
    with serve(
        arm=arm,
        engine=engine,
        model=bench.model_file(),
        settings=settings.server,
        logs=logs,
        home=bench.scratch,
        limits=bench.limits,
    ) as server:
        loaded = loaded_files(
            server.process.pid, folder=engine.program().parent, build=engine.observation, system=bench.system
        )
        tokens, sizes = 0, []
        for number in range(settings.cycles):
            tokens += sum(len(answer.ids) for answer in _cycle(server, settings, number))
            sizes.append(server.anonymous_kib())
        if server.process.poll() is not None:
            raise ended(arm.name, server.process, logs, "after its last answer")
        peak = server.peak_kib()
    return ServedMemoryArm(
        arm=arm.name,
        anonymous_kib=tuple(sizes),
        peak_kib=peak,
        tokens=tokens,
        loaded=loaded,
        command=server_options(settings.server),
    )


def _cycle(server: RunningServer, settings: ServedMemorySettings, number: int) -> tuple[Answer, ...]:
    prompt, other = (settings.drawn.ids(stream, settings.prompt) for stream in (0, 1))
    further, branch = (settings.drawn.ids(stream, settings.fresh) for stream in (2, 3))
    asked = (
        ("prompt", prompt, 0),
        ("further", prompt + further, 0),
        ("branch", prompt[: -settings.fresh] + branch, 0),
        ("other", other, 1),
    )
    return tuple(
        server.complete(
            Ask(
                request=request,
                prompt=ids,
                tokens=settings.generate,
                slot=slot,
                seed=settings.seed,
                streamed=False,
            ),
            round_number=number,
        )
        for request, ids, slot in asked
    )
