"""`stackproof drop`: folds or a block out of the release, on record, with what must not come back."""

from typing import Annotated

import typer

from builder.cli.edits import DryRun, edit
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault


def drop(
    reason: Annotated[str, typer.Option("--reason", metavar="TEXT", help="Why; recorded with the patch")],
    folds: Annotated[
        list[str] | None, typer.Argument(metavar="[FOLD…]", help="BLOCK/ID, or an id that one fold has")
    ] = None,
    project: Project = HERE,
    block: Annotated[str, typer.Option("--block", metavar="BLOCK", help="Drop this whole block")] = "",
    tombstone: Annotated[
        list[str] | None,
        typer.Option("--tombstone", metavar="TEXT", help="A word that no fold may add again (repeatable)"),
    ] = None,
    paths: Annotated[
        list[str] | None, typer.Option("--in", metavar="GLOB", help="Look for it in these files alone (repeatable)")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Drop folds, or a block: record them as dropped and keep their patches beside the record.

    A tombstone is checked by every `stackproof check` from then on.

    Examples: stackproof drop pr-106 --reason "it races" --tombstone server_queue_old;
    stackproof drop --block prefill-rotation --reason "upstream has it"
    """

    def work(session: Session) -> Answer:
        from builder.edit.rearrange import plan_drop, plan_drop_block

        buried, where = tuple(tombstone or ()), tuple(paths or ())
        if bool(folds) == bool(block):
            raise InputFault(
                Diagnostic(
                    code="drop-what",
                    message="either folds are dropped, or one block",
                    help="stackproof drop FOLD… --reason TEXT, or stackproof drop --block BLOCK --reason TEXT",
                )
            )
        if block:
            return edit(
                session,
                lambda desk: plan_drop_block(desk, block, reason=reason, buried=buried, paths=where),
                dry_run=dry_run,
            )
        return edit(
            session,
            lambda desk: plan_drop(desk, folds or (), reason=reason, buried=buried, paths=where),
            dry_run=dry_run,
        )

    run("drop", work, root=project, as_json=as_json, offline=offline)
