"""Warm behind cold: a short request to a warm slot need not wait for a long cold prompt in another.

Two sessions on the tip, switch off and on. With one cache a slot, times to the first token are paired round by round,
and upstream at the same base is a third arm: off must not be slower than that, or on would be compared with a bad
yardstick. With a unified cache the order must stay as it was. Text is equal everywhere. A ratio counts by its whole
interval: below the bound it passes, above it fails, across it nobody knows.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from verify.gates.answers import differences, unmet, unusable
from verify.gates.case import Case
from verify.gates.exercise import SEED, no_such_arm, switch_arms, timed_arms, warm_behind_cold_session
from verify.gates.kind import Kind, Scope
from verify.gates.timing import Timing, first_token_amounts, judge_times
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, Need, ProbeNeed
from verify.model.figure import Amount, Amounts, Figure
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import RunObservation
from verify.model.session import Mark, Rounds
from verify.model.verdict import Failed, Outcome, Passed, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Ratios are on over off of paired rounds; `upstream_ratio_max` bounds off over upstream for both requests.

    `warm_ratio_max` and `cold_ratio_max` bound the time to the first token of the short and of the long request,
    `waited_ratio_max` how many batches of the long prompt are read before the short request's first token: the order
    of service is seen without a clock. Rounds count by their median, since a busy machine lets a single one slip.
    `upstream_text` also asks for upstream's text, which an earlier block may have changed on purpose.
    `seen` is the log line of the feature: required with the switch on, forbidden with it off and with a unified
    cache.
    """

    switch: str = field(metadata={"refers": "switch"})
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    seen: str = field(metadata={"pattern": True})
    cold_tokens: int = field(default=6144, metadata={"min": 16, "max": 131072})
    history_tokens: int = field(default=200, metadata={"min": 4, "max": 131072})
    warm_tokens: int = field(default=64, metadata={"min": 4, "max": 131072})
    generate: int = field(default=16, metadata={"min": 1, "max": 512})
    batch: int = field(default=512, metadata={"min": 8, "max": 4096})
    rounds: int = field(default=6, metadata={"min": 3, "max": 100})
    rounds_max: int = field(default=16, metadata={"min": 3, "max": 200})
    precision: float = field(default=0.1, metadata={"min": 0.001, "max": 1.0})
    warm_ratio_max: float = field(default=0.667, metadata={"min": 0.01, "max": 10.0})
    cold_ratio_max: float = field(default=1.1, metadata={"min": 0.01, "max": 10.0})
    waited_ratio_max: float = field(default=0.5, metadata={"min": 0.0, "max": 1.0})
    upstream_ratio_max: float = field(default=1.15, metadata={"min": 0.5, "max": 10.0})
    upstream_text: bool = True


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The session with one cache a slot and the one with a unified cache."""
    return _needs(params, case) or ()


def check(params: Params, case: Case) -> Outcome:
    """Sooner for the warm request, no later for the cold one, equal text, and no change with a unified cache."""
    both = _needs(params, case)
    if both is None:
        return unmet(no_such_arm(case, params.switch))
    if reasons := unusable(both[0], case) + unusable(both[1], case):
        return unmet(reasons)
    split, unified = (case.seen(need, RunObservation) for need in both)
    timings = tuple(_timings(params, split))
    findings = (*_text(params, split, unified), *_seen(params, split, unified), *_waited(params, split))
    findings += tuple(finding for timing in timings for finding in timing.failures)
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if reasons := tuple(reason for timing in timings for reason in timing.doubts):
        return Undecided(summary=reasons[0].message, reasons=reasons)
    return Passed(summary=", ".join(timing.summary for timing in timings) + ", equal text")


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """The ratios, the times that they are of, and how long the short request waits by batches."""
    both = _needs(params, case)
    if both is None:
        return ()
    run = case.seen(both[0], RunObservation)
    if tuple(arm.arm for arm in run.arms) != tuple(arm.name for arm in both[0].arms):
        return ()
    waits = tuple(
        Amount(name=arm.arm, value=median(answer.waited_batches for answer in arm.named("warm")))
        for arm in run.arms
        if arm.named("warm")
    )
    return (
        *(reading for timing in _timings(params, run) for reading in timing.readings),
        *(
            first_token_amounts(f"first token of the {request} request", run, (request,))
            for request in ("warm", "cold")
        ),
        Amounts(what="batches of the cold prompt before the warm request's first token", unit="", amounts=waits),
    )


def _needs(params: Params, case: Case) -> tuple[ProbeNeed, ProbeNeed] | None:
    arms = timed_arms(case, params.switch, params.configuration)
    off_on = switch_arms(case, params.switch, params.configuration)
    if arms is None or off_on is None:
        return None
    rounds = Rounds(least=params.rounds, most=max(params.rounds, params.rounds_max), precision=params.precision)

    def session(*, arms: tuple[Arm, ...], unified: bool, rounds: Rounds) -> ProbeNeed:
        return warm_behind_cold_session(
            model=params.model,
            arms=arms,
            cold=params.cold_tokens,
            history=params.history_tokens,
            warm=params.warm_tokens,
            generate=params.generate,
            batch=params.batch,
            rounds=rounds,
            unified=unified,
            marks=(Mark(name="seen", pattern=params.seen),),
        )

    twice = Rounds(least=2, most=2, precision=1.0)
    return session(arms=arms, unified=False, rounds=rounds), session(arms=off_on, unified=True, rounds=twice)


def _timings(params: Params, run: RunObservation) -> Iterator[Timing]:
    for request, bound in (("warm", params.warm_ratio_max), ("cold", params.cold_ratio_max)):
        yield judge_times(
            what=f"first token of the {request} request", run=run, requests=(request,), bound=bound, seed=SEED
        )
        if run.arm("upstream") is not None:
            yield judge_times(
                what=f"first token of the {request} request",
                run=run,
                requests=(request,),
                bound=params.upstream_ratio_max,
                seed=SEED,
                arms=("upstream", "off"),
                wall_slack=2.0,
            )


def _text(params: Params, split: RunObservation, unified: RunObservation) -> Iterator[Finding]:
    for run, cache in ((split, "one cache a slot"), (unified, "a unified cache")):
        upstream, (off, on) = run.arm("upstream"), run.arms[-2:]
        yield from differences("on-arm-differs", off, on, who=f"switch `{params.switch}`, {cache}")
        if upstream is not None and params.upstream_text:
            yield from differences("off-arm-differs", upstream, off, who=f"switch `{params.switch}`, {cache}")
        for arm in run.arms:
            yield from (
                Diagnostic(
                    code="answer-cut-short",
                    message=f"arm `{arm.arm}`, {cache}: `{answer.request}` gave {answer.generated} tokens of "
                    f"{params.generate}",
                )
                for answer in arm.answers
                if answer.request in ("warm", "cold") and answer.generated != params.generate
            )


def _waited(params: Params, run: RunObservation) -> Iterator[Finding]:
    """Whether fewer batches come before the warm request; a scenario without a queue shows nothing."""
    arms = run.arms[-2:]
    waits = [[answer.waited_batches for answer in arm.named("warm")] for arm in arms]
    notes = tuple(f"`{arm.arm}`: {', '.join(map(str, wait))}" for arm, wait in zip(arms, waits, strict=True))
    if not all(waits):
        return  # told as rounds that are missing
    off, on = (median(wait) for wait in waits)
    if off < 2:
        yield Diagnostic(
            code="scenario-without-effect",
            message="with the switch off the warm request does not wait behind the cold one",
            notes=(*notes, "batches of the cold prompt that were read before the warm request's first token"),
            help="give the gate more `cold_tokens` or a smaller `batch`",
        )
    elif on > params.waited_ratio_max * off:
        yield Diagnostic(
            code="warm-still-waits",
            message="with the switch on the warm request still waits behind the cold one",
            notes=(*notes, f"allowed: {params.waited_ratio_max} of the batches with the switch off"),
        )


def _seen(params: Params, split: RunObservation, unified: RunObservation) -> Iterator[Finding]:
    *without, on = split.arms
    if not any(on.mark("seen")):
        yield _effect("arm-without-effect", params, "is on and the feature is not seen to act")
    for arm in without:
        if any(arm.mark("seen")):
            yield _effect("effect-without-switch", params, f"is not on ({arm.arm}) and the feature is seen to act")
    for arm in unified.arms:
        if any(arm.mark("seen")):
            yield _effect("effect-with-unified-cache", params, f"({arm.arm}) acts with a unified cache")


def _effect(code: str, params: Params, what: str) -> Finding:
    return Diagnostic(code=code, message=f"switch `{params.switch}` {what}", notes=(f"pattern: {params.seen}",))


KIND = Kind(
    name="warm-behind-cold",
    about="a short warm request behind a long cold one gets its first token sooner, at no cost and with equal text",
    scope=Scope.BLOCK,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
