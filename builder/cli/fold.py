"""`stackproof fold`: take a submission into the stack, or record that it is not taken."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from builder.cli.edits import DryRun, Reason, alone, edit, finish, now, open_here, person, read_input
from builder.cli.options import HERE, AsJson, Offline, Project
from builder.cli.session import Answer, Session, run
from verify.model.diagnostic import Diagnostic, InputFault

if TYPE_CHECKING:
    from builder.edit.desk import Desk
    from builder.edit.offers import Offer
    from builder.edit.picks import Pick
    from builder.edit.take import Asked
    from verify.model.ids import BlobId

    Found = tuple[tuple[Offer, ...], Callable[[Desk], Callable[[BlobId], bytes | None]]]


def fold(
    patch: Annotated[
        str | None,
        typer.Argument(
            metavar="[PATCH|MBOX|-|BASE..TIP]", help="A patch, mails, stdin, or with --git a range", show_default=False
        ),
    ] = None,
    project: Project = HERE,
    block: Annotated[str, typer.Option("--block", metavar="NAME", help="The block that takes it")] = "",
    fold_id: Annotated[str, typer.Option("--id", metavar="ID", help="The fold's id (default: from the subject)")] = "",
    source: Annotated[
        str, typer.Option("--source", metavar="TEXT", help="Where it came from; a number is a pull request")
    ] = "",
    git: Annotated[Path | None, typer.Option("--git", metavar="REPO", help="Take BASE..TIP of this repository")] = None,
    as_one: Annotated[bool, typer.Option("--as-one", help="All messages become one fold")] = False,
    only: Annotated[
        list[str] | None, typer.Option("--only", metavar="GLOB[#HUNKS]", help="Take this part alone (repeatable)")
    ] = None,
    not_taken: Annotated[
        list[str] | None, typer.Option("--not-taken", metavar="GLOB[#HUNKS]", help="Leave this part out (repeatable)")
    ] = None,
    split: Annotated[
        list[str] | None,
        typer.Option("--split", metavar="BLOCK=GLOB[#HUNKS]|owners|@FILE", help="Divide it over blocks (repeatable)"),
    ] = None,
    after: Annotated[str, typer.Option("--after", metavar="FOLD", help="Behind this fold of the block")] = "",
    reason: Reason = "",
    disposition: Annotated[
        str,
        typer.Option(
            "--disposition", metavar="WORD", help="folded, or not taken: deferred, dropped, rejected, upstreamed"
        ),
    ] = "folded",
    numbers: Annotated[str, typer.Option("--numbers", metavar="TEXT", help="What was measured of one not taken")] = "",
    subject: Annotated[str, typer.Option("--subject", metavar="TEXT", help="Instead of the mail's subject")] = "",
    author: Annotated[str, typer.Option("--author", metavar="'NAME <EMAIL>'", help="For a patch that names none")] = "",
    licence: Annotated[str, typer.Option("--licence", metavar="ID", help="Of the files that it brings")] = "",
    update: Annotated[str, typer.Option("--update", metavar="FOLD", help="A new revision of what this fold took")] = "",
    dialect: Annotated[str, typer.Option("--dialect", metavar="git|gnu", help="Whose rules the patch follows")] = "git",
    strip: Annotated[int, typer.Option("-p", min=0, max=20, help="Folders to strip off every name")] = 1,
    dry_run: DryRun = False,
    as_json: AsJson = False,
    offline: Offline = False,
) -> None:
    """Take a submission into the stack: the bytes as sent are kept, author, date and message come from the mail.

    Without --block the block is the one that owns every file. With --update the old revision is compared with the new
    one, and what the maintainer resolved or left out stays. With another --disposition it is put on record only.

    Examples: stackproof fold 106.patch --block prefill-rotation --source "PR #106";
    stackproof fold series.mbox --split owners; stackproof fold 7.patch --only 'src/**' --reason "no claims yet";
    stackproof fold --git ../llama.cpp main..queue --as-one; stackproof fold 106-v2.patch --update pr-106;
    stackproof fold 9.patch --disposition rejected --reason "slower" --numbers "412 t/s against 431 t/s"
    """

    source = f"PR #{source}" if source.isdigit() else source

    def body(session: Session) -> Answer:
        from builder.edit.take import Asked

        rest = tuple(_picks(not_taken))
        if update:
            return _update(session, update, _offers(patch, git, source, dialect, strip, as_one=True), rest, reason,
                           source, dry_run=dry_run)  # fmt: skip
        asked = Asked(
            block=block,
            fold=fold_id,
            only=tuple(_picks(only)),
            without=rest,
            split=_split(split or []),
            by_owner="owners" in (split or []),
            after=after,
            reason=reason,
            subject=subject,
            author=person(author),
            date=f"@{now()} +0000",
            numbers=numbers,
            licence=licence,
        )

        def read() -> "Found":
            return _offers(patch, git, source, dialect, strip, as_one=as_one)

        return _take(session, asked, disposition, source, read, nothing_sent=patch is None, dry_run=dry_run)

    run("fold", body, root=project, as_json=as_json, offline=offline)


def _take(
    session: Session,
    asked: "Asked",
    disposition: str,
    source: str,
    read: "Callable[[], Found]",
    *,
    nothing_sent: bool,
    dry_run: bool,
) -> Answer:
    from builder.edit.take import plan_fold, plan_refusal
    from verify.model.block import Refusal

    if disposition == "folded":
        offers, blobs = read()
        return edit(session, lambda desk: plan_fold(desk, offers, asked, blobs(desk)), dry_run=dry_run)
    if disposition not in tuple(Refusal):
        raise InputFault(
            Diagnostic(
                code="disposition-unknown",
                message=f"there is no disposition `{disposition}`",
                notes=(f"folded, or one of {', '.join(Refusal)}",),
                help="what is taken in part or divided is said by --only, --not-taken and --split",
            )
        )
    sent = () if nothing_sent else read()[0]
    return edit(session, lambda desk: plan_refusal(desk, sent, asked, Refusal(disposition), source), dry_run=dry_run)


def _update(
    session: Session, name: str, found: "Found", rest: "tuple[Pick, ...]", reason: str, source: str, *, dry_run: bool
) -> Answer:
    from dataclasses import replace

    from builder.edit.change import Change
    from builder.edit.revise import plan_update

    offers, blobs = found
    with alone(session, dry_run=dry_run):
        desk = open_here(session)
        revision = plan_update(
            desk, name, offers[0], without=rest, reason=reason, source=source,
            blobs=blobs(desk),
        )  # fmt: skip
        more = {
            "interdiff": revision.interdiff.decode("utf-8", "backslashreplace"),
            "replayed": revision.replayed,
            "taken": {"head": revision.old_head or None, "sha256": revision.old_sha256},
            "current": {"head": revision.new_head or None, "sha256": revision.new_sha256},
        }
        head = [
            f"taken was {revision.old_head or 'sha256 ' + revision.old_sha256}",
            f"now is    {revision.new_head or 'sha256 ' + revision.new_sha256}",
            "interdiff of the two revisions:" if revision.interdiff else "the two revisions do the same",
            *revision.interdiff.decode("utf-8", "backslashreplace").rstrip("\n").split("\n"),
        ]
        if isinstance(revision.change, Change):
            own = "the maintainer's own changes are laid on it again"
            head.append(own if revision.replayed else "taken as it was sent")
        answer = finish(session, desk, revision.change, dry_run=dry_run, more=more)
        return replace(answer, text="\n".join([*head, answer.text]).rstrip("\n"))


def _offers(patch: str | None, git: Path | None, source: str, dialect: str, strip: int, *, as_one: bool) -> "Found":
    from builder.edit.offers import read_offers, read_range
    from builder.exchange.lay_submission import Rules
    from verify.diff.submission import Dialect

    if patch is None:
        raise InputFault(
            Diagnostic(code="patch-file-missing", message="no patch is named", help="stackproof fold PATCH, or `-`")
        )
    if dialect not in tuple(Dialect):
        raise InputFault(
            Diagnostic(code="dialect-unknown", message=f"there is no dialect `{dialect}`", help="--dialect git")
        )
    rules = Rules(dialect=Dialect(dialect), strip=strip, drop_empty=dialect == "gnu")
    if git is None:
        offers = read_offers(read_input(patch), file=patch, source=source, rules=rules, as_one=as_one)
        return offers, lambda desk: desk.blob
    offers, theirs = read_range(git, patch, source=source, rules=rules, as_one=as_one)
    return offers, lambda desk: lambda name: desk.blob(name) or theirs(name)


def _picks(texts: list[str] | None) -> "list[Pick]":
    from builder.edit.picks import read_pick

    return [read_pick(text) for text in texts or []]


def _split(texts: list[str]) -> "tuple[tuple[str, Pick], ...]":
    from builder.edit.picks import read_pick, read_split_file

    found: list[tuple[str, Pick]] = []
    for text in texts:
        if text == "owners":
            continue
        if text.startswith("@"):
            found += read_split_file(read_input(text[1:]), text[1:])
            continue
        name, equals, pick = text.partition("=")
        if not equals:
            raise InputFault(
                Diagnostic(
                    code="pick-malformed",
                    message=f"`{text}` does not say which block takes which part",
                    notes=("expected BLOCK=GLOB, BLOCK=GLOB#HUNKS, owners, or @FILE",),
                    help="--split alpha='src/a.cpp#1,3' --split beta='src/**'",
                )
            )
        found.append((name, read_pick(pick)))
    return tuple(found)
