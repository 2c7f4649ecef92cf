"""The first operation of the graph that differs, for a gate that compares tokens or logits.

Takes a bench, the case, and what the gate itself needs; runs traces in turn until one differs. Builds are made first
where they are not known, and traces are evidence like any other measurement.
"""

from dataclasses import dataclass

from builder.measure import Bench
from builder.plan import builds_of
from verify.gates.case import Case
from verify.gates.traceable import Between, trace_needs
from verify.model.diagnostic import Diagnostic, Fault, InputFault
from verify.model.evidence import Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.library import TraceObservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Traced:
    """One trace that was run: what was asked, and what was seen."""

    need: ProbeNeed
    seen: TraceObservation


def trace_gate(bench: Bench, case: Case, gate: GateDecl, needs: tuple[Need, ...], between: Between) -> Traced:
    """The first trace that differs, the last one where none does; raises a fault where nothing can be traced."""
    asked = trace_needs(gate.name, needs, between)
    if isinstance(asked, Diagnostic):
        raise InputFault(asked)
    wanted = [need for need in builds_of(asked, case) if need not in bench.built]
    case = bench.build(case, bench.plan_builds(case, wanted))
    traced: Traced | None = None
    for need in asked:
        steps, case = bench.plan_probes(case, (need,))
        case = bench.probe(case, steps)
        if reasons := case.missing((need,)):
            raise Fault(*reasons)
        traced = Traced(need=need, seen=case.seen(need, TraceObservation))
        if traced.seen.differ or traced.seen.lacking:
            break
    assert traced is not None
    return traced
