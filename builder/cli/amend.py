"""`stackproof amend`: change a fold in place."""

from typing import Annotated

import typer

from builder.cli.edits import DryRun, edit, person, read_input
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run

Text = str | None


def amend(
    fold: Annotated[str, typer.Argument(metavar="FOLD", help="BLOCK/ID, or an id that one fold has")],
    patch: Annotated[
        str | None, typer.Argument(metavar="[PATCH|-]", help="A change to lay on top of it", show_default=False)
    ] = None,
    project: Project = HERE,
    subject: Annotated[Text, typer.Option("--subject", metavar="TEXT", help="Another subject")] = None,
    body: Annotated[Text, typer.Option("--body", metavar="TEXT", help="Another body")] = None,
    author: Annotated[str, typer.Option("--author", metavar="'NAME <EMAIL>'", help="Another author")] = "",
    date: Annotated[Text, typer.Option("--date", metavar="'@SECONDS +ZZZZ'", help="Another date")] = None,
    source: Annotated[Text, typer.Option("--source", metavar="TEXT", help="Where the change came from")] = None,
    reason: Annotated[Text, typer.Option("--reason", metavar="TEXT", help="What is not as submitted, and why")] = None,
    licence: Annotated[Text, typer.Option("--licence", metavar="ID", help="Of the files that it brings")] = None,
    strip: Annotated[int, typer.Option("-p", min=0, max=20, help="Folders to strip off every name")] = 1,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Lay a change on top of a fold and make it one with it, or give it another message, author or reason.

    A patch that was made on the tip finds its place below by the files that it names; folds above are laid again.

    Examples: git -C ../stack diff --full-index | stackproof amend prefill-rotation/pr-106 -;
    stackproof amend pr-106 --subject "server : take turns"
    """

    def work(session: Session) -> Answer:
        from builder.edit.offers import read_offers
        from builder.edit.revise import Fields, plan_amend
        from builder.exchange.lay_submission import Rules
        from verify.diff.submission import Dialect

        rules = Rules(dialect=Dialect.GIT, strip=strip, drop_empty=False)
        offers = (
            () if patch is None else read_offers(read_input(patch), file=patch, source="", rules=rules, as_one=True)
        )
        fields = Fields(
            subject=subject, body=body, author=person(author), date=date, source=source, reason=reason, licence=licence
        )
        return edit(session, lambda desk: plan_amend(desk, fold, offers, fields, desk.blob), dry_run=dry_run)

    run("amend", work, root=project, as_json=as_json, offline=offline)
