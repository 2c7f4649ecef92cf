"""`stackproof gate --why GATE`: what a gate's end rests on, who measured that and when, and what would change it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, assert_never

from builder.cli.session import Answer
from builder.cli.tables import table
from builder.cli.verdict import answer_of
from builder.figures import figures
from builder.plan import builds_of, needs_of
from verify.gates.case import Case, Recorded
from verify.judge import rule
from verify.model.codec import to_json
from verify.model.evidence import AbiNeed, BuildNeed, Evidence, Need, ProbeNeed
from verify.model.gate import GateDecl
from verify.model.verdict import Deferred, Failed, GateResult, Passed, Undecided, Waived
from verify.probe.run import probe_title

if TYPE_CHECKING:
    from builder.measure import Bench


def why_answer(bench: "Bench", case: Case, gate: GateDecl) -> Answer:
    """The gate on the evidence at hand: nothing is built or run."""
    case = bench.known_steps(case, [gate])
    view = case.of(gate)
    needs = needs_of([gate], case)
    wanted: tuple[Need, ...] = tuple(dict.fromkeys((*builds_of(needs, case), *needs)))
    result = rule(gate, case)
    rests = [_rest(bench, view, need) for need in wanted]
    changes = list(_changes(bench, view, gate, wanted, result))
    claims = _claims(bench, wanted, gate)
    rows = [(str(each["what"]), str(each["state"]), str(each["by"]), str(each["figures"])) for each in rests]
    lines = [
        f"{gate.name} ({gate.kind}) of {gate.block or 'the release'}",
        "",
        table(("rests on", "evidence", "made", ""), rows) if rows else "rests on declared files and trees alone",
        "",
        "what would change it:",
        *(f"  {each}" for each in changes),
    ]
    if claims:
        lines += ["", "claims, which decide nothing:", *(f"  {each}" for each in claims)]
    judged = answer_of([result], what=f"gate {gate.name}, on what is known,")
    return Answer(
        text="\n".join((*lines, "", judged.text)),
        data={
            "gate": gate.name,
            "kind": gate.kind,
            "block": gate.block,
            "parameters": to_json(gate.params),
            "rests_on": rests,
            "changes": changes,
            "claims": claims,
            **judged.data,
        },
        diagnostics=judged.diagnostics,
        exit=judged.exit,
    )


def _rest(bench: "Bench", case: Case, need: Need) -> dict[str, object]:
    recorded = _recorded(case, need)
    record = bench.evidence.named(recorded.key) if recorded is not None else None
    what = _title(bench, case, need)
    if recorded is None or not isinstance(record, Evidence):
        reasons = [each.message for each in case.missing((need,))]
        return {"what": what, "state": "missing", "key": None, "by": "", "figures": reasons[0] if reasons else ""}
    said = figures(record)
    return {
        "what": what,
        "state": record.key.digest[:12],
        "key": record.key.digest,
        "by": f"{record.made_by}, {record.made_at}",
        "made_by": record.made_by,
        "made_on": record.made_on,
        "made_at": record.made_at,
        "seconds": record.seconds,
        "figures": "; ".join(f"{name} {value}" for name, value in said[:4]),
        "all_figures": dict(said),
        "parts": dict(record.key.parts),
    }


def _recorded(case: Case, need: Need) -> Recorded[object] | None:
    match need:
        case BuildNeed():
            return case.builds.get(need)
        case ProbeNeed():
            return case.probes.get(need)
        case AbiNeed():
            return case.abi.get(need)
        case _:
            assert_never(need)


def _title(bench: "Bench", case: Case, need: Need) -> str:
    match need:
        case BuildNeed():
            return f"build of {bench.title(case, need)} ({need.configuration})"
        case ProbeNeed(arms=arms):
            return f"{probe_title(need)}: {', '.join(arm.name for arm in arms)}"
        case AbiNeed(below=below, build=build):
            return f"interfaces of {bench.title(case, below)} and {bench.title(case, build)}"
        case _:
            assert_never(need)


def _changes(bench: "Bench", case: Case, gate: GateDecl, wanted: tuple[Need, ...], result: GateResult) -> Iterator[str]:
    """What would make the end another one, or ask for another measurement."""
    match result.outcome:
        case Passed():
            trees = dict.fromkeys(bench.title(case, need) for need in wanted if isinstance(need, BuildNeed))
            if trees:
                yield f"another content of: {', '.join(trees)}"
                yield "another compiler, build option or recipe: everything is made again"
            for need in wanted:
                if isinstance(need, ProbeNeed):
                    settings = ", ".join(name for name, _ in need.settings)
                    yield f"another model file or setting of {need.probe}: {settings}"
        case Failed(findings=findings):
            for finding in findings:
                yield f"{finding.code} gone: {finding.help or finding.message}"
            yield "or its findings accepted in blocks/deviations.yaml, by code and by what they name"
        case Waived():
            for each in case.release.deviations:
                if each.gate == gate.name:
                    until = f"{each.until.trigger} {each.until.value}".strip()
                    yield f"deviation {each.number} over ({until}), or a finding that it does not cover"
        case Undecided(reasons=reasons):
            for reason in reasons:
                yield f"{reason.message}: {reason.help}" if reason.help else reason.message
        case Deferred(hardware=hardware):
            yield f"evidence from `{hardware}`: stackproof evidence import FILE"
            yield f"or, on such a machine: stackproof gate --hardware {hardware} --only {gate.name}"
        case _:
            assert_never(result.outcome)


def _claims(bench: "Bench", wanted: tuple[Need, ...], gate: GateDecl) -> list[str]:
    """What others measured that does not count: testimonies for the same probes."""
    probes = {need.probe for need in wanted if isinstance(need, ProbeNeed)}
    return [
        f"{record.key.kind} {record.key.digest[:12]} by {record.made_by}: "
        + "; ".join(f"{name} {value}" for name, value in figures(record)[:3])
        for claim in bench.claims
        if claim.hardware == gate.hardware
        for record in claim.testimony.records
        if record.key.kind in probes
    ]
