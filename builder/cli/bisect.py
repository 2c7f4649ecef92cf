"""`stackproof bisect GATE`: the first fold that turns a gate red."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.options import HERE, AsJson, Fresh, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault, Severity

if TYPE_CHECKING:
    from builder.bisect import Culprit, NotRed, State
    from builder.laying import FoldName
    from verify.model.release import Release


def bisect(
    gate: Annotated[str, typer.Argument(help="A gate that fails")],
    known: Annotated[
        bool, typer.Option("--known", help="By the evidence at hand alone; build and run nothing")
    ] = False,
    project: Project = HERE,
    fresh: Fresh = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Find the first fold that turns a gate red: by evidence first, then by builds and measurements.

    Exit status 0 when one fold is found, 1 when the gate is not red, 2 when only a range can be told.

    Examples: stackproof bisect golden-smollm2; stackproof bisect rotation-arm --known --json
    """
    run(
        "bisect",
        lambda session: _bisect(session, gate, known=known, fresh=fresh),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _bisect(session: Session, name: str, *, known: bool, fresh: bool) -> Answer:
    from builder import pipeline
    from builder.bisect import NotRed, bisect
    from builder.cli.gate_names import chosen
    from builder.measure import Bench
    from verify.gates.battery import gates_of
    from verify.gates.concern import behavioural
    from verify.model.stack import Stack

    workshop = session.workshop()
    release = pipeline.read_unpinned(workshop)
    (gate,) = chosen(gates_of(release), (name,))[:1]
    if not behavioural(gate):
        raise InputFault(_by_itself(gate.name, gate.kind))
    stacked = pipeline.stack(release, workshop, against_lock=False)
    if not isinstance(stacked.derived.result, Stack):
        raise InputFault(*stacked.derived.result.findings)
    stacked.keep()
    bench = Bench(stacked=stacked, workshop=workshop, fresh=fresh)
    found = bisect(bench, pipeline.case(stacked, workshop, to_build=False), gate, only_known=known)
    return _not_red(found, gate.name) if isinstance(found, NotRed) else _found(found, gate.name, release)


def _by_itself(name: str, kind: str) -> Diagnostic:
    return Diagnostic(
        code="bisect-needless",
        message=f"gate `{name}` of kind `{kind}` looks at files, trees or builds and names the fold itself",
        help=f"stackproof gate --only {name}",
    )


def _not_red(found: "NotRed", name: str) -> Answer:
    from builder.first_red import Light

    if found.state.light is Light.GREEN:
        text, status = f"gate {name} is not red: {found.state.why}", ExitCode.DOES_NOT_HOLD
        told: tuple[Diagnostic, ...] = ()
    else:
        text, status = "", ExitCode.CANNOT_JUDGE
        told = (
            Diagnostic(
                code="bisect-undecided",
                message=f"gate `{name}` is not decided on the whole stack: {found.state.why}",
                help=f"stackproof gate --only {name}",
            ),
        )
    return Answer(
        text=text, data={"gate": name, "found": None, "states": [_state(found.state)]}, diagnostics=told, exit=status
    )


def _found(found: "Culprit", name: str, release: "Release") -> Answer:
    from builder.cli.tables import table

    one = found.between[0] if len(found.between) == 1 else None
    rows = [
        (_last(state), state.light.value, "measured" if state.measured else "known", state.why)
        for state in found.looked
    ]
    lines = [table(("up to fold", "gate", "", ""), rows), ""]
    if one is not None:
        lines += [f"{one[0]}/{one[1]} turns gate {name} red: {_subject(release, one)}"]
    else:
        lines += [f"gate {name} is red from one of these folds on:", *(f"  {b}/{f}" for b, f in found.between)]
    lines += [
        f"  green below: {_keys(found.green) if found.green else 'nothing below could be judged green'}",
        f"  red with it: {_keys(found.red)}",
    ]
    told = []
    if found.earlier:
        where = ", ".join(f"`{block}/{fold}`" for block, fold in found.earlier)
        told.append(
            Diagnostic(
                code="bisect-not-monotone",
                message=f"gate `{name}` was red before, and green again: at {where}",
                notes=("more than one fold turns it; the last turn is told",),
                severity=Severity.WARNING,
            )
        )
    return Answer(
        text="\n".join(lines),
        data={
            "gate": name,
            "found": None if one is None else {"block": one[0], "fold": one[1], **_fold(release, one)},
            "between": [f"{block}/{fold}" for block, fold in found.between],
            "earlier": [f"{block}/{fold}" for block, fold in found.earlier],
            "green": _state(found.green) if found.green else None,
            "red": _state(found.red),
            "states": [_state(state) for state in found.looked],
        },
        diagnostics=tuple(told),
        exit=ExitCode.HOLDS if one is not None else ExitCode.CANNOT_JUDGE,
    )


def _last(state: "State") -> str:
    return "/".join(state.folds[-1]) if state.folds else "the base"


def _state(state: "State") -> dict[str, object]:
    return {
        "folds": [f"{block}/{fold}" for block, fold in state.folds],
        "light": state.light.value,
        "measured": state.measured,
        "why": state.why,
        "evidence": list(state.result.evidence) if state.result else [],
    }


def _keys(state: "State") -> str:
    keys = state.result.evidence if state.result else ()
    return f"{state.why} (evidence {', '.join(key[:12] for key in keys) or 'none'})"


def _fold(release: "Release", name: "FoldName") -> dict[str, str]:
    fold = next(fold for block in release.blocks if block.name == name[0] for fold in block.folds if fold.id == name[1])
    return {"author": f"{fold.author.name} <{fold.author.email}>", "subject": fold.subject, "source": fold.source}


def _subject(release: "Release", name: "FoldName") -> str:
    said = _fold(release, name)
    return f"{said['subject']} ({said['author']}, {said['source']})"
