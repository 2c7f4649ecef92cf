"""`stackproof squash`: make a fold part of one below it."""

from typing import Annotated

import typer

from builder.cli.edits import DryRun, edit
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run


def squash(
    fold: Annotated[str, typer.Argument(metavar="FOLD", help="BLOCK/ID, or an id that one fold has")],
    into: Annotated[str, typer.Option("--into", metavar="FOLD", help="A fold below it")],
    project: Project = HERE,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Squash a fold into one below it; both messages, sources and authors are kept, and the tip tree stays.

    Example: stackproof squash pr-106-fix --into pr-106
    """

    def work(session: Session) -> Answer:
        from builder.edit.rearrange import plan_squash

        return edit(session, lambda desk: plan_squash(desk, fold, into=into), dry_run=dry_run)

    run("squash", work, root=project, as_json=as_json, offline=offline)
