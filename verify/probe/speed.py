"""Probe `speed`: how long reading a prompt and writing tokens take, arm against arm, round by round.

Every round runs each arm once, the order turned about, on a process of its own: the engine's bench or its server. It
ends as soon as every bound is decided (the whole interval of a ratio lies on one side of it) or the ratio is known to
the asked precision, at the latest after the most rounds that are allowed.
"""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from verify.model.codec import canonical_json
from verify.model.evidence import Arm
from verify.model.ids import Sha256
from verify.model.interval import Interval, ratio_interval
from verify.model.observation import LoadedFile
from verify.model.session import ServerSettings
from verify.model.speed import Bound, Part, Program, SpeedArm, SpeedObservation, SpeedSettings, Timed
from verify.probe.blame import blamed
from verify.probe.engine import BuiltEngine
from verify.probe.identity import loaded_files
from verify.probe.llama import Ask, server_options
from verify.probe.llama_bench import BENCH, Unreadable, bench_options, computed, model_options, read_bench
from verify.probe.program import Program as Run
from verify.probe.program import missed, run_program, unreadable
from verify.probe.server import Logs, serve
from verify.probe.session import Bench

RECIPE = "1"
_ATTEMPTS = 5
"""What the bench had computed when it told of a test is read when we are told; on a busy machine that can be after its
end, and then the round is run again."""


@dataclass(slots=True, kw_only=True)
class _Kept:
    """What is known of one arm so far."""

    times: list[Timed] = field(default_factory=list)
    loaded: tuple[LoadedFile, ...] = ()
    peak_kib: int = 0

    def add(self, times: tuple[Timed, ...], loaded: tuple[LoadedFile, ...], peak_kib: int) -> None:
        self.times += times
        self.loaded = tuple(dict.fromkeys(self.loaded + loaded))
        self.peak_kib = max(self.peak_kib, peak_kib)


Play = Callable[[Bench, SpeedSettings, Arm, BuiltEngine, int, _Kept], None]


def run_speed(bench: Bench, settings: SpeedSettings) -> SpeedObservation:
    """Rounds until the bounds are decided."""
    began = time.monotonic()
    kept = {arm.name: _Kept() for arm, _ in bench.arms}
    first, last = (bench.arms[at][0].name for at in (0, -1))
    rounds = 0
    while rounds < settings.rounds.most:
        if rounds >= settings.rounds.least and is_known(settings, kept[first].times, kept[last].times):
            break
        for arm, engine in bench.arms if rounds % 2 == 0 else bench.arms[::-1]:
            bench.stage.tell(f"round {rounds + 1} of {settings.rounds.most} at most, arm `{arm.name}`")
            with blamed(arm, first if kept[first].times else None):
                _PLAY[settings.program](bench, settings, arm, engine, rounds, kept[arm.name])
        rounds += 1
    return SpeedObservation(
        arms=tuple(
            SpeedArm(
                arm=arm.name,
                times=tuple(kept[arm.name].times),
                loaded=kept[arm.name].loaded,
                command=_command(settings),
                peak_kib=kept[arm.name].peak_kib,
            )
            for arm, _ in bench.arms
        ),
        rounds=rounds,
        seconds=round(time.monotonic() - began, 3),
    )


def is_known(settings: SpeedSettings, first: list[Timed], last: list[Timed]) -> bool:
    """Whether every bound is decided by the processor's clock, or its ratio known to the asked precision."""
    return all(_is_known(bound, settings.rounds.precision, first, last) for bound in settings.bounds)


def _is_known(bound: Bound, precision: float, first: list[Timed], last: list[Timed]) -> bool:
    under, over = (
        [each.cpu_seconds for each in sorted(times, key=lambda each: each.round) if each.part is bound.part]
        for times in (first, last)
    )
    interval: Interval | None = ratio_interval(tuple(zip(over, under, strict=True)), seed=len(over))
    if interval is None:
        return False
    return interval.high <= bound.ratio or interval.low > bound.ratio or interval.width() <= precision


def _by_bench(bench: Bench, settings: SpeedSettings, arm: Arm, engine: BuiltEngine, number: int, kept: _Kept) -> None:
    run = Run(
        arm=arm,
        engine=engine,
        program=BENCH,
        options=(*model_options(bench.model_file().path), *_command(settings)),
        folder=bench.scratch,
        name=f"{number}-{arm.name}",
    )
    for _ in range(_ATTEMPTS):
        ran = run_program(run, limits=bench.limits, system=bench.system)
        try:
            tests = read_bench(ran.out, settings.workload, repetitions=1)
            cpu = computed(ran.lines, ran.cpu_seconds, settings.workload)
        except Unreadable as error:
            raise unreadable(run, str(error)) from error
        if min(cpu) > 0:
            break
    else:
        raise missed(run)
    times = tuple(
        Timed(
            part=test.part,
            round=number,
            tokens=test.tokens,
            seconds=round(sum(test.nanoseconds) / 1e9, 6),
            cpu_seconds=round(seconds, 6),
            output=None,
        )
        for test, seconds in zip(tests, cpu, strict=True)
    )
    kept.add(times, ran.loaded, ran.peak_kib)


def _by_server(bench: Bench, settings: SpeedSettings, arm: Arm, engine: BuiltEngine, number: int, kept: _Kept) -> None:
    logs = Logs(out=bench.scratch / f"{number}-{arm.name}.out", err=bench.scratch / f"{number}-{arm.name}.err")
    workload = settings.workload
    with serve(
        arm=arm,
        engine=engine,
        model=bench.model_file(),
        settings=_server(settings),
        logs=logs,
        home=bench.scratch,
        limits=bench.limits,
    ) as server:
        loaded = loaded_files(
            server.process.pid, folder=engine.program().parent, build=engine.observation, system=bench.system
        )
        # the first answer of a server pays for pages and buffers that later ones find
        first = settings.drawn.ids(2 * number, min(workload.prompt, 16))
        server.complete(Ask(request="first", prompt=first, tokens=2, reuse=False), round_number=number)
        prompt = settings.drawn.ids(2 * number + 1, workload.prompt)
        before = server.computed_seconds()
        ask = Ask(request="timed", prompt=prompt, tokens=1 + workload.generate, reuse=False)
        answer = server.complete(ask, round_number=number)
        used = server.computed_seconds() - before
        peak = server.peak_kib()
    output = Sha256(sha256(canonical_json([list(answer.ids), answer.text])).hexdigest())
    wall, cpu = answer.first_token_seconds, answer.first_token_cpu_seconds
    times = [
        Timed(
            part=Part.PREFILL,
            round=number,
            tokens=answer.prompt_tokens - answer.cached_tokens,
            seconds=wall,
            cpu_seconds=cpu,
            output=output,
        ),
    ]
    if workload.generate:
        times.append(
            Timed(
                part=Part.DECODE,
                round=number,
                tokens=answer.generated - 1,
                seconds=round(answer.seconds - wall, 6),
                cpu_seconds=round(used - cpu, 6),
                output=output,
            )
        )
    kept.add(tuple(times), loaded, peak)


_PLAY: Mapping[Program, Play] = {Program.BENCH: _by_bench, Program.SERVER: _by_server}


def _server(settings: SpeedSettings) -> ServerSettings:
    workload = settings.workload
    return ServerSettings(
        context=workload.prompt + workload.generate + 64,
        batch=workload.batch,
        microbatch=workload.microbatch,
        threads=workload.threads,
        flash_attention=workload.flash_attention,
        repack=workload.repack,
    )


def _command(settings: SpeedSettings) -> tuple[str, ...]:
    if settings.program is Program.SERVER:
        return server_options(_server(settings))
    return bench_options(settings.workload, repetitions=1)
