"""Two-slot switch: two conversations take turns, and what one holds need not be copied out and back for the other.

The arms of the block's switch serve the same turns from a unified cache, upstream being the first one. With the switch
on the later turns are faster, every turn goes on from what its conversation holds, and the text is the same. A second
session gives the cache room for one conversation alone: there the other one must be moved out and come back, at no
loss either.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import differences, unmet, unusable
from verify.gates.case import Case
from verify.gates.exercise import SEED, no_such_arm, switch_arms, timed_arms
from verify.gates.kind import Kind, Scope
from verify.gates.timing import Timing, first_token_amounts, judge_times
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, Need, ProbeNeed
from verify.model.figure import Figure
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import ArmObservation, RunObservation
from verify.model.session import Drawn, Mark, Rounds, ServerSettings, settings_of
from verify.model.slot_switch import SlotSwitchSettings
from verify.model.verdict import Failed, Outcome, Passed, Undecided

_BOTH = ("one", "other")


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`kept` is the log line of a slot that stays where it is, `moved` that of one that makes room.

    `crowded`: also with room for one conversation alone. `slack`: how many tokens that a conversation holds may be read
    again. `timed`: the later turns must take at most `switch_ratio_max` of the processor time that they take with the
    switch off.
    """

    switch: str = field(metadata={"refers": "switch"})
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    kept: str = field(metadata={"pattern": True})
    moved: str = field(metadata={"pattern": True})
    history_tokens: int = field(default=600, metadata={"min": 4, "max": 131072})
    fresh_tokens: int = field(default=8, metadata={"min": 1, "max": 4096})
    turns: int = field(default=4, metadata={"min": 1, "max": 100})
    generate: int = field(default=16, metadata={"min": 1, "max": 512})
    probabilities: int = field(default=0, metadata={"min": 0, "max": 20})
    slack: int = field(default=1, metadata={"min": 0, "max": 4096})
    crowded: bool = True
    timed: bool = True
    cache_mib: int = field(default=2048, metadata={"min": 1, "max": 1048576})
    rounds: int = field(default=6, metadata={"min": 3, "max": 100})
    rounds_max: int = field(default=16, metadata={"min": 3, "max": 200})
    precision: float = field(default=0.1, metadata={"min": 0.001, "max": 1.0})
    switch_ratio_max: float = field(default=0.667, metadata={"min": 0.01, "max": 10.0})
    upstream_ratio_max: float = field(default=1.15, metadata={"min": 0.5, "max": 10.0})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The session with room for both conversations, and the one with room for one."""
    return _needs(params, case) or ()


def check(params: Params, case: Case) -> Outcome:
    """Faster turns, equal text, nothing read again, with room for both and for one."""
    asked = _needs(params, case)
    if asked is None:
        return unmet(no_such_arm(case, params.switch))
    if reasons := tuple(reason for need in asked for reason in unusable(need, case)):
        return unmet(reasons)
    runs = tuple(case.seen(need, RunObservation) for need in asked)
    timings = tuple(_timings(params, runs[0]))
    findings = tuple(finding for run in runs for finding in _text(params, run))
    findings += tuple(_held(params, runs[0].arms, "room for both"))
    findings += tuple(finding for run in runs[1:] for finding in _held(params, run.arms[-1:], "room for one"))
    findings += tuple(_seen(params, runs))
    findings += tuple(finding for timing in timings for finding in timing.failures)
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if doubts := tuple(doubt for timing in timings for doubt in timing.doubts):
        return Undecided(summary=doubts[0].message, reasons=doubts)
    timed = ", ".join(timing.summary for timing in timings) or "not timed"
    return Passed(summary=f"{timed}, equal text" + (", also with room for one" if params.crowded else ""))


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """The ratios and the times that they are of."""
    asked = _needs(params, case)
    if asked is None or not params.timed:
        return ()
    run = case.seen(asked[0], RunObservation)
    if tuple(arm.arm for arm in run.arms) != tuple(arm.name for arm in asked[0].arms):
        return ()
    readings = (reading for timing in _timings(params, run) for reading in timing.readings)
    return (*readings, first_token_amounts("first token of the later turns", run, _later(params)))


def _needs(params: Params, case: Case) -> tuple[ProbeNeed, ...] | None:
    arms = timed_arms(case, params.switch, params.configuration)
    off_on = switch_arms(case, params.switch, params.configuration)
    if arms is None or off_on is None:
        return None
    one = params.history_tokens + (params.turns + 1) * params.fresh_tokens + params.generate + 64
    twice = Rounds(least=2, most=2, precision=1.0)
    often = Rounds(least=params.rounds, most=max(params.rounds, params.rounds_max), precision=params.precision)
    roomy = _need(params, arms, context=2 * one, rounds=often if params.timed else twice)
    return (roomy, _need(params, off_on, context=one, rounds=twice)) if params.crowded else (roomy,)


def _need(params: Params, arms: tuple[Arm, ...], *, context: int, rounds: Rounds) -> ProbeNeed:
    settings = SlotSwitchSettings(
        server=ServerSettings(context=context, slots=2, unified=True),
        drawn=Drawn(seed=SEED),
        history=params.history_tokens,
        fresh=params.fresh_tokens,
        turns=params.turns,
        generate=params.generate,
        probabilities=params.probabilities,
        cache_mib=params.cache_mib,
        similarity=0.1,
        rounds=rounds,
        marks=(Mark(name="kept", pattern=params.kept), Mark(name="moved", pattern=params.moved)),
    )
    return ProbeNeed(probe="slot-switch", model=params.model, arms=arms, settings=settings_of(settings))


def _later(params: Params) -> list[str]:
    return [f"{who}-{turn}" for turn in range(1, params.turns + 1) for who in _BOTH]


def _timings(params: Params, run: RunObservation) -> Iterator[Timing]:
    if not params.timed:
        return
    bounds = {("off", "on"): params.switch_ratio_max, ("upstream", "off"): params.upstream_ratio_max}
    for arms, bound in bounds.items():
        if all(run.arm(name) is not None for name in arms):
            yield judge_times(
                what="first token of the later turns",
                run=run,
                requests=_later(params),
                bound=bound,
                seed=SEED,
                arms=arms,
                wall_slack=2.0 if "upstream" in arms else 1.0,
            )


def _text(params: Params, run: RunObservation) -> Iterator[Finding]:
    upstream, (off, on) = run.arm("upstream"), run.arms[-2:]
    yield from differences("on-arm-differs", off, on, who=f"switch `{params.switch}`")
    if upstream is not None:
        yield from differences("off-arm-differs", upstream, off, who=f"switch `{params.switch}`")
    for arm in run.arms:
        for who in _BOTH:
            answers = arm.named(f"{who}-end")
            if len(answers) != run.rounds or any(len(each.ids) != params.generate for each in answers):
                yield Diagnostic(
                    code="answer-cut-short",
                    message=f"arm `{arm.arm}`: `{who}-end` did not give {params.generate} tokens in each round",
                )


def _held(params: Params, arms: tuple[ArmObservation, ...], room: str) -> Iterator[Finding]:
    """Each later turn goes on from what the conversation holds: what is read again is no switch.

    Without room for both, the engine without the block does read again: it cannot restore before it has cleared.
    """
    for arm in arms:
        for turn in range(1, params.turns + 2):
            holds = params.history_tokens + (turn - 1) * params.fresh_tokens
            for who in _BOTH:
                request = f"{who}-{turn}" if turn <= params.turns else f"{who}-end"
                least = min((each.cached_tokens for each in arm.named(request)), default=0)
                if least < holds - params.slack:
                    yield Diagnostic(
                        code="conversation-read-again",
                        message=f"arm `{arm.arm}`, {room}: `{request}` reuses {least} of {holds} tokens that it holds",
                    )


def _seen(params: Params, runs: tuple[RunObservation, ...]) -> Iterator[Finding]:
    for at, run in enumerate(runs):
        *without, on = run.arms
        wanted = "moved" if at else "kept"
        if not all(on.mark(wanted)) or not on.mark(wanted):
            yield _effect("arm-without-effect", params, f"is on, and no slot is {wanted}")
        if not at and any(on.mark("moved")):
            yield _effect("effect-without-switch", params, "is on, and a slot is moved though there is room")
        for arm in without:
            if any(arm.mark("kept")) or any(arm.mark("moved")):
                yield _effect("effect-without-switch", params, f"is not on ({arm.arm}), and slots are kept or moved")


def _effect(code: str, params: Params, what: str) -> Finding:
    return Diagnostic(
        code=code,
        message=f"switch `{params.switch}` {what}",
        notes=(f"kept: {params.kept}", f"moved: {params.moved}"),
    )


KIND = Kind(
    name="two-slot-switch",
    about="two conversations take turns without being copied out and back, with equal text, also in a full cache",
    scope=Scope.BLOCK,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
