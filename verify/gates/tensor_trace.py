"""Tensor trace: no operation of the graph gives another result on the tip than upstream's at the same base.

Where one does, the first is named: its place in the order of computing, its name, kind, layer and shape, by how much.
`stackproof trace` makes the same comparison where another gate found that logits or tokens differ.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from verify.gates.answers import unmet
from verify.gates.case import Case
from verify.gates.computed import drawn, stuck, texts, unusable_arms, upstream_and_tip
from verify.gates.identity import session_incomplete
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.library import ContextSettings, OperationDifference, TraceObservation, TraceSettings, TraceSide
from verify.model.session import settings_of
from verify.model.verdict import Failed, Outcome, Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`read` tokens at once and `rest` one at a time, drawn ones where no `prompts` are given."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompts: tuple[str, ...] = ()
    read: int = field(default=16, metadata={"min": 1, "max": 512})
    rest: int = field(default=4, metadata={"min": 0, "max": 64, "about": "drawn tokens after those read at once"})
    max_relative: float = field(
        default=0.0, metadata={"min": 0.0, "max": 1.0, "about": "relative L2 of a result; 0: not one bit"}
    )
    same_graph: bool = field(default=True, metadata={"about": "both compute the very same operations"})
    flash_attention: bool = False


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with upstream and the tip as its arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """No operation beyond the bound, none on one arm alone."""
    need = _need(params, case)
    if need is None:
        return unmet(stuck())
    if reasons := case.missing((need,)):
        return unmet(reasons)
    seen = case.seen(need, TraceObservation)
    if reasons := unusable_arms(need, seen.arms, case):
        return unmet(reasons)
    if not seen.compared or not all(arm.operations for arm in seen.arms):
        return unmet((session_incomplete(need, "no operation was seen on both arms"),))
    findings = tuple(_apart(params, seen))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    if seen.differ:
        return Passed(
            summary=f"{seen.differ} of {seen.compared} operations differ, none beyond {params.max_relative:g}"
        )
    return Passed(summary=f"{seen.compared} operations give what upstream's give, bit by bit")


def _apart(params: Params, seen: TraceObservation) -> Iterator[Finding]:
    beyond = [each for each in seen.first if not 0 <= each.relative <= params.max_relative or not params.max_relative]
    if beyond:
        yield Diagnostic(
            code="operation-differs",
            message=f"model `{params.model}` on the tip: the first result that differs is {operation(beyond[0])}",
            notes=(
                f"{seen.differ} of {seen.compared} operations differ",
                *(f"then: {operation(each)}" for each in beyond[1:6]),
            ),
        )
    if params.same_graph and (seen.lacking or len({arm.operations for arm in seen.arms}) > 1):
        yield Diagnostic(
            code="graph-differs",
            message=f"model `{params.model}`: the tip does not compute the operations that upstream computes",
            notes=(*(f"{arm.arm}: {arm.operations} operations" for arm in seen.arms), *seen.lacking[:12]),
        )


def operation(each: OperationDifference) -> str:
    """One operation in words: what it is and by how much its result differs."""
    layer = f" in layer {each.layer}" if each.layer >= 0 else ""
    shape = "x".join(map(str, each.shape))
    apart = (
        f"relative L2 {each.relative:.3g}, at most {each.maximum:.6g}"
        if each.relative >= 0
        else "its bytes differ, numbers cannot be compared"
    )
    return f"{each.op} `{each.name.strip()}`{layer} (number {each.index}, {each.type} {shape}): {apart}"


def _need(params: Params, case: Case) -> ProbeNeed | None:
    arms = upstream_and_tip(case, params.configuration)
    if not arms:
        return None
    given = texts(params.prompts)
    context = ContextSettings(flash_attention=params.flash_attention)
    settings = TraceSettings(
        prompts=given or (drawn(params.read + params.rest),),
        read=params.read,
        repack=True,
        sides=(TraceSide(context=context, width=1),) * 2,
    )
    return ProbeNeed(probe="trace", model=params.model, arms=arms, settings=settings_of(settings))


KIND = Kind(
    name="tensor-trace",
    about="no operation of the graph gives another result than upstream's at the same base; the first one is named",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
