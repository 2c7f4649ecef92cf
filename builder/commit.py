"""The commit that records one fold: the same bytes on every machine, since all of it comes from the fold.

Author and committer are the fold's author at the fold's date; the message is subject, body and two trailers that
name block and fold, so that a branch can be read back into a stack.
"""

import re

from builder.tree import NewObject, object_id
from verify.model.block import Block, Fold, Person
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import CommitId, TreeId

BLOCK_TRAILER = "Stackproof-Block"
FOLD_TRAILER = "Stackproof-Fold"
_DATE = re.compile(r"@(\d{1,11}) ([+-]\d{4})")
_TRAILER = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*: \S.*")
_NOT_IN_IDENTITY = re.compile(r"[\0\n<>]")


def fold_commit(*, fold: Fold, block: Block, tree: TreeId, parent: CommitId) -> NewObject:
    """The commit object of a fold of a block: this tree on this parent."""
    trailers = ((BLOCK_TRAILER, block.name), (FOLD_TRAILER, fold.id))
    text = message(subject=fold.subject, body=fold.body, trailers=trailers)
    return make_commit(tree=tree, parents=(parent,), author=fold.author, date=fold.date, text=text, file=block.file)


def root_commit(tree: TreeId) -> NewObject:
    """The commit that stands for a base without a commit of its own; it depends on the tree alone."""
    who = Person(name="stackproof", email="maintainers@stackproof.dev")
    return make_commit(tree=tree, parents=(), author=who, date="@0 +0000", text="Base\n", file="")


def make_commit(
    *, tree: TreeId, parents: tuple[CommitId, ...], author: Person, date: str, text: str, file: str
) -> NewObject:
    """A commit object; `file` is where the author and date were declared, for a fault's place."""
    when = _DATE.fullmatch(date)
    if when is None:
        raise _fault(f"the date {date!r} is not git's `@SECONDS +ZZZZ`", "for example: @1790000000 +0000", file)
    if _NOT_IN_IDENTITY.search(author.name + author.email) or not author.email.strip():
        raise _fault(f"the author {author.name!r} <{author.email}> cannot stand in a commit", "Name <email>", file)
    who = f"{author.name.strip()} <{author.email.strip()}> {int(when[1])} {when[2]}"
    head = [f"tree {tree}", *(f"parent {parent}" for parent in parents), f"author {who}", f"committer {who}"]
    data = ("\n".join(head) + "\n\n" + text).encode("utf-8", errors="surrogateescape")
    return NewObject("commit", object_id("commit", data), data)


def message(*, subject: str, body: str, trailers: tuple[tuple[str, str], ...]) -> str:
    """A commit message; the trailers join a last paragraph of trailers in the body."""
    parts = [subject.strip()]
    body = body.strip("\n")
    lines = "\n".join(f"{key}: {value}" for key, value in trailers)
    if body and _ends_in_trailers(body):
        parts.append(body + "\n" + lines)
    else:
        parts += [body, lines] if body else [lines]
    return "\n\n".join(part for part in parts if part) + "\n"


def _ends_in_trailers(body: str) -> bool:
    last = body.rsplit("\n\n", 1)[-1]
    return all(_TRAILER.fullmatch(line) for line in last.split("\n"))


def _fault(text: str, expected: str, file: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="fold-identity",
            message=text,
            place=Place(file=file),
            notes=(f"expected {expected}",),
            help="stackproof explain fold-identity",
        )
    )
