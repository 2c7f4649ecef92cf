"""`stackproof build`: build every proof that is not yet known."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.executors import executor_at
from builder.cli.options import HERE, AsJson, Fresh, Offline, Project, Where
from builder.cli.session import Answer, Session, run
from builder.cli.warm_build import build_warm_tip
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import ConfigName

if TYPE_CHECKING:
    from builder.nearest import Change, Estimate


def build(
    project: Project = HERE,
    plan: Annotated[bool, typer.Option("--plan", help="Say what would be built and why, and build nothing")] = False,
    fresh: Fresh = False,
    executor: Where = None,
    configuration: Annotated[
        str | None, typer.Option("--configuration", metavar="NAME", help="The proofs of this one alone")
    ] = None,
    warm: Annotated[
        bool, typer.Option("--warm", help="Only the tip, quickly, in a lane that keeps its last build; no evidence")
    ] = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Build the proofs that the configurations promise: the base, every prefix, the tip.

    A build that is known for exactly its tree, recipe and toolchain is not made again. With --warm the tip alone is
    built on what the last tree left in a folder of its own: for the inner loop, and never evidence.

    Examples: stackproof build --plan; stackproof build --fresh --json; stackproof build --executor tcp://127.0.0.1:8786
    """
    run(
        "build",
        lambda session: (
            build_warm_tip(session, name=configuration)
            if warm
            else _build(session, plan=plan, fresh=fresh, executor=executor, name=configuration)
        ),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _no_proofs(name: str, names: list[ConfigName]) -> Diagnostic:
    return Diagnostic(
        code="unknown-configuration",
        message=f"there is no configuration `{name}` that proves anything",
        place=Place(file="release.json"),
        help=f"one of {', '.join(names)}",
    )


def _why(why: str, changes: "tuple[Change, ...] | None", expected: "Estimate | None") -> str:
    """Why a build is to be made: what is new in its key, and what it may take."""
    if changes:
        why = "; ".join(each.told() for each in changes[:4]) + (
            f"; {len(changes) - 4} more" if len(changes) > 4 else ""
        )
    elif changes is None and why.startswith("no evidence"):
        why = "nothing was ever built" if expected is None else why
    return why if expected is None else f"{why} (about {expected.wall_seconds:.0f} s)"


def _build(session: Session, *, plan: bool, fresh: bool, executor: str | None, name: str | None) -> Answer:
    from builder import measure, pipeline
    from builder.cli.tables import table
    from builder.cli.verdict import answer_of
    from verify.gates.battery import gates_of
    from verify.gates.build import Params
    from verify.judge import rule

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read(workshop), workshop)
    case = pipeline.case(stacked, workshop, claims=False)
    bench = measure.Bench(
        stacked=stacked, workshop=workshop, fresh=fresh, executor=executor_at(executor, stacked, workshop)
    )
    steps = tuple(
        step for step in bench.plan_builds(case, bench.proofs(case)) if name in (None, step.need.configuration)
    )
    if not steps and name is not None:
        raise InputFault(_no_proofs(name, [each.name for each in case.release.configurations]))
    damaged = bench.damaged(case, steps)
    if not plan:
        stacked.keep()
        case = bench.build(case, steps)
    expects = bench.estimates(steps) if plan else {}
    rows: list[tuple[str, ...]] = []
    data: list[dict[str, object]] = []
    for step in steps:
        title = bench.title(case, step.need)
        recorded = case.builds.get(step.need)
        seen = recorded.observation if recorded else None
        state = ("known" if step.known else "to build") if plan else "failed" if seen is None or not seen.ok else "ok"
        changes = None if step.known or not plan else bench.changes(step)
        expected = expects.get(step.key.digest)
        why = (
            _why(step.why, changes, expected)
            if plan or seen is None
            else f"{seen.steps} steps, {seen.compiled} compiled, {seen.cache_hits} from the compiler cache"
        )
        rows.append((title, step.need.configuration, step.need.tree[:12], state, why))
        data.append(
            {
                "proof": title,
                "configuration": step.need.configuration,
                "tree": step.need.tree,
                "key": step.key.digest,
                "known": step.known,
                "why": step.why,
                "changed": None
                if changes is None
                else [{"part": each.part, "was": each.was, "now": each.now} for each in changes],
                "estimate": None
                if expected is None
                else {"cpu_seconds": expected.cpu_seconds, "wall_seconds": expected.wall_seconds, "of": expected.of},
                "state": state,
                "steps": seen.steps if seen else None,
                "compiled": seen.compiled if seen else None,
                "cache_hits": seen.cache_hits if seen else None,
                "cpu_seconds": seen.cpu_seconds if seen else None,
                "wall_seconds": seen.wall_seconds if seen else None,
                "peak_kib": seen.peak_kib if seen else None,
                "log": seen.log if seen else None,
            }
        )
    text = table(("proof", "configuration", "tree", "state", "why" if plan else "work"), rows)
    if plan:
        told = [each for each in expects.values() if each is not None]
        if told:
            seconds = sum(each.wall_seconds for each in told)
            text += f"\n\n{len(expects)} builds to make, about {seconds:.0f} s by what earlier ones took"
        return Answer(text=text, data={"plan": data}, diagnostics=damaged)
    gates = [gate for gate in gates_of(case.release) if gate.kind == "build"]
    if name is not None:
        gates = [replace(gate, params=Params(configurations=(name,))) for gate in gates]
    judged = answer_of([rule(gate, case) for gate in gates], what="")
    return Answer(text=text, data={"builds": data}, diagnostics=(*damaged, *judged.diagnostics), exit=judged.exit)
