"""What is offered to be folded: patches, mails, mail folders, pull-request patches and git ranges, message by message.

An offer keeps its bytes as they were sent. A message without a patch (a cover letter) is no offer. A range of commits
is read as git's own mails, with whole blob ids, so that every hunk can be compared with the file it was made on.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from builder.exchange.git_range import git_dir_of
from builder.exchange.lay_submission import Rules
from builder.store import Store
from verify.diff.mail import Message, read_messages
from verify.diff.submission import Section, parse_sections
from verify.git import Git, GitFailed
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId

_HEAD = re.compile(rb"^From ([0-9a-f]{40}) Mon Sep 17 00:00:00 2001\r?$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """One change that is offered: its bytes, its messages with the sections of each, and the commit that it says it is.

    `source` says in words where it came from.
    """

    data: bytes
    messages: tuple[Message, ...]
    sections: tuple[tuple[Section, ...], ...]
    rules: Rules
    file: str
    source: str
    head: str

    def all_sections(self) -> tuple[Section, ...]:
        """The sections of every message, in order."""
        return tuple(section for sections in self.sections for section in sections)


def read_offers(data: bytes, *, file: str, source: str, rules: Rules, as_one: bool) -> tuple[Offer, ...]:
    """Every message with a patch; as one offer when `as_one`."""
    # A mail that was encoded for its way is read decoded, and kept as it came.
    sent = [each.text for each in read_messages(data, decode=False)]
    read = [(each, _sections(each, file, rules)) for each in read_messages(data)]
    with_patch = [(message, sections, raw) for (message, sections), raw in zip(read, sent, strict=True) if sections]
    if not with_patch:
        raise InputFault(
            Diagnostic(
                code="offer-empty",
                message=f"{file} holds no patch",
                notes=(f"read as {len(read)} message{'s' * (len(read) != 1)}",),
                help="stackproof explain offer-empty",
            )
        )
    pairs = [(message, sections) for message, sections, _ in with_patch]
    if as_one or len(with_patch) == 1:
        return (_offer(pairs, data=data, file=file, source=source, rules=rules),)
    return tuple(
        _offer([(message, sections)], data=raw, file=file, source=source, rules=rules)
        for message, sections, raw in with_patch
    )


def read_range(
    repository: Path, revisions: str, *, source: str, rules: Rules, as_one: bool
) -> tuple[tuple[Offer, ...], Callable[[BlobId], bytes | None]]:
    """The commits of `BASE..TIP`, and how to find the files that they were made on."""
    git_dir = git_dir_of(repository)
    base, dots, tip = revisions.partition("..")
    if not dots or not base or tip.startswith((".", "-")) or base.startswith("-"):
        raise _fault("range-wrong", f"`{revisions}` is not BASE..TIP", "git log --oneline BASE..TIP")
    git = Git(git_dir=git_dir, cwd=git_dir)
    limits = ("--end-of-options", f"{base}..{tip or 'HEAD'}")
    try:
        merges = git.text("rev-list", "--merges", *limits).split()
        mails = git.run(
            "format-patch", "--stdout", "--keep-subject", "--full-index", "--binary", "--no-signature", "--no-stat",
            "--no-renames", "--no-ext-diff", "--no-textconv", "--no-attach", "--no-thread", "--no-cover-letter",
            "--no-base", "--no-notes", "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", *limits,
        )  # fmt: skip
    except GitFailed as error:
        raise _fault(
            "range-unknown", f"git does not know the range `{revisions}`: {error.output}", "git log"
        ) from error
    if merges:
        text = f"commit {merges[0]} is a merge, and a fold is one change on one tree"
        raise _fault("range-merge", text, f"git rebase {base} (without merges) on a branch of its own, then fold that")
    store = Store.open(git_dir)

    def blob(name: BlobId) -> bytes | None:
        return store.blob(name) if store.has(name) else None

    return read_offers(mails, file=revisions, source=source, rules=rules, as_one=as_one), blob


def _sections(message: Message, file: str, rules: Rules) -> tuple[Section, ...]:
    return parse_sections(message.text, file=file, dialect=rules.dialect, first_line=message.first_line)


def _offer(
    pairs: list[tuple[Message, tuple[Section, ...]]], *, data: bytes, file: str, source: str, rules: Rules
) -> Offer:
    heads = _HEAD.findall(data)
    head = heads[-1].decode() if heads else ""
    return Offer(
        data=data,
        messages=tuple(message for message, _ in pairs),
        sections=tuple(sections for _, sections in pairs),
        rules=rules,
        file=file,
        source=source or (f"commit {head}" if head else file),
        head=head,
    )


def _fault(code: str, message: str, step: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, help=step))
