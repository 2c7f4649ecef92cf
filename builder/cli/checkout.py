"""`stackproof checkout`: materialise the stack as a git branch."""

from pathlib import Path
from typing import Annotated

import typer

from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import ExitCode
from verify.model.wording import count as counted


def checkout(
    directory: Annotated[Path, typer.Argument(metavar="DIR", help="Where to make the working folder")],
    project: Project = HERE,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Make a git repository at DIR with the stack on a branch: one commit a fold, on upstream's own commit.

    Amend, fix up, rebase or add commits there with any git tool, then read them back with `stackproof sync DIR`.
    A folder that holds work which was not synced is never touched; an older checkout is brought up to date.

    Example: stackproof checkout ../llama-stack
    """
    run("checkout", lambda session: _checkout(session, directory), root=project, as_json=as_json, offline=offline)


def _checkout(session: Session, directory: Path) -> Answer:
    from builder import pipeline
    from builder.edit.checkout import checkout as materialise
    from verify.model.stack import Stack

    workshop = session.workshop()
    stacked = pipeline.stack(pipeline.read_unpinned(workshop), workshop, against_lock=False)
    result = stacked.derived.result
    if not isinstance(result, Stack):
        return Answer(text="", data={}, diagnostics=result.findings, exit=ExitCode.DOES_NOT_HOLD)
    with workshop.progress.stage(f"check out to {directory}") as stage:
        made = materialise(
            name=stacked.release.name,
            stack=result,
            objects=stacked.derived.objects,
            store=stacked.store,
            directory=directory,
        )
        stage.outcome(f"{counted(made.commits, 'commit')}")
    return Answer(
        text=f"{made.directory}: branch {made.branch} at {made.commit}, {counted(made.commits, 'commit')}"
        + (", brought up to date" if made.renewed else ""),
        data={
            "directory": str(made.directory),
            "branch": made.branch,
            "commit": made.commit,
            "commits": made.commits,
            "renewed": made.renewed,
        },
    )
