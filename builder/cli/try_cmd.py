"""`stackproof try`: a gate on programs that were built by hand."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault


def try_gate(
    gate: Annotated[str, typer.Argument(metavar="GATE", help="A declared gate's name, or a gate as JSON")],
    here: Annotated[Path, typer.Option("--bin", metavar="DIR", help="The folder `bin` of the build that is tried")],
    below: Annotated[
        Path | None, typer.Option("--below", metavar="DIR", help="That of the build below; the same when not given")
    ] = None,
    switch: Annotated[
        str, typer.Option("--switch", metavar="NAME=OFF", help="A switch that no block declares yet, and its off value")
    ] = "",
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Try a gate on programs that were built by hand, while a block is being written.

    The gate's models come from the release; what is measured says nothing about the release itself.

    Examples: stackproof try golden-window --bin work/build/bin --below base/build/bin;
    stackproof try '{"kind": "slot-files", "model": "tiny-recurrent", "configuration": "release"}' --bin work/build/bin
    """
    run(
        "try",
        lambda session: _try(session, gate, here=here, below=below or here, switch=switch),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _try(session: Session, text: str, *, here: Path, below: Path, switch: str) -> Answer:
    from builder import pipeline
    from builder.cli.verdict import answer_of
    from builder.tryout import asked_gate
    from builder.tryout import try_gate as try_on_programs
    from verify.model.block import Switch

    workshop = session.workshop()
    release = pipeline.read_unpinned(workshop)
    declared = None
    if switch:
        name, equals, off = switch.partition("=")
        if not equals or not name:
            raise InputFault(_bad_switch(switch))
        declared = Switch(name=name, off=off, about="")
    gate, block = asked_gate(text, release, declared)
    stacked = pipeline.stack(release, workshop, against_lock=False)
    result = try_on_programs(gate, block, below=below, here=here, stacked=stacked, workshop=workshop)
    return answer_of([result], what="the gate on these programs")


def _bad_switch(text: str) -> Diagnostic:
    return Diagnostic(
        code="try-switch",
        message=f"`{text}` does not say a switch and the value that turns it off",
        help="stackproof try GATE --bin DIR --switch LLAMA_SERVER_PREFILL_ROTATION=0",
    )
