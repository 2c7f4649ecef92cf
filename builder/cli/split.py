"""`stackproof split`: take a fold apart."""

from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.edits import DryRun, Reason, edit
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault

if TYPE_CHECKING:
    from builder.edit.rearrange import SplitOff


def split(
    fold: Annotated[str, typer.Argument(metavar="FOLD", help="BLOCK/ID, or an id that one fold has")],
    into: Annotated[
        list[str],
        typer.Option("--into", metavar="[BLOCK/]ID=GLOB[#HUNKS]", help="A part and its new fold (repeatable)"),
    ],
    project: Project = HERE,
    subject: Annotated[
        list[str] | None, typer.Option("--subject", metavar="ID=TEXT", help="The subject of a new fold (repeatable)")
    ] = None,
    reason: Reason = "",
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Split parts of a fold off as folds of their own, above it or in another block; the rest stays.

    Hunks are counted within each file of its fold.patch. The tip tree stays what it is.

    Examples: stackproof split pr-106 --into 'pr-106-tests=tests/**';
    stackproof split pr-106 --into 'checkpoint-keep/pr-106=tools/server/*.cpp#2' --subject 'pr-106=Keep it'
    """

    def work(session: Session) -> Answer:
        from builder.edit.rearrange import plan_split

        parts = _parts(into, subject or [])
        return edit(session, lambda desk: plan_split(desk, fold, parts, reason=reason), dry_run=dry_run)

    run("split", work, root=project, as_json=as_json, offline=offline)


def _parts(into: list[str], subjects: list[str]) -> "list[SplitOff]":
    from builder.edit.picks import read_pick
    from builder.edit.rearrange import SplitOff

    titles = dict(text.partition("=")[::2] for text in subjects)
    picks: dict[str, list[str]] = {}
    for text in into:
        name, equals, pick = text.partition("=")
        if not equals:
            raise InputFault(
                Diagnostic(
                    code="pick-malformed",
                    message=f"`{text}` does not say which part becomes which fold",
                    notes=("expected ID=GLOB or BLOCK/ID=GLOB#HUNKS",),
                    help="stackproof explain pick-malformed",
                )
            )
        picks.setdefault(name, []).append(pick)
    parts = []
    for name, texts in picks.items():
        block, _, fold = name.rpartition("/")
        subject = titles.get(fold, titles.get(name, ""))
        parts.append(SplitOff(block=block, fold=fold, picks=tuple(map(read_pick, texts)), subject=subject))
    return parts
