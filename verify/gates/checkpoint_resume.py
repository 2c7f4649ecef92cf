"""Checkpoint resume: a prompt that goes on from a checkpoint does not save the same state again.

One session on the tip, switch off and on, on a model whose memory cannot simply step back (sliding window, recurrent,
hybrid). The engine's log tells what became of the checkpoint at each resume; text is equal; the
resumed prompts are read no slower. Upstream at the same base is a third arm, and off is compared with that as well.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import differences, unmet, unusable
from verify.gates.case import Case
from verify.gates.exercise import SEED, checkpoint_resume_session, no_such_arm, timed_arms
from verify.gates.kind import Kind, Scope
from verify.gates.timing import Timing, first_token_amounts, judge_times
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.figure import Amount, Amounts, Figure
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import ArmObservation, RunObservation
from verify.model.session import Mark, Rounds
from verify.model.verdict import Failed, Outcome, Passed, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`kept` is the log line of a checkpoint that stands in, `superseded` that of one that is saved over.

    In every round `kept` is seen at least `kept_on` times with the switch on and never with it off; `superseded` at
    least `superseded_off` times with it off, and at most `superseded_on` times with it on. `prompt_ratio_max` bounds
    on over off of the time to the first token of the resumed prompts, `upstream_ratio_max` off over upstream.
    `upstream_text` also asks for upstream's text, which an earlier block may have changed on purpose.
    """

    switch: str = field(metadata={"refers": "switch"})
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    kept: str = field(metadata={"pattern": True})
    superseded: str = field(metadata={"pattern": True})
    kept_on: int = field(default=3, metadata={"min": 1, "max": 1000})
    superseded_off: int = field(default=3, metadata={"min": 1, "max": 1000})
    superseded_on: int = field(default=0, metadata={"min": 0, "max": 1000})
    prompt_tokens: int = field(default=600, metadata={"min": 8, "max": 131072})
    resumes: int = field(default=3, metadata={"min": 1, "max": 100})
    generate: int = field(default=224, metadata={"min": 1, "max": 4096})
    batch: int = field(default=128, metadata={"min": 8, "max": 4096})
    rounds: int = field(default=6, metadata={"min": 3, "max": 100})
    rounds_max: int = field(default=16, metadata={"min": 3, "max": 200})
    precision: float = field(default=0.15, metadata={"min": 0.001, "max": 1.0})
    timed: bool = field(default=True, metadata={"about": "false for a model so small that its times are all noise"})
    prompt_ratio_max: float = field(default=1.05, metadata={"min": 0.01, "max": 10.0})
    upstream_ratio_max: float = field(default=1.15, metadata={"min": 0.5, "max": 10.0})
    upstream_text: bool = True


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session, off and on."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Kept with on, superseded with off, equal text, not slower."""
    need = _need(params, case)
    if need is None:
        return unmet(no_such_arm(case, params.switch))
    if reasons := unusable(need, case):
        return unmet(reasons)
    run = case.seen(need, RunObservation)
    off, on = run.arms[-2:]
    timings = tuple(_timings(params, run))
    findings = (
        *differences("on-arm-differs", off, on, who=f"switch `{params.switch}`"),
        *_against_upstream(params, run),
        *_complete(params, run),
        *_counts(params, off, on, run.rounds),
        *(finding for timing in timings for finding in timing.failures),
    )
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if doubts := tuple(doubt for timing in timings for doubt in timing.doubts):
        return Undecided(summary=doubts[0].message, reasons=doubts)
    kept, superseded = max(on.mark("kept")), max(off.mark("superseded"))
    timed = ", ".join(timing.summary for timing in timings) or "not timed"
    return Passed(summary=f"kept {kept} with on, superseded {superseded} with off, equal text, {timed}")


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """The ratios, the times that they are of, and what became of the checkpoints."""
    need = _need(params, case)
    if need is None:
        return ()
    run = case.seen(need, RunObservation)
    if tuple(arm.arm for arm in run.arms) != tuple(arm.name for arm in need.arms):
        return ()
    timed = (first_token_amounts("first token of the resumed prompts", run, _requests(params)),) if params.timed else ()
    return (
        *(reading for timing in _timings(params, run) for reading in timing.readings),
        *timed,
        *(
            Amounts(
                what=f"checkpoints {mark} in a round",
                unit="",
                amounts=tuple(Amount(name=arm.arm, value=max(arm.mark(mark), default=0)) for arm in run.arms),
            )
            for mark in ("kept", "superseded")
        ),
    )


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = timed_arms(case, params.switch, params.configuration)
    if arms is None:
        return None
    rounds = Rounds(least=params.rounds, most=max(params.rounds, params.rounds_max), precision=params.precision)
    return checkpoint_resume_session(
        model=params.model,
        arms=arms,
        prompt=params.prompt_tokens,
        resumes=params.resumes,
        generate=params.generate,
        batch=params.batch,
        rounds=rounds if params.timed else Rounds(least=2, most=2, precision=1.0),
        marks=(Mark(name="kept", pattern=params.kept), Mark(name="superseded", pattern=params.superseded)),
    )


def _requests(params: Params) -> list[str]:
    return [f"resume-{number}" for number in range(params.resumes)]


def _complete(params: Params, run: RunObservation) -> Iterator[Finding]:
    for arm in run.arms:
        for request in ("first", *_requests(params)):
            answers = arm.named(request)
            if len(answers) != run.rounds or any(answer.generated != params.generate for answer in answers):
                yield Diagnostic(
                    code="answer-cut-short",
                    message=f"arm `{arm.arm}`: `{request}` did not give {params.generate} tokens in each round",
                )


def _counts(params: Params, off: ArmObservation, on: ArmObservation, rounds: int) -> Iterator[Finding]:
    """The four rules of the log, each over every round."""
    kept_on, kept_off = on.mark("kept"), off.mark("kept")
    saved_on, saved_off = on.mark("superseded"), off.mark("superseded")
    if not _within(kept_on, rounds, least=params.kept_on):
        yield _wrong("arm-without-effect", params, f"on: {_show(kept_on)} kept, expected {params.kept_on} or more")
    if not _within(kept_off, rounds, most=0):
        yield _wrong("effect-without-switch", params, f"off: {_show(kept_off)} kept, expected none")
    if not _within(saved_off, rounds, least=params.superseded_off):
        expected = f"expected {params.superseded_off} or more"
        yield _wrong("scenario-without-effect", params, f"off: {_show(saved_off)} superseded, {expected}")
    if not _within(saved_on, rounds, most=params.superseded_on):
        expected = f"expected {params.superseded_on} at most"
        yield _wrong("checkpoint-superseded", params, f"on: {_show(saved_on)} superseded, {expected}")


def _within(counts: tuple[int, ...], rounds: int, *, least: int = 0, most: int | None = None) -> bool:
    return len(counts) == rounds and all(least <= each and (most is None or each <= most) for each in counts)


def _wrong(code: str, params: Params, what: str) -> Finding:
    return Diagnostic(
        code=code,
        message=f"switch `{params.switch}` {what} in each round",
        notes=(f"kept: {params.kept}", f"superseded: {params.superseded}"),
    )


def _show(counts: tuple[int, ...]) -> str:
    return ", ".join(str(count) for count in sorted(set(counts))) or "0"


def _timings(params: Params, run: RunObservation) -> Iterator[Timing]:
    if not params.timed:
        return
    bounds = {("off", "on"): params.prompt_ratio_max, ("upstream", "off"): params.upstream_ratio_max}
    for arms, bound in bounds.items():
        if all(run.arm(name) is not None for name in arms):
            yield judge_times(
                what="first token of the resumed prompts",
                run=run,
                requests=_requests(params),
                bound=bound,
                seed=SEED,
                arms=arms,
                wall_slack=2.0 if "upstream" in arms else 1.0,
            )


def _against_upstream(params: Params, run: RunObservation) -> Iterator[Finding]:
    """With its switch off a block gives upstream's text, and nothing of it is seen on upstream."""
    upstream = run.arm("upstream")
    if upstream is None:
        return
    if params.upstream_text:
        yield from differences("off-arm-differs", upstream, run.arms[-2], who=f"switch `{params.switch}`")
    if any(upstream.mark("kept")):
        yield _wrong("effect-without-switch", params, f"upstream: {_show(upstream.mark('kept'))} kept, expected none")


KIND = Kind(
    name="checkpoint-resume",
    about="resumed prompts keep their checkpoint with the switch on, give equal text and are not slower",
    scope=Scope.BLOCK,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
