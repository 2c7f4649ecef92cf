"""`stackproof gate`: run the gates on the built engine."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.executors import executor_at
from builder.cli.options import HERE, AsJson, Fresh, Offline, Project, Where
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault, Place

if TYPE_CHECKING:
    from builder.cli.gate_asked import Asked


def gate(
    project: Project = HERE,
    show: Annotated[bool, typer.Option("--list", help="List the gates and every kind there is; run nothing")] = False,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be built and measured; run nothing")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="GATE", help="This gate alone (repeatable)")
    ] = None,
    why: Annotated[str, typer.Option("--why", metavar="GATE", help="What this gate's end rests on; run nothing")] = "",
    mutate: Annotated[
        bool, typer.Option("--mutate", help="Leave out each block and fold in turn: does a gate of its notice?")
    ] = False,
    quick: Annotated[bool, typer.Option("--quick", help="With --mutate: stop at the first gate that notices")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="With --mutate: the table for a page")] = False,
    hardware: Annotated[
        list[str] | None, typer.Option("--hardware", metavar="NAME", help="What this machine is (repeatable)")
    ] = None,
    fresh: Fresh = False,
    executor: Where = None,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Judge the gates, building and measuring what is not known yet.

    Exit status 0 when every required gate passed or is waived, 1 when one failed, 2 when one is undecided.

    Examples: stackproof gate --list; stackproof gate --only golden-smollm2; stackproof gate --why golden-smollm2;
    stackproof gate --mutate; stackproof gate --fresh --json
    """
    from builder.cli.gate_asked import Asked

    asked = Asked(
        names=(why,) if why else tuple(only or ()),
        plan=plan,
        why=bool(why),
        mutate=mutate,
        quick=quick,
        markdown=markdown,
        hardware=frozenset(hardware or ()),
        fresh=fresh,
        executor=executor,
    )

    def body(session: Session) -> Answer:
        return _list(session) if show else _gate(session, asked)

    run("gate", body, root=project, as_json=as_json, offline=offline)


def _list(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.tables import table
    from verify.gates.battery import gates_of
    from verify.gates.kinds import KINDS

    gates = gates_of(pipeline.read_unpinned(session.workshop()))
    rows = [
        (each.name, each.kind, each.block or "release", "required" if each.required else "", each.hardware)
        for each in gates
    ]
    kinds = [(kind.name, kind.about) for kind in KINDS.values()]
    return Answer(
        text=f"{table(('gate', 'kind', 'declared by', '', 'needs'), rows)}\n\n{table(('kind', ''), kinds)}",
        data={
            "kinds": [
                {"name": kind.name, "about": kind.about, "structural": kind.structural, "standing": kind.standing}
                for kind in KINDS.values()
            ],
            "gates": [
                {
                    "name": each.name,
                    "kind": each.kind,
                    "block": each.block,
                    "required": each.required,
                    "hardware": each.hardware or None,
                    "outlives": each.outlived.block if each.outlived else None,
                }
                for each in gates
            ],
        },
    )


def _gate(session: Session, asked: "Asked") -> Answer:
    from builder import pipeline
    from builder.cli.gate_names import chosen
    from builder.cli.verdict import answer_of
    from builder.measure import Bench
    from verify.gates.battery import gates_of
    from verify.judge import rule, rulings

    workshop = session.workshop()
    release = pipeline.read(workshop)
    gates = chosen(gates_of(release), asked.names)
    unknown = sorted(asked.hardware - {each.name for each in release.hardware})
    if unknown:
        raise InputFault(_no_hardware(unknown[0], [each.name for each in release.hardware]))
    stacked = pipeline.stack(release, workshop)
    stacked.keep()
    bench = Bench(
        stacked=stacked,
        workshop=workshop,
        fresh=asked.fresh,
        executor=executor_at(asked.executor, stacked, workshop),
        hardware=asked.hardware,
    )
    case = pipeline.case(stacked, workshop)
    if asked.plan:
        from builder.cli.gate_plan import plan_answer

        return plan_answer(bench, case, gates)
    if asked.why:
        from builder.cli.gate_why import why_answer

        return why_answer(bench, case, gates[0])
    if asked.mutate:
        from builder.cli.gate_mutate import mutate_answer

        return mutate_answer(bench, case, gates, quick=asked.quick, markdown=asked.markdown)
    case = bench.all_steps(case, gates)
    results = tuple(rule(each, case) for each in gates) if asked.names else rulings(release, case)
    return answer_of(results, what=f"release {release.name}" + (", as far as these gates go," if asked.names else ""))


def _no_hardware(name: str, known: list[str]) -> Diagnostic:
    return Diagnostic(
        code="unknown-hardware",
        message=f"release.json names no hardware `{name}`",
        place=Place(file="release.json"),
        notes=(f"hardware: {', '.join(known) or 'none'}",),
        help="add it with a line on what it is under `hardware`",
    )
