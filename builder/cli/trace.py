"""`stackproof trace`: the first operation that differs where a gate found that tokens or logits do."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Fresh, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, Finding

if TYPE_CHECKING:
    from builder.first_difference import Traced
    from verify.gates.traceable import Between


def trace(
    gate: Annotated[str, typer.Argument(metavar="GATE", help="A declared gate's name; with --bin also one as JSON")],
    first: Annotated[str, typer.Option("--from", metavar="NAME", help="The arm or variant that is compared with")] = "",
    second: Annotated[str, typer.Option("--to", metavar="NAME", help="The arm or variant that is looked into")] = "",
    here: Annotated[
        Path | None, typer.Option("--bin", metavar="DIR", help="On programs built by hand: their folder `bin`")
    ] = None,
    below: Annotated[
        Path | None, typer.Option("--below", metavar="DIR", help="That of the build below; the same when not given")
    ] = None,
    fresh: Fresh = False,
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Name the first operation of the graph whose result differs between two arms of a gate.

    What the gate compares is computed again with every operation's result written down: its model, its prompts, its
    settings. For a gate along an axis the two arms are two values on one build.

    Exit status 0 when no operation differs, 1 when one does.

    Examples: stackproof trace logits-window; stackproof trace widths-smollm2 --from width-1 --to width-4
    """
    run(
        "trace",
        lambda session: _trace(session, gate, first, second, here=here, below=below, fresh=fresh),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _trace(
    session: Session, name: str, first: str, second: str, *, here: Path | None, below: Path | None, fresh: bool
) -> Answer:
    from verify.gates.traceable import Between

    between = Between(first=first, second=second)
    if here is not None:
        return _answer(name, _on_programs(session, name, between, here=here, below=below or here))
    return _answer(name, _on_stack(session, name, between, fresh=fresh))


def _on_stack(session: Session, name: str, between: "Between", *, fresh: bool) -> "Traced":
    from builder import pipeline
    from builder.cli.gate_names import chosen
    from builder.first_difference import trace_gate
    from builder.measure import Bench
    from builder.plan import needs_of
    from verify.gates.battery import gates_of

    workshop = session.workshop()
    release = pipeline.read(workshop)
    (gate, *_) = chosen(gates_of(release), (name,))
    stacked = pipeline.stack(release, workshop)
    stacked.keep()
    case = pipeline.case(stacked, workshop, to_build=False)
    bench = Bench(stacked=stacked, workshop=workshop, fresh=fresh)
    return trace_gate(bench, case, gate, needs_of((gate,), case), between)


def _on_programs(session: Session, name: str, between: "Between", *, here: Path, below: Path) -> "Traced":
    from builder import pipeline
    from builder.first_difference import trace_gate
    from builder.tryout import asked_gate, prepared

    workshop = session.workshop()
    release = pipeline.read_unpinned(workshop)
    gate, block = asked_gate(name, release, None)
    stacked = pipeline.stack(release, workshop, against_lock=False)
    bench, case, needs = prepared(gate, block, below=below, here=here, stacked=stacked, workshop=workshop)
    return trace_gate(bench, case, gate, needs, between)


def _answer(name: str, traced: "Traced") -> Answer:
    from builder.cli.tables import table
    from verify.gates.tensor_trace import operation
    from verify.model.codec import to_json

    seen = traced.seen
    one, two = (arm.arm for arm in seen.arms)
    rows = [
        (
            str(each.index),
            each.prompt,
            each.op,
            each.name.strip() or "?",
            str(each.layer) if each.layer >= 0 else "",
            "x".join(map(str, each.shape)),
            f"{each.relative:.3g}" if each.relative >= 0 else "?",
            f"{each.maximum:.6g}" if each.maximum >= 0 else "?",
        )
        for each in seen.first
    ]
    heads = ("number", "prompt", "operation", "name", "layer", "shape", "relative L2", "largest")
    counted = f"{seen.differ} of {seen.compared} operations differ between `{one}` and `{two}` on {traced.need.model}"
    return Answer(
        text=f"{table(heads, rows)}\n\n{counted}" if rows else counted,
        data={"gate": name, "model": traced.need.model, "trace": to_json(seen)},
        diagnostics=(*((_differs(operation(seen.first[0]), one, two),) if rows else ()), *_lacking(seen.lacking)),
        exit=ExitCode.DOES_NOT_HOLD if seen.differ or seen.lacking else ExitCode.HOLDS,
    )


def _differs(what: str, one: str, two: str) -> Finding:
    return Diagnostic(code="operation-differs", message=f"`{one}` against `{two}`: the first that differs is {what}")


def _lacking(names: tuple[str, ...]) -> tuple[Finding, ...]:
    if not names:
        return ()
    return (
        Diagnostic(
            code="graph-differs", message=f"{len(names)} operations are computed on one arm alone", notes=names[:12]
        ),
    )
