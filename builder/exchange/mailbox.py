"""A mail folder (or one mail) of patches on a folder as a project: one fold for each message that has a patch."""

from collections.abc import Iterator
from pathlib import Path

from builder.commit import root_commit
from builder.exchange.folder_tree import folder_tree
from builder.exchange.lay_submission import Rules
from builder.exchange.project import check_place, folder_source, write_project
from builder.exchange.stack_in import StackIn, Submission, slug, take_in
from verify.diff.mail import read_messages
from verify.diff.submission import Dialect, parse_sections
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId


def import_mailbox(
    *, orig: Path, mailbox: Path, dialect: Dialect, strip: int, block: str | None, out: Path, strict: bool
) -> StackIn:
    """Read every message on the folder and write the project."""
    check_place(orig, out)
    name = slug(out.absolute().name)
    base = folder_tree(orig)
    rules = Rules(dialect=dialect, strip=strip, drop_empty=False)
    taken = take_in(
        _submissions(mailbox, rules, BlockName(block or name)),
        base,
        CommitId(root_commit(base.id).id),
        titles={BlockName(block or name): f"Mails of {mailbox.name}"},
        strict=strict,
    )
    write_project(
        out,
        name=name,
        source=folder_source(orig, out),
        upstream_commit=None,
        blocks=taken.blocks,
        stack=taken.stack,
        sources={(report.block, report.fold): report.data for report in taken.reports},
    )
    return taken


def _submissions(mailbox: Path, rules: Rules, block: BlockName) -> Iterator[Submission]:
    found = 0
    for number, message in enumerate(read_messages(mailbox.read_bytes()), start=1):
        own = message.subject and message.author is not None
        if not own and not parse_sections(message.text, file=str(mailbox), dialect=rules.dialect):
            continue
        found += 1
        subject = f"Message {number} of {mailbox.name}"
        yield Submission(
            block=block,
            fold=message.subject or f"message-{number}",
            data=message.text,
            messages=(message,),
            rules=rules,
            file=str(mailbox),
            source=f"{subject}, line {message.first_line}",
            subject=subject,
        )
    if not found:
        raise InputFault(
            Diagnostic(
                code="mailbox-empty",
                message=f"{mailbox} holds no patch",
                help="stackproof explain mailbox-empty",
            )
        )
