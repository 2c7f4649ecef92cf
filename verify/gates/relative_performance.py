"""Relative performance: the tip is no slower than upstream, timed side by side on one machine.

Rounds are paired and their order turned about; a ratio counts by its bootstrap interval on two clocks, as for the
sessions of switches (`verify/gates/timing.py`). Where the interval lies across the bound, nobody knows. Times say
nothing of an engine whose output is wrong, so the tokens of the same builds are compared first; requests to the server
are also compared with each other, token by token.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import stuck
from verify.gates.kind import Kind, Scope
from verify.gates.timing import Paired, Timing, judge_paired
from verify.gates.versus import (
    arms_unusable,
    one_build,
    output_findings,
    output_session,
    output_unusable,
    shared_files,
    versus_arms,
)
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.figure import Figure
from verify.model.ids import ConfigName, ModelName
from verify.model.session import Drawn, Rounds, settings_of
from verify.model.speed import (
    Bound,
    Part,
    Program,
    SpeedObservation,
    SpeedSettings,
    Workload,
)
from verify.model.verdict import Failed, Outcome, Passed, Undecided

SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Ratios are the tip's times over upstream's, of paired rounds.

    `program` is `bench` (the engine's own bench) or `server` (requests). A session ends when both bounds are decided,
    when the ratios are known to `precision`, or after `rounds_max`.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    program: Program = field(default=Program.SERVER, metadata={"about": "`bench` or `server`"})
    prompt_tokens: int = field(default=128, metadata={"min": 1, "max": 131072})
    generate: int = field(default=32, metadata={"min": 1, "max": 4096})
    batch: int = field(default=512, metadata={"min": 8, "max": 4096})
    rounds: int = field(default=6, metadata={"min": 3, "max": 100})
    rounds_max: int = field(default=24, metadata={"min": 3, "max": 400})
    precision: float = field(default=0.02, metadata={"min": 0.001, "max": 1.0})
    prompt_ratio_max: float = field(default=1.1, metadata={"min": 0.5, "max": 10.0})
    generation_ratio_max: float = field(default=1.1, metadata={"min": 0.5, "max": 10.0})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The timed session, and the tokens of the same builds."""
    return _needs(params, case) or ()


def check(params: Params, case: Case) -> Outcome:
    """Equal output, and no ratio beyond its bound."""
    both = _needs(params, case)
    if both is None:
        return unmet(stuck())
    speed, output = both
    reasons = case.missing((speed,)) + output_unusable(output, case)
    if reasons:
        return unmet(reasons)
    seen = case.seen(speed, SpeedObservation)
    if reasons := arms_unusable(speed, ((arm.arm, arm.loaded) for arm in seen.arms), case):
        return unmet(reasons)
    timings = tuple(_timing(seen, bound) for bound in _bounds(params))
    findings = (
        *output_findings(output, case),
        *one_build(speed, case),
        *_degenerate(params, seen),
        *_outputs(params, seen),
        *(finding for timing in timings for finding in timing.failures),
    )
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if doubts := tuple(doubt for timing in timings for doubt in timing.doubts):
        return Undecided(summary=doubts[0].message, reasons=doubts)
    upstream, tip = seen.arms
    files = shared_files(upstream.loaded, tip.loaded)
    return Passed(summary=f"{', '.join(timing.summary for timing in timings)}; equal tokens; {files}")


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """Both ratios by both clocks."""
    both = _needs(params, case)
    if both is None:
        return ()
    seen = case.seen(both[0], SpeedObservation)
    if len(seen.arms) != len(both[0].arms):
        return ()
    return tuple(reading for bound in _bounds(params) for reading in _timing(seen, bound).readings)


def _needs(params: Params, case: Case) -> tuple[ProbeNeed, ProbeNeed] | None:
    arms = versus_arms(case, params.configuration)
    if arms is None:
        return None
    settings = SpeedSettings(
        program=params.program,
        workload=Workload(
            prompt=params.prompt_tokens,
            generate=params.generate,
            batch=params.batch,
            microbatch=min(params.batch, 512),
        ),
        rounds=Rounds(least=params.rounds, most=max(params.rounds, params.rounds_max), precision=params.precision),
        bounds=_bounds(params),
        drawn=Drawn(seed=SEED),
    )
    speed = ProbeNeed(probe="speed", model=params.model, arms=arms, settings=settings_of(settings))
    return speed, output_session(params.model, arms)


def _bounds(params: Params) -> tuple[Bound, ...]:
    return (
        Bound(part=Part.PREFILL, ratio=params.prompt_ratio_max),
        Bound(part=Part.DECODE, ratio=params.generation_ratio_max),
    )


def _timing(seen: SpeedObservation, bound: Bound) -> Timing:
    upstream, tip = (arm.of(bound.part) for arm in seen.arms)
    return judge_paired(
        what=str(bound.part),
        ratio="tip/upstream",
        clocks=(
            Paired(
                clock="processor",
                under=tuple(each.cpu_seconds for each in upstream),
                over=tuple(each.cpu_seconds for each in tip),
            ),
            Paired(
                clock="wall",
                under=tuple(each.seconds for each in upstream),
                over=tuple(each.seconds for each in tip),
            ),
        ),
        rounds=seen.rounds,
        bound=bound.ratio,
        seed=SEED,
    )


def _degenerate(params: Params, seen: SpeedObservation) -> Iterator[Finding]:
    """Times of another number of tokens than was asked for."""
    expected = {Part.PREFILL: params.prompt_tokens, Part.DECODE: params.generate}
    for arm in seen.arms:
        for part, tokens in expected.items():
            met = sorted({each.tokens for each in arm.of(part)} - {tokens})
            if met:
                yield Diagnostic(
                    code="time-degenerate",
                    message=f"arm `{arm.arm}`: times of {part} are of {met[0]} tokens, {tokens} were asked for",
                )


def _outputs(params: Params, seen: SpeedObservation) -> Iterator[Finding]:
    """What the timed requests themselves gave, where the program tells it."""
    if params.program is not Program.SERVER:
        return
    upstream, tip = ({(each.part, each.round): each.output for each in arm.times} for arm in seen.arms)
    differing = sorted(at[1] for at in upstream if None in (upstream[at], tip.get(at)) or upstream[at] != tip.get(at))
    if differing:
        yield Diagnostic(
            code="speed-of-wrong-output",
            message=f"the timed requests of round {differing[0]} gave other tokens than upstream's",
            notes=(f"rounds: {', '.join(map(str, sorted(set(differing))))}",),
        )


KIND = Kind(
    name="relative-performance",
    about="the tip reads prompts and writes tokens no slower than upstream at the same base, timed side by side",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
