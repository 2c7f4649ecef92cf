"""Server memory: a server that is asked the same again and again keeps no more than upstream's at the same base.

What the library gives back (`memory-budget`) says nothing of slots, checkpoints and requests, which the server holds.
Its own memory is weighed after each cycle of requests; the first cycles fill what is kept on purpose.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import stuck, upstream_and_tip
from verify.gates.exercise import SEED
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.figure import Amount, Amounts, Figure
from verify.model.ids import ConfigName, ModelName
from verify.model.served_memory import ServedMemoryArm, ServedMemoryObservation, ServedMemorySettings
from verify.model.session import Drawn, ServerSettings, settings_of
from verify.model.verdict import Failed, Outcome, Passed

_SLOTS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Slacks are for the tip above upstream: of the size after the last cycle, and of what one more cycle leaves.

    Before it is judged the server has served `warm` cycles.
    """

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    cycles: int = field(default=12, metadata={"min": 6, "max": 1000})
    warm: int = field(default=4, metadata={"min": 1, "max": 100})
    prompt_tokens: int = field(default=300, metadata={"min": 64, "max": 131072})
    fresh_tokens: int = field(default=20, metadata={"min": 1, "max": 4096})
    generate: int = field(default=8, metadata={"min": 1, "max": 1024})
    batch: int = field(default=128, metadata={"min": 8, "max": 8192})
    size_slack_kib: int = field(default=4096, metadata={"min": 0, "max": 1 << 40})
    cycle_slack_kib: int = field(
        default=128, metadata={"min": 0, "max": 1 << 40, "about": "what one more cycle may leave behind"}
    )

    def __post_init__(self) -> None:
        if self.cycles < self.warm + 2:
            raise ValueError(f"{self.cycles} cycles leave none to judge behind {self.warm} warm ones")
        if self.fresh_tokens >= self.prompt_tokens:
            raise ValueError(f"a branch of {self.fresh_tokens} tokens leaves nothing of {self.prompt_tokens}")


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with upstream and the tip as its arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """The tip keeps what upstream keeps and the slack, and no more with each cycle."""
    need = _need(params, case)
    if need is None:
        return unmet(stuck())
    if reasons := _unusable(params, need, case):
        return unmet(reasons)
    upstream, tip = case.seen(need, ServedMemoryObservation).arms
    findings = tuple(_findings(params, upstream, tip))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    return Passed(
        summary=f"{tip.anonymous_kib[-1]} KiB after {params.cycles} cycles against upstream's "
        f"{upstream.anonymous_kib[-1]}, {_left(params, tip):+.0f} KiB a cycle"
    )


def figures(params: Params, case: Case) -> tuple[Figure, ...]:
    """The size of both arms after the last cycle, with what the tip may have."""
    need = _need(params, case)
    seen = case.seen(need, ServedMemoryObservation) if need is not None else None
    if need is None or seen is None or len(seen.arms) != len(need.arms):
        return ()
    amounts = tuple(Amount(name=arm.arm, value=arm.anonymous_kib[-1]) for arm in seen.arms)
    most = amounts[0].value + params.size_slack_kib
    return (Amounts(what="the server's own memory", unit="KiB", amounts=amounts, most=most),)


def _unusable(params: Params, need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    if reasons := case.missing((need,)):
        return reasons
    seen = case.seen(need, ServedMemoryObservation).arms
    if tuple(arm.arm for arm in seen) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    for arm in seen:
        if len(arm.anonymous_kib) != params.cycles or min(arm.anonymous_kib) <= 0 or arm.tokens <= 0:
            return (session_incomplete(need, f"arm `{arm.arm}` served nothing, or was not weighed after each cycle"),)
    return tuple(
        reason
        for asked, arm in zip(need.arms, seen, strict=True)
        for reason in foreign_libraries(need, asked, arm.loaded, case)
    )


def _findings(params: Params, upstream: ServedMemoryArm, tip: ServedMemoryArm) -> Iterator[Finding]:
    theirs, ours = upstream.anonymous_kib[-1], tip.anonymous_kib[-1]
    if ours > theirs + params.size_slack_kib:
        yield _finding(
            params,
            "server-memory-over-upstream",
            f"{ours} KiB of its own after {params.cycles} cycles, upstream's {theirs}",
            f"slack: {params.size_slack_kib} KiB",
        )
    if _left(params, tip) > max(0.0, _left(params, upstream)) + params.cycle_slack_kib:
        yield _finding(
            params,
            "server-memory-grows",
            f"each cycle of requests leaves {_left(params, tip):.0f} KiB behind",
            f"with upstream: {_left(params, upstream):.0f} KiB",
            f"slack: {params.cycle_slack_kib} KiB a cycle",
            f"after each cycle, tip: {' '.join(map(str, tip.anonymous_kib))} KiB",
            f"upstream: {' '.join(map(str, upstream.anonymous_kib))} KiB",
        )


def _left(params: Params, arm: ServedMemoryArm) -> float:
    """KiB more a cycle, the warm ones left out."""
    judged = arm.anonymous_kib[params.warm - 1 :]
    return (judged[-1] - judged[0]) / (len(judged) - 1)


def _finding(params: Params, code: str, message: str, *notes: str) -> Finding:
    return Diagnostic(code=code, message=f"the tip's server with model `{params.model}`: {message}", notes=notes)


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = upstream_and_tip(case, params.configuration)
    if not arms:
        return None
    slot = params.prompt_tokens + params.fresh_tokens + params.generate + 64
    settings = ServedMemorySettings(
        server=ServerSettings(
            context=_SLOTS * slot, slots=_SLOTS, batch=params.batch, microbatch=min(params.batch, 512)
        ),
        drawn=Drawn(seed=SEED),
        cycles=params.cycles,
        prompt=params.prompt_tokens,
        fresh=params.fresh_tokens,
        generate=params.generate,
        seed=SEED,
    )
    return ProbeNeed(probe="served-memory", model=params.model, arms=arms, settings=settings_of(settings))


KIND = Kind(
    name="server-memory",
    about="a server asked the same again and again keeps no more than upstream's at the same base",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
    figures=figures,
)
