"""`stackproof gate`: run the gates on the built engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.executors import executor_at
from builder.cli.options import HERE, AsJson, Fresh, Offline, Project, Where
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.gate import GateDecl

if TYPE_CHECKING:
    from builder.measure import Bench
    from verify.gates.case import Case


def gate(
    project: Project = HERE,
    show: Annotated[bool, typer.Option("--list", help="List the gates and every kind there is; run nothing")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be built and measured; run nothing")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="GATE", help="This gate alone (repeatable)")
    ] = None,
    fresh: Fresh = False,
    executor: Where = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Judge the gates, building and measuring what is not known yet.

    Exit status 0 when every required gate passed or is waived, 1 when one failed, 2 when one is undecided.

    Examples: stackproof gate --list; stackproof gate --only golden-smollm2; stackproof gate --fresh --json
    """

    def body(session: Session) -> Answer:
        if show:
            return _list(session)
        return _gate(session, names=tuple(only or ()), plan=plan, fresh=fresh, executor=executor)

    run("gate", body, root=project, as_json=as_json, offline=offline)


def _list(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.tables import table
    from verify.gates.battery import gates_of
    from verify.gates.kinds import KINDS

    gates = gates_of(pipeline.read_unpinned(session.workshop()))
    rows = [(each.name, each.kind, each.block or "release", "required" if each.required else "") for each in gates]
    kinds = [(kind.name, kind.about) for kind in KINDS.values()]
    return Answer(
        text=f"{table(('gate', 'kind', 'declared by', ''), rows)}\n\n{table(('kind', ''), kinds)}",
        data={
            "kinds": [
                {"name": kind.name, "about": kind.about, "structural": kind.structural, "standing": kind.standing}
                for kind in KINDS.values()
            ],
            "gates": [
                {"name": each.name, "kind": each.kind, "block": each.block, "required": each.required} for each in gates
            ],
        },
    )


def _gate(session: Session, *, names: tuple[str, ...], plan: bool, fresh: bool, executor: str | None) -> Answer:
    from builder import pipeline
    from builder.cli.verdict import answer_of
    from builder.measure import Bench
    from verify.gates.battery import gates_of
    from verify.judge import rule

    workshop = session.workshop()
    release = pipeline.read(workshop)
    gates = _chosen(gates_of(release), names)
    stacked = pipeline.stack(release, workshop)
    stacked.keep()
    bench = Bench(stacked=stacked, workshop=workshop, fresh=fresh, executor=executor_at(executor, stacked, workshop))
    case = pipeline.case(stacked, workshop)
    if plan:
        return _plan(bench, case, gates)
    case = bench.all_steps(case, gates)
    results = [rule(each, case) for each in gates]
    return answer_of(results, what=f"release {release.name}" + (", as far as these gates go," if names else ""))


def _chosen(gates: tuple[GateDecl, ...], names: tuple[str, ...]) -> tuple[GateDecl, ...]:
    """The gates of these names (all for none), a block's own also as `block/gate`; refuses a name that there is not."""
    if not names:
        return gates
    known = {name for each in gates for name in _spellings(each)}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise InputFault(*(_no_such_gate(name, known) for name in unknown))
    return tuple(each for each in gates if _spellings(each) & set(names))


def _spellings(gate: GateDecl) -> set[str]:
    return {gate.name, f"{gate.block}/{gate.name}"} if gate.block else {gate.name}


def _no_such_gate(name: str, known: set[str]) -> Diagnostic:
    import difflib

    near = difflib.get_close_matches(name, sorted(known), n=1)
    return Diagnostic(
        code="unknown-gate",
        message=f"there is no gate `{name}`",
        notes=(f"did you mean `{near[0]}`?",) if near else (),
        help="stackproof gate --list",
    )


def _plan(bench: "Bench", case: "Case", gates: tuple[GateDecl, ...]) -> Answer:
    """What would be done. A probe's key names the build it runs on, so it is known only once that is made."""
    from builder.cli.tables import table
    from builder.plan import builds_of, needs_of
    from verify.model.evidence import ProbeNeed
    from verify.probe.run import probe_title

    needs = needs_of(gates, case)
    builds = bench.plan_builds(case, builds_of(needs, case))
    known = [step for step in builds if step.known]
    case = bench.build(case, known)
    probes, case = bench.plan_probes(case, needs)
    planned = {step.need: step for step in probes}
    rows = [
        ("build", f"{bench.title(case, step.need)} ({step.need.configuration})", _state(step.known), step.why)
        for step in builds
    ]
    for need in needs:
        if isinstance(need, ProbeNeed):
            step = planned.get(need)
            why = step.why if step else "after its builds are made"
            rows.append(("probe", probe_title(need), _state(step is not None and step.known), why))
    return Answer(
        text=table(("", "what", "state", "why"), rows),
        data={
            "plan": [
                {"step": step, "what": what, "known": state == "known", "why": why} for step, what, state, why in rows
            ]
        },
    )


def _state(known: bool) -> str:
    return "known" if known else "to do"
