"""`stackproof rename`: another id for a fold, another name for a block."""

from typing import Annotated

import typer

from builder.cli.edits import DryRun, edit
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run


def rename(
    old: Annotated[str, typer.Argument(metavar="OLD", help="A fold (BLOCK/ID or ID), or with --block a block")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The new id or name")],
    project: Project = HERE,
    block: Annotated[bool, typer.Option("--block", help="Rename a block; blocks that require it follow")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Rename a fold or a block: its folder and every place that names it; no tree changes.

    Examples: stackproof rename pr-106 take-turns; stackproof rename --block prefill-rotation turns
    """

    def work(session: Session) -> Answer:
        from builder.edit.rearrange import plan_rename_block, plan_rename_fold

        plan = plan_rename_block if block else plan_rename_fold
        return edit(session, lambda desk: plan(desk, old, new), dry_run=dry_run)

    run("rename", work, root=project, as_json=as_json, offline=offline)
