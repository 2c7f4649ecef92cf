"""`stackproof reorder`: the folds of a block, or the blocks, in another order."""

from typing import Annotated

import typer

from builder.cli.edits import DryRun, edit
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run


def reorder(
    names: Annotated[list[str], typer.Argument(metavar="NAME…", help="All of them, in the new order")],
    project: Project = HERE,
    block: Annotated[str, typer.Option("--block", metavar="BLOCK", help="Order the folds of this block")] = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Reorder the folds of a block, or without --block the blocks themselves.

    Refused where they do not commute: a hunk that would meet other files than it can, or another tip tree.

    Examples: stackproof reorder --block prefill-rotation unified rotate;
    stackproof reorder checkpoint-keep prefill-rotation
    """

    def work(session: Session) -> Answer:
        from builder.edit.rearrange import plan_reorder

        return edit(session, lambda desk: plan_reorder(desk, names, block=block), dry_run=dry_run)

    run("reorder", work, root=project, as_json=as_json, offline=offline)
