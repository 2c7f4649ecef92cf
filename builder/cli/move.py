"""`stackproof move`: a fold to another place."""

from typing import Annotated

import typer

from builder.cli.edits import DryRun, edit
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run


def move(
    fold: Annotated[str, typer.Argument(metavar="FOLD", help="BLOCK/ID, or an id that one fold has")],
    project: Project = HERE,
    to: Annotated[str, typer.Option("--to", metavar="BLOCK", help="The block (default: its own)")] = "",
    before: Annotated[str, typer.Option("--before", metavar="FOLD", help="In front of this fold of it")] = "",
    after: Annotated[str, typer.Option("--after", metavar="FOLD", help="Behind this fold of it")] = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Move a fold to the end of a block, or beside one of its folds; the tip tree stays what it is.

    Examples: stackproof move prefill-rotation/unified --to checkpoint-keep; stackproof move pr-7 --before pr-106
    """

    def work(session: Session) -> Answer:
        from builder.edit.rearrange import plan_move

        return edit(session, lambda desk: plan_move(desk, fold, to=to, before=before, after=after), dry_run=dry_run)

    run("move", work, root=project, as_json=as_json, offline=offline)
