"""Performance by counts: the tip needs no more instructions than upstream, for loading, prompts and tokens.

Instructions do not depend on what else a machine does, so a few per cent can be judged by two runs. They are no time:
what waits, misses caches or sleeps is not seen, and that is what `relative-performance` is for. Counts say nothing of
an engine whose output is wrong, so the tokens of the same builds are compared first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import stuck
from verify.gates.kind import Kind, Scope
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
from verify.model.figure import Amount, Amounts, Figure, Reading
from verify.model.ids import ConfigName, ModelName
from verify.model.interval import Interval
from verify.model.session import settings_of
from verify.model.speed import Count, CountArm, CountObservation, CountSettings, Part, Workload
from verify.model.verdict import Failed, Outcome, Passed, Undecided

_SHARE = 10
"""Counts of one arm may spread over this part of what the bound allows, or the bound cannot be judged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Ratios are the tip's instructions over upstream's; `repeats` shows whether counts repeat at all."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompt_tokens: int = field(default=256, metadata={"min": 1, "max": 131072})
    generate: int = field(default=32, metadata={"min": 1, "max": 4096})
    batch: int = field(default=512, metadata={"min": 8, "max": 4096})
    repeats: int = field(default=2, metadata={"min": 2, "max": 20})
    prefill_ratio_max: float = field(default=1.03, metadata={"min": 0.5, "max": 10.0})
    decode_ratio_max: float = field(default=1.03, metadata={"min": 0.5, "max": 10.0})
    load_ratio_max: float = field(default=1.03, metadata={"min": 0.5, "max": 10.0})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The counts, and the tokens of the same builds."""
    return _needs(params, case) or ()


def check(params: Params, case: Case) -> Outcome:
    """Equal output, counts that repeat, and no ratio beyond its bound."""
    both = _needs(params, case)
    if both is None:
        return unmet(stuck())
    counts, output = both
    reasons = case.missing((counts,)) + output_unusable(output, case)
    if reasons:
        return unmet(reasons)
    seen = case.seen(counts, CountObservation)
    if reasons := arms_unusable(counts, ((arm.arm, arm.loaded) for arm in seen.arms), case):
        return unmet(reasons)
    upstream, tip = seen.arms
    findings = (*output_findings(output, case), *one_build(counts, case), *_degenerate(params, seen))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    findings = tuple(_slower(params, upstream, tip))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if reasons := tuple(_restless(params, seen)):
        return Undecided(summary=reasons[0].message, reasons=reasons)
    shown = ", ".join(f"{part} {_ratio(upstream, tip, part):.5f}" for part in Part)
    files = shared_files(upstream.loaded, tip.loaded)
    return Passed(summary=f"instructions on upstream's: {shown}; equal tokens; {files}")


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """Each part's ratio, from the tip's best repeat on upstream's worst to the other way about, and the counts."""
    both = _needs(params, case)
    if both is None:
        return ()
    seen = case.seen(both[0], CountObservation)
    if len(seen.arms) != len(both[0].arms) or any(_degenerate(params, seen)):
        return ()
    upstream, tip = seen.arms
    readings: list[Figure] = []
    for part, bound in _bounds(params).items():
        over, under = _figures(tip, part), _figures(upstream, part)
        interval = Interval(
            low=min(over) / max(under),
            middle=_ratio(upstream, tip, part),
            high=max(over) / min(under),
            pairs=len(over),
        )
        readings.append(
            Reading(what=f"instructions of {part}", of="tip/upstream", by="count", interval=interval, bound=bound)
        )
    amounts = (
        Amounts(
            what=f"instructions of {part}",
            unit="",
            amounts=tuple(Amount(name=arm.arm, value=sum(_figures(arm, part)) / params.repeats) for arm in seen.arms),
        )
        for part in _bounds(params)
    )
    return (*readings, *amounts)


def _needs(params: Params, case: Case) -> tuple[ProbeNeed, ProbeNeed] | None:
    arms = versus_arms(case, params.configuration)
    if arms is None:
        return None
    workload = Workload(
        prompt=params.prompt_tokens,
        generate=params.generate,
        batch=params.batch,
        microbatch=min(params.batch, 512),
    )
    settings = settings_of(CountSettings(workload=workload, repeats=params.repeats))
    counts = ProbeNeed(probe="counts", model=params.model, arms=arms, settings=settings)
    return counts, output_session(params.model, arms)


def _degenerate(params: Params, seen: CountObservation) -> Iterator[Finding]:
    """Counts that are missing, nothing, or of another number of tokens than was asked for."""
    expected = {Part.LOAD: 0, Part.PREFILL: params.prompt_tokens, Part.DECODE: params.generate}
    for arm in seen.arms:
        for part, tokens in expected.items():
            count = arm.count(part)
            if count is None or len(count.instructions) != params.repeats:
                yield _nothing(arm, part, f"not every one of {params.repeats} repeats has its count")
            elif min(count.instructions) <= 0:
                yield _nothing(arm, part, f"a count is {min(count.instructions)}")
            elif count.tokens != tokens:
                yield _nothing(arm, part, f"{count.tokens} tokens were run, {tokens} were asked for")


def _nothing(arm: CountArm, part: Part, why: str) -> Finding:
    return Diagnostic(
        code="count-degenerate",
        message=f"arm `{arm.arm}`: the count of {part} proves nothing: {why}",
        help="stackproof gate --fresh",
    )


def _bounds(params: Params) -> dict[Part, float]:
    return {
        Part.LOAD: params.load_ratio_max,
        Part.PREFILL: params.prefill_ratio_max,
        Part.DECODE: params.decode_ratio_max,
    }


def _slower(params: Params, upstream: CountArm, tip: CountArm) -> Iterator[Finding]:
    """Even the tip's best count is beyond the bound of upstream's worst."""
    for part, bound in _bounds(params).items():
        over, under = _figures(tip, part), _figures(upstream, part)
        if min(over) > bound * max(under):
            yield Diagnostic(
                code="count-ratio-too-large",
                message=f"{part} takes {_ratio(upstream, tip, part):.4f} times upstream's instructions",
                notes=(f"allowed: at most {bound:.3f}", *_shown(upstream, tip, part)),
            )


def _restless(params: Params, seen: CountObservation) -> Iterator[Diagnostic]:
    """Counts that do not repeat, or lie across their bound: then nobody knows."""
    upstream, tip = seen.arms
    for part, bound in _bounds(params).items():
        spread = max(max(_figures(arm, part)) / min(_figures(arm, part)) - 1 for arm in seen.arms)
        if (
            max(_figures(tip, part)) > bound * min(_figures(upstream, part))
            or spread > max(abs(bound - 1), 0.01) / _SHARE
        ):
            yield Diagnostic(
                code="counts-not-repeatable",
                message=f"counts of {part} spread over {spread:.3%}, too much for a bound of {bound:.3f}",
                notes=_shown(upstream, tip, part),
                help="look for what differs from run to run: addresses, threads, times, random numbers",
            )


def _figures(arm: CountArm, part: Part) -> tuple[int, ...]:
    count: Count | None = arm.count(part)
    assert count is not None  # told as degenerate before
    return count.instructions


def _ratio(upstream: CountArm, tip: CountArm, part: Part) -> float:
    over, under = _figures(tip, part), _figures(upstream, part)
    return (sum(over) / len(over)) / (sum(under) / len(under))


def _shown(upstream: CountArm, tip: CountArm, part: Part) -> tuple[str, ...]:
    return tuple(f"`{arm.arm}`: {', '.join(f'{each:,}' for each in _figures(arm, part))}" for arm in (upstream, tip))


KIND = Kind(
    name="performance",
    about="the tip takes no more instructions than upstream at the same base, and gives the same tokens",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
