"""`stackproof ci`: the workflow of a hosted CI, from the same plan."""

from collections import Counter
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault, Place


def ci(
    host: Annotated[str, typer.Argument(metavar="github|gitlab", help="Whose workflow to write")],
    project: Project = HERE,
    check: Annotated[bool, typer.Option("--check", help="Compare the file that is there and write nothing")] = False,
    install: Annotated[
        str, typer.Option("--install", metavar="COMMAND", help="How the software gets there")
    ] = "make .venv/.run",
    program: Annotated[
        str, typer.Option("--program", metavar="COMMAND", help="How it is called then")
    ] = ".venv/bin/stackproof",
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Write the workflow and its matrix: one job for files and trees, one for each configuration, then the release.

    It may read the repository and nothing else; run it again when configurations change.

    Examples: stackproof ci github; stackproof ci gitlab --check
    """
    run(
        "ci",
        lambda session: _ci(session, host, check=check, install=install, program=program),
        root=project,
        as_json=as_json,
        offline=offline,
    )


def _ci(session: Session, host: str, *, check: bool, install: str, program: str) -> Answer:
    from builder import pipeline
    from builder.ci import GITHUB, GITLAB, Setup, github, gitlab, parts_of
    from builder.plan import builds_of, needs_of
    from builder.write import project_lock, write_files
    from verify.gates.battery import gates_of

    known = {"github": (GITHUB, github), "gitlab": (GITLAB, gitlab)}
    if host not in known:
        raise InputFault(
            Diagnostic(
                code="ci-unknown",
                message=f"there is no workflow for `{host}`",
                help="stackproof ci github, or stackproof ci gitlab",
            )
        )
    file, render = known[host]
    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    case = pipeline.case(stacked, workshop)
    gates = [gate for gate in gates_of(case.release) if gate.kind == "build"]
    count = Counter(need.configuration for need in builds_of(needs_of(gates, case), case))
    parts = parts_of([(each.name, count[each.name]) for each in case.release.configurations])
    text = render(parts, Setup(install=install, program=program))
    path = session.root / file
    met = path.read_text(encoding="utf-8") if path.is_file() else None
    data = {
        "file": file,
        "parts": [{"name": each.name, "command": each.command, "builds": each.builds} for each in parts],
    }
    if met == text:
        return Answer(text=f"{file} is what the plan says", data={**data, "written": False})
    if check:
        stale = Diagnostic(
            code="ci-stale",
            message=f"{file} is not what the plan says" if met is not None else f"{file} is not there",
            place=Place(file=file),
            help=f"stackproof ci {host}",
        )
        return Answer(text="", data={**data, "written": False}, diagnostics=(stale,), exit=ExitCode.DOES_NOT_HOLD)
    with project_lock(session.root, tell=lambda _: None):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_files(session.root, {file: text.encode()})
    return Answer(
        text=f"wrote {file}: {', '.join(each.name for each in parts)}, release", data={**data, "written": True}
    )
