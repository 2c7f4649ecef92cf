"""Runs a script on every arm, round by round, each time on a fresh server, and keeps what came of it.

The order of the arms is turned about from round to round, so that drift of the machine hits all alike. Each start is
checked for what it loaded. When the first arm has served a whole round and another one breaks down, the engine of
that arm is at fault (`arm-broken`); when the first one breaks down, nobody knows.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

from verify.model.evidence import Arm
from verify.model.interval import ratio_interval
from verify.model.observation import Answer, ArmObservation, LoadedFile, MarkCount, RunObservation
from verify.model.progress import Stage
from verify.model.session import Mark, Rounds, ServerSettings
from verify.probe.blame import blamed
from verify.probe.engine import Bindings, BuiltEngine, Limits, ModelFile
from verify.probe.identity import SYSTEM_FOLDERS, loaded_files
from verify.probe.llama import server_options
from verify.probe.marks import count_marks
from verify.probe.server import Logs, RunningServer, ended, serve


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """What is done on one server in one round, and which of its times decide when the ratios are known well enough.

    `options` come behind those of the settings, and count where both give one.
    """

    settings: ServerSettings
    rounds: Rounds
    marks: tuple[Mark, ...]
    play: Callable[[RunningServer, int], tuple[Answer, ...]]
    figures: Callable[[tuple[Answer, ...]], tuple[float, ...]]
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where a probe runs: the arms with their engines, the model, a folder for logs, limits, and whom to tell.

    `model` and `bindings` are None for a probe that asks for none.
    """

    arms: tuple[tuple[Arm, BuiltEngine], ...]
    model: ModelFile | None
    scratch: Path
    limits: Limits
    stage: Stage
    system: tuple[Path, ...] = SYSTEM_FOLDERS
    bindings: Bindings | None = None

    def library_bindings(self) -> Bindings:
        """The bindings, for a probe that calls the engine's library."""
        if self.bindings is None:
            raise TypeError("this probe was asked for without bindings")
        return self.bindings

    def model_file(self) -> ModelFile:
        """The model, for a probe that cannot do without one."""
        if self.model is None:
            raise TypeError("this probe was asked for without a model")
        return self.model


Answered = Sequence[tuple[Answer, ...]]
"""The answers of one arm, round by round."""


@dataclass(slots=True, kw_only=True)
class _Kept:
    """What is known of one arm so far."""

    answers: list[tuple[Answer, ...]] = field(default_factory=list)
    marks: list[MarkCount] = field(default_factory=list)
    loaded: tuple[LoadedFile, ...] = ()
    peak_kib: int = 0
    start_seconds: float = 0.0


def run_session(bench: Bench, script: Script) -> RunObservation:
    """Play the script until its ratios are known well enough, at most as often as it says."""
    started = time.monotonic()
    kept = {arm.name: _Kept() for arm, _ in bench.arms}
    rounds = 0
    while rounds < script.rounds.most and not (rounds >= script.rounds.least and _known(script, bench, kept)):
        for arm, engine in bench.arms if rounds % 2 == 0 else bench.arms[::-1]:
            bench.stage.tell(f"round {rounds + 1} of {script.rounds.most} at most, arm `{arm.name}`")
            first = bench.arms[0][0].name
            with blamed(arm, first if kept[first].answers else None):
                _play(bench, script, arm, engine, rounds, kept[arm.name])
        rounds += 1
    return RunObservation(
        arms=tuple(_observed(arm, kept[arm.name], script) for arm, _ in bench.arms),
        rounds=rounds,
        seconds=round(time.monotonic() - started, 3),
    )


def _play(bench: Bench, script: Script, arm: Arm, engine: BuiltEngine, number: int, kept: _Kept) -> None:
    logs = Logs(out=bench.scratch / f"{number}-{arm.name}.out", err=bench.scratch / f"{number}-{arm.name}.err")
    with serve(
        arm=arm,
        engine=engine,
        model=bench.model_file(),
        settings=script.settings,
        logs=logs,
        home=bench.scratch,
        limits=bench.limits,
        options=script.options,
    ) as server:
        loaded = loaded_files(
            server.process.pid, folder=engine.program().parent, build=engine.observation, system=bench.system
        )
        answers = script.play(server, number)
        if server.process.poll() is not None:
            raise ended(arm.name, server.process, logs, "after its last answer")
        kept.peak_kib = max(kept.peak_kib, server.peak_kib())
        kept.start_seconds = max(kept.start_seconds, server.start_seconds)
    kept.loaded = tuple(dict.fromkeys(kept.loaded + loaded))
    kept.answers.append(answers)
    kept.marks += count_marks(script.marks, logs.lines(), number)


def _known(script: Script, bench: Bench, kept: dict[str, _Kept]) -> bool:
    """Whether the ratio of each arm to the one before it is known to the asked precision, for every figure."""
    arms = [kept[arm.name].answers for arm, _ in bench.arms]
    return all(_is_known(script, under, over) for under, over in pairwise(arms))


def _is_known(script: Script, under: Answered, over: Answered) -> bool:
    pairs = [
        list(zip(script.figures(last), script.figures(first), strict=True))
        for last, first in zip(over, under, strict=True)
    ]
    for figure in zip(*pairs, strict=True):
        interval = ratio_interval(figure, seed=len(pairs))
        if interval is None or interval.width() > script.rounds.precision:
            return False
    return True


def _observed(arm: Arm, kept: _Kept, script: Script) -> ArmObservation:
    return ArmObservation(
        arm=arm.name,
        answers=tuple(answer for answers in kept.answers for answer in answers),
        marks=tuple(kept.marks),
        loaded=kept.loaded,
        command=(*server_options(script.settings), *script.options),
        peak_kib=kept.peak_kib,
        start_seconds=kept.start_seconds,
    )
