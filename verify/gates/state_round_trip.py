"""State round trip: a saved state goes into a fresh context, is saved again byte for byte, and goes on bit by bit.

Each sequence alone and the whole context, with a cache of its own for each sequence and a shared one, after others were
taken out of it, and into a context that was used before. Where a shared cache had holes the restored cells lie
elsewhere, and upstream adds their shares in another order: there the continuation is held to a bound.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import drawn, own_arm, stuck, unusable_arms
from verify.gates.identity import session_incomplete
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.library import (
    ContextSettings,
    StateObservation,
    StateOutcome,
    StateScenario,
    StateSettings,
)
from verify.model.session import settings_of
from verify.model.verdict import Failed, Outcome, Passed


def _scenario(
    name: str, *, whole: bool = False, unified: bool = False, holes: bool = False, used: bool = False
) -> StateScenario:
    return StateScenario(name=name, whole=whole, sequences=0, unified=unified, fragmented=holes, used=used)


SCENARIOS = (
    _scenario("own"),
    _scenario("own-holes", holes=True),
    _scenario("own-used", used=True),
    _scenario("shared", unified=True),
    _scenario("shared-holes", unified=True, holes=True),
    _scenario("shared-used", unified=True, used=True),
    _scenario("whole", whole=True),
    _scenario("whole-shared-holes", whole=True, unified=True, holes=True),
)
"""Each sequence by itself from a cache of its own or a shared one, or the whole context; the gate says how many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`sequences` of `read` tokens are saved, restored, and go on by `go_on` tokens one at a time."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    sequences: int = field(default=2, metadata={"min": 1, "max": 64})
    read: int = field(default=64, metadata={"min": 8, "max": 65536})
    go_on: int = field(default=16, metadata={"min": 1, "max": 4096})
    scenarios: tuple[str, ...] = field(default=(), metadata={"about": "some of the eight by name; all when empty"})
    moved_difference: float = field(
        default=0.05,
        metadata={"min": 0.0, "max": 1e6, "about": "largest difference of a logit where cells lie elsewhere"},
    )
    flash_attention: bool = False

    def __post_init__(self) -> None:
        unknown = set(self.scenarios) - {each.name for each in SCENARIOS}
        if unknown:
            raise ValueError(f"there is no scenario `{min(unknown)}`; there are {', '.join(s.name for s in SCENARIOS)}")


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session on the tip, or on the build of the declaring block."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Every state is taken back, saved again byte for byte, and goes on as the live one."""
    need = _need(params, case)
    if need is None:
        return unmet(stuck())
    if reasons := case.missing((need,)):
        return unmet(reasons)
    seen = case.seen(need, StateObservation)
    if reasons := unusable_arms(need, seen.arms, case):
        return unmet(reasons)
    (arm,) = seen.arms
    wanted = {each.name: each for each in _settings(params).scenarios}
    if {outcome.scenario for outcome in arm.outcomes} != set(wanted):
        return unmet((session_incomplete(need, "it does not have the scenarios that were asked for"),))
    findings = tuple(
        finding for outcome in arm.outcomes for finding in _wrong(params, outcome, wanted[outcome.scenario])
    )
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    rows = sum(outcome.rows for outcome in arm.outcomes)
    exact = sum(outcome.differ == 0 for outcome in arm.outcomes)
    return Passed(
        summary=f"{len(arm.outcomes)} states come back byte for byte, {exact} go on bit by bit; {rows} rows compared"
    )


def _wrong(params: Params, outcome: StateOutcome, scenario: StateScenario) -> Iterator[Finding]:
    what = "the whole state" if scenario.whole else f"the state of sequence {outcome.sequence}"
    who = f"model `{params.model}`, scenario `{scenario.name}`: {what}"
    if outcome.refused:
        yield _finding("state-refused", f"{who} is not taken back: {outcome.refused}", f"size: {outcome.size} bytes")
        return
    if outcome.size == 0 or outcome.rows == 0:
        yield _finding("state-empty", f"{who} has {outcome.size} bytes, and {outcome.rows} rows came after it")
        return
    if outcome.saved != outcome.again:
        yield _finding(
            "state-not-repeatable",
            f"{who} is another one when it is saved again after its restore",
            f"saved: SHA-256 {outcome.saved}, {outcome.size} bytes",
            f"saved again: SHA-256 {outcome.again}",
        )
    bound = params.moved_difference if scenario.unified and scenario.fragmented else 0.0
    is_within = 0 <= outcome.difference <= bound and (bound > 0.0 or outcome.differ == 0)
    if not is_within:
        yield _finding(
            "state-continues-otherwise",
            f"{who} goes on with other logits than the live one, first at token {outcome.first} after the restore",
            f"{outcome.differ} of {outcome.rows} rows differ, by {outcome.difference:.6g} at most, {bound:.6g} allowed",
            f"same most probable token: {outcome.same_top} of {outcome.rows}",
        )


def _finding(code: str, message: str, *notes: str) -> Finding:
    return Diagnostic(code=code, message=message, notes=notes)


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = own_arm(case, params.configuration)
    if not arms:
        return None
    return ProbeNeed(probe="state", model=params.model, arms=arms, settings=settings_of(_settings(params)))


def _settings(params: Params) -> StateSettings:
    chosen = [each for each in SCENARIOS if not params.scenarios or each.name in params.scenarios]
    # with holes there are twice as many, and all share the cells where the cache is shared
    cells = -(-(params.read + params.go_on) * 2 * params.sequences // 256) * 256
    return StateSettings(
        prompts=tuple(drawn(params.read + params.go_on, stream) for stream in range(2 * params.sequences)),
        context=ContextSettings(context=max(1024, cells), flash_attention=params.flash_attention),
        read=params.read,
        go_on=params.go_on,
        repack=True,
        scenarios=tuple(replace(each, sequences=params.sequences) for each in chosen),
    )


KIND = Kind(
    name="state-round-trip",
    about="a saved state goes into a fresh context, is saved again byte for byte, and goes on bit by bit",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
