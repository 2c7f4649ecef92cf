"""`stackproof deviations …`: what is accepted, by whom and until what; accept what a gate finds, or end it."""

import time
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault

if TYPE_CHECKING:
    from collections.abc import Callable

    from builder.register import Register
    from verify.model.deviation import Deviation
    from verify.model.diagnostic import Finding
    from verify.model.release import Release

app = typer.Typer(no_args_is_help=True, help="Accepted deviations: numbered, bounded, in blocks/deviations.yaml")


@app.command("list")
def list_deviations(project: Project = HERE, as_json: AsJson = False) -> None:
    """List what is accepted, and what is over.

    Example: stackproof deviations list
    """
    run("deviations", _list, root=project, as_json=as_json)


@app.command("accept")
def accept(
    gate: Annotated[str, typer.Argument(help="The gate that finds it")],
    finding: Annotated[str, typer.Option("--finding", metavar="CODE", help="The finding's code")],
    name: Annotated[list[str], typer.Option("--name", metavar="NAME", help="What the finding names (repeatable)")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why it is accepted")],
    owner: Annotated[str, typer.Option("--owner", metavar="'NAME <MAIL>'", help="Who accepts it")],
    until: Annotated[
        str,
        typer.Option("--until", metavar="WHAT", help="passes, base, upstream, release:NAME or date:YYYY-MM-DD"),
    ] = "base",
    since: Annotated[str, typer.Option("--since", metavar="YYYY-MM-DD", help="The day (default: today)")] = "",
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Accept what the gate finds on the evidence at hand, under the next number; the evidence is noted with it.

    Example: stackproof deviations accept golden-window --finding golden-differs --name prompt-1 --until upstream
    --reason "The new kernel rounds the third token otherwise" --owner "Grace Hopper <grace@navy.mil>"
    """

    def body(session: Session) -> Answer:
        day = since or time.strftime("%Y-%m-%d")
        return _accept(session, gate, finding, tuple(name), reason=reason, owner=owner, until=until, day=day)

    run("deviations", body, root=project, as_json=as_json, offline=offline)


@app.command("end")
def end(
    number: Annotated[int, typer.Argument(help="Its number, which is never given again")],
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="What ended it")],
    project: Project = HERE,
    as_json: AsJson = False,
) -> None:
    """Say that an accepted deviation is over.

    Example: stackproof deviations end 2 --reason "Upstream mended the kernel"
    """
    run("deviations", lambda session: _end(session, number, reason), root=project, as_json=as_json)


def _list(session: Session) -> Answer:
    from builder import pipeline
    from builder.cli.tables import table

    release = pipeline.read_unpinned(session.workshop())
    rows = [
        (
            str(each.number),
            each.gate,
            f"{each.finding}: {', '.join(each.names)}",
            f"{each.until.trigger} {each.until.value}".strip()[:24],
            each.owner.name,
            each.reason,
        )
        for each in release.deviations
    ]
    over = [(str(each.number), each.gate, "", "over", "", each.ended) for each in release.ended_deviations]
    return Answer(
        text=table(("number", "gate", "accepted", "until", "owner", ""), [*rows, *over])
        if rows or over
        else "nothing is accepted",
        data={
            "accepted": [
                {
                    "number": each.number,
                    "gate": each.gate,
                    "finding": each.finding,
                    "names": list(each.names),
                    "reason": each.reason,
                    "evidence": list(each.evidence),
                    "owner": f"{each.owner.name} <{each.owner.email}>",
                    "since": each.since,
                    "until": {"trigger": each.until.trigger.value, "value": each.until.value},
                }
                for each in release.deviations
            ],
            "ended": [
                {"number": each.number, "gate": each.gate, "ended": each.ended} for each in release.ended_deviations
            ],
        },
    )


def _accept(
    session: Session, gate: str, finding: str, names: tuple[str, ...], *, reason: str, owner: str, until: str, day: str
) -> Answer:
    from builder import pipeline
    from builder.cli.edits import person
    from builder.cli.gate_names import chosen
    from builder.measure import Bench
    from builder.register import parse_until
    from verify.gates.battery import gates_of
    from verify.judge import rule
    from verify.model.deviation import Deviation
    from verify.model.verdict import Failed

    workshop = session.workshop()
    release = pipeline.read(workshop)
    (declared,) = chosen(gates_of(release), (gate,))[:1]
    stacked = pipeline.stack(release, workshop)
    ends = parse_until(until, base_tree=stacked.imported.tree, upstream=release.base.upstream_commit)
    if ends is None:
        raise InputFault(_no_end(until))
    who = person(owner or " ")
    assert who is not None  # else it is refused
    bench = Bench(stacked=stacked, workshop=workshop, fresh=False)
    result = rule(declared, bench.known_steps(pipeline.case(stacked, workshop), [declared]))
    found = result.outcome.findings if isinstance(result.outcome, Failed) else ()
    deviation = Deviation(
        number=1,
        gate=declared.name,
        finding=finding,
        names=names,
        reason=reason,
        evidence=tuple(result.evidence) or ("declared files and trees",),
        owner=who,
        since=day,
        until=ends,
    )
    if not any(deviation.covers(declared.name, each) for each in found):
        raise InputFault(_covers_nothing(deviation, found))
    return _write(session, release, lambda register: register.accepting(deviation), f"accept a deviation of {gate}")


def _end(session: Session, number: int, reason: str) -> Answer:
    from builder import pipeline
    from builder.register import Register

    release = pipeline.read_unpinned(session.workshop())

    def ending(register: Register) -> Register:
        made = register.ending(number, reason)
        if made is None:
            known = ", ".join(str(each.number) for each in register.accepted) or "none"
            raise InputFault(
                Diagnostic(
                    code="unknown-deviation",
                    message=f"no accepted deviation has the number {number}",
                    notes=(f"accepted: {known}",),
                    help="stackproof deviations list",
                )
            )
        return made

    return _write(session, release, ending, f"end deviation {number}")


def _write(session: Session, release: "Release", change: "Callable[[Register], Register]", summary: str) -> Answer:
    from builder.cli.edits import alone, now
    from builder.edit.register import change_register
    from verify.model.deviation import REGISTER

    with alone(session, dry_run=False):
        number = change_register(session.root, release, change, summary=summary, at=now())
    return Answer(
        text=f"{summary}: wrote {REGISTER}" + (f" (number {number})" if number else ""),
        data={"number": number, "written": [REGISTER]},
    )


def _covers_nothing(deviation: "Deviation", found: "tuple[Finding, ...]") -> Diagnostic:
    from verify.model.deviation import names_of

    shown = tuple(f"found: {each.code} with {', '.join(sorted(names_of(each))) or 'no name'}" for each in found[:8])
    return Diagnostic(
        code="deviation-covers-nothing",
        message=f"gate `{deviation.gate}` finds nothing with `{deviation.finding}` and {', '.join(deviation.names)}",
        notes=shown or ("on the evidence at hand the gate does not fail",),
        help=f"stackproof gate --only {deviation.gate}",
    )


def _no_end(until: str) -> Diagnostic:
    return Diagnostic(
        code="bad-until",
        message=f"`{until[:80]}` does not say what ends a deviation",
        notes=("one of: passes, base, upstream (where the base has a commit), release:NAME, date:YYYY-MM-DD",),
        help="--until base",
    )
