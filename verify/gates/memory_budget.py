"""Memory budget: the tip takes no more than upstream at the same base and a declared slack, and gives all of it back.

Looked at are the process's peak, the engine's own figure for its caches, the size of a saved state, and how much more
is resident after each further context that was made and freed. Bounds may be absolute, too.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import drawn, stuck, unusable_arms, upstream_and_tip
from verify.gates.identity import session_incomplete
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.figure import Amount, Amounts, Figure
from verify.model.ids import ConfigName, ModelName
from verify.model.library import ContextSettings, MemoryArm, MemoryObservation, MemorySettings
from verify.model.session import settings_of
from verify.model.verdict import Failed, Outcome, Passed

_WARM = 2
"""After so many cycles the allocator has what it keeps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """A context of `context` cells reads `tokens` and saves its state, `cycles` times in one process.

    Slacks are for the tip above upstream; an absolute bound of 0 is none.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    tokens: int = field(default=256, metadata={"min": 1, "max": 131072})
    context: int = field(default=1024, metadata={"min": 64, "max": 1048576})
    cycles: int = field(default=6, metadata={"min": 4, "max": 1000})
    peak_slack_kib: int = field(default=4096, metadata={"min": 0, "max": 1 << 40})
    cache_slack_bytes: int = field(default=0, metadata={"min": 0, "max": 1 << 50})
    state_slack_bytes: int = field(default=0, metadata={"min": 0, "max": 1 << 50})
    cycle_slack_kib: int = field(
        default=128, metadata={"min": 0, "max": 1 << 40, "about": "what one more cycle may leave behind"}
    )
    peak_max_kib: int = field(default=0, metadata={"min": 0, "max": 1 << 40})
    state_max_bytes: int = field(default=0, metadata={"min": 0, "max": 1 << 50})

    def __post_init__(self) -> None:
        if self.tokens > self.context:
            raise ValueError(f"{self.tokens} tokens do not fit into a context of {self.context}")


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with upstream and the tip as its arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Every size within its bounds."""
    need = _need(params, case)
    if need is None:
        return unmet(stuck())
    if reasons := case.missing((need,)):
        return unmet(reasons)
    seen = case.seen(need, MemoryObservation)
    if reasons := unusable_arms(need, seen.arms, case):
        return unmet(reasons)
    upstream, tip = seen.arms
    for arm in seen.arms:
        if len(arm.resident_kib) != params.cycles or not min(arm.peak_kib, arm.sequence_bytes, *arm.resident_kib) > 0:
            return unmet((session_incomplete(need, f"arm `{arm.arm}` has sizes of nothing"),))
    findings = tuple(_too_large(params, upstream, tip))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    return Passed(
        summary=f"peak {tip.peak_kib} KiB against upstream's {upstream.peak_kib}, state {tip.sequence_bytes} bytes "
        f"against {upstream.sequence_bytes}, {_left(tip):+.0f} KiB a cycle"
    )


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """Every size of both arms, with what the tip may have."""
    need = _need(params, case)
    seen = case.seen(need, MemoryObservation) if need is not None else None
    if need is None or seen is None or len(seen.arms) != len(need.arms):
        return ()
    upstream, tip = seen.arms
    return tuple(
        Amounts(
            what=what,
            unit=unit,
            amounts=(Amount(name=upstream.arm, value=theirs), Amount(name=tip.arm, value=ours)),
            most=min(theirs + slack, most or theirs + slack),
        )
        for what, unit, theirs, ours, slack, most in _sizes(params, upstream, tip)
    )


def _sizes(params: Params, upstream: MemoryArm, tip: MemoryArm) -> tuple[tuple[str, str, int, int, int, int], ...]:
    """What is compared: its name and unit, upstream's, the tip's, the slack, and the absolute bound (0 for none)."""
    return (
        ("the peak of the process", "KiB", upstream.peak_kib, tip.peak_kib, params.peak_slack_kib, params.peak_max_kib),
        ("the caches", "bytes", upstream.cache_bytes, tip.cache_bytes, params.cache_slack_bytes, 0),
        (
            "the state of a sequence",
            "bytes",
            upstream.sequence_bytes,
            tip.sequence_bytes,
            params.state_slack_bytes,
            params.state_max_bytes,
        ),
        ("the whole state", "bytes", upstream.whole_bytes, tip.whole_bytes, params.state_slack_bytes, 0),
    )


def _too_large(params: Params, upstream: MemoryArm, tip: MemoryArm) -> Iterator[Finding]:
    for what, unit, theirs, ours, slack, most in _sizes(params, upstream, tip):
        if ours > theirs + slack:
            yield _finding(
                params,
                "memory-over-upstream",
                f"{what} is {ours} {unit}, upstream's {theirs}",
                f"slack: {slack} {unit}",
            )
        if most and ours > most:
            yield _finding(params, "memory-over-budget", f"{what} is {ours} {unit}", f"at most: {most} {unit}")
    if _left(tip) > max(0.0, _left(upstream)) + params.cycle_slack_kib:
        yield _finding(
            params,
            "memory-not-given-back",
            f"each context that is made and freed leaves {_left(tip):.0f} KiB behind",
            f"with upstream: {_left(upstream):.0f} KiB",
            f"slack: {params.cycle_slack_kib} KiB a cycle",
            f"resident after each cycle, tip: {' '.join(map(str, tip.resident_kib))} KiB",
            f"upstream: {' '.join(map(str, upstream.resident_kib))} KiB",
        )


def _left(arm: MemoryArm) -> float:
    """KiB more a cycle, the first ones left out."""
    warm = arm.resident_kib[_WARM - 1 :]
    return (warm[-1] - warm[0]) / (len(warm) - 1)


def _finding(params: Params, code: str, message: str, *notes: str) -> Finding:
    return Diagnostic(code=code, message=f"model `{params.model}` on the tip: {message}", notes=notes)


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = upstream_and_tip(case, params.configuration)
    if not arms:
        return None
    settings = MemorySettings(
        prompt=drawn(params.tokens),
        context=ContextSettings(context=params.context),
        repack=True,
        cycles=params.cycles,
    )
    return ProbeNeed(probe="memory", model=params.model, arms=arms, settings=settings_of(settings))


KIND = Kind(
    name="memory-budget",
    about="peak, caches and states are within a declared slack of upstream's at the same base, and all is given back",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
