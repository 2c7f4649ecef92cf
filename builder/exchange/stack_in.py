"""Submissions to folds: each laid on the tree that the ones before it left, with all that its header says.

What comes out is a stack that needs no second look: blocks with canonical patches, a layer for each fold, and the
fate of every hunk. The first submission that is refused ends the import, since all behind it may rest on it; its
findings name every hunk that did not fit.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from builder.commit import fold_commit
from builder.exchange.lay_submission import HunkFate, Recorded, Refused, Rules, SectionNote, Taken, lay_submission
from builder.placement import Fate
from builder.tree import Tree
from verify.diff.mail import Message
from verify.diff.submission import Section, parse_sections
from verify.diff.trailers import signed_off, submitted_credit, written_with
from verify.manifest.scalars import is_credit
from verify.model.block import Block, Disposition, Fold, Person
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import BlockName, CommitId, FoldId, RepoPath
from verify.model.stack import Layer, Stack

NOT_STATED = Person(name="Author not stated", email="author@not-stated")
NO_DATE = "@0 +0000"
_NOT_IN_NAME = re.compile(r"[^a-z0-9.+-]+")
_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")
_NOT_IN_GLOB = re.compile(r"[*?\\]|[^\x20-\x7e\xa0-\u1fff\u2070-\ud7ff]")
_LONGEST_SUBJECT = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One fold to be: the bytes as sent, its messages, how to read it, and into which block it goes.

    `fold` is its id (made unique within the block), `source` says in words where it came from.
    """

    block: BlockName
    fold: str
    data: bytes
    messages: tuple[Message, ...]
    rules: Rules
    file: str
    source: str
    subject: str
    keep_message: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldReport:
    """What was done for one fold: every hunk's fate, sections that did something else, and the submitted bytes."""

    block: BlockName
    fold: FoldId
    data: bytes
    fates: tuple[HunkFate, ...]
    notes: tuple[SectionNote, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StackIn:
    """The imported stack: its blocks, its layers on the base, a report for each fold, the tree at the tip."""

    blocks: tuple[Block, ...]
    stack: Stack
    reports: tuple[FoldReport, ...]
    tip: Tree


def take_in(
    submissions: Iterable[Submission],
    base: Tree,
    base_commit: CommitId,
    *,
    titles: dict[BlockName, str],
    strict: bool = False,
    recorded: Recorded | None = None,
) -> StackIn:
    """Every submission in order; raises `InputFault` with all findings of the first one that is refused."""
    tree = base
    folds: dict[BlockName, list[Fold]] = {}
    taken: list[tuple[Submission, Fold, Tree, Taken]] = []
    for submission in submissions:
        result = lay_submission(_sections(submission), tree, submission.rules, file=submission.file, recorded=recorded)
        if isinstance(result, Refused):
            raise InputFault(*result.findings)
        if strict and (loose := _loose(submission, result)):
            raise InputFault(*loose)
        names = folds.setdefault(submission.block, [])
        fold = _fold(submission, result, {fold.id for fold in names})
        names.append(fold)
        taken.append((submission, fold, tree, result))
        tree = result.tree
    blocks = tuple(_block(name, titles.get(name, name), tuple(items)) for name, items in folds.items())
    by_name = {block.name: block for block in blocks}
    layers: list[Layer] = []
    parent = base_commit
    for submission, fold, before, result in taken:
        new = fold_commit(fold=fold, block=by_name[submission.block], tree=result.tree.id, parent=parent)
        parent = CommitId(new.id)
        layers.append(
            Layer(
                block=submission.block,
                fold=fold.id,
                before=before.id,
                after=result.tree.id,
                commit=parent,
                files=result.files,
            )
        )
    return StackIn(
        blocks=blocks,
        stack=Stack(base_tree=base.id, base_commit=base_commit, layers=tuple(layers)),
        reports=tuple(
            FoldReport(block=item.block, fold=fold.id, data=item.data, fates=result.fates, notes=result.notes)
            for item, fold, _, result in taken
        ),
        tip=tree,
    )


def _sections(submission: Submission) -> Sequence[tuple[Section, ...]]:
    dialect = submission.rules.dialect
    return [
        parse_sections(message.text, file=submission.file, dialect=dialect, first_line=message.first_line)
        for message in submission.messages
    ]


def _loose(submission: Submission, taken: Taken) -> list[Diagnostic]:
    found = []
    for fate in taken.fates:
        if fate.placement.fate in (Fate.OFFSET, Fate.AMBIGUOUS, Fate.MERGED):
            text = f"hunk {fate.number} does not stand exactly at its line"
            notes = (f"stated line {fate.placement.line - fate.placement.offset}, placed at {fate.placement.line}",)
            place = Place(file=submission.file, line=fate.source_line)
            found.append(
                Diagnostic(
                    code="hunk-not-exact",
                    message=text,
                    place=place,
                    notes=(*notes, *fate.placement.notes),
                    help="stackproof explain hunk-not-exact",
                )
            )
    return found


def _fold(submission: Submission, taken: Taken, names: set[FoldId]) -> Fold:
    first = next((message for message in submission.messages if message.subject), submission.messages[0])
    subject, body = (first.subject, first.body) if submission.keep_message else _message(submission, first)
    author = next((message.author for message in submission.messages if message.author is not None), None)
    date = next((message.date for message in submission.messages if message.date is not None), NO_DATE)
    fold = _unique(slug(submission.fold), names)
    return Fold(
        id=fold,
        subject=subject,
        body=_with_credit(body, submission.data),
        author=_credit(author),
        date=date,
        source=submission.source,
        disposition=Disposition.FOLDED,
        reason="",
        patch=taken.patch,
        patch_bytes=taken.text,
        patch_file=f"blocks/{submission.block}/folds/{fold}/fold.patch",
    )


def _message(submission: Submission, first: Message) -> tuple[str, str]:
    subject = _UNSEEN.sub("", first.subject).replace("\t", " ").strip() or submission.subject
    body = _UNSEEN.sub("", first.body).strip("\n")
    if len(subject) > _LONGEST_SUBJECT:
        cut = subject.rfind(" ", 0, _LONGEST_SUBJECT)
        cut = cut if cut > 0 else _LONGEST_SUBJECT
        subject, body = subject[:cut].strip(), f"{subject[cut:].strip()}\n\n{body}".strip("\n")
    return subject, body if body.strip() else ""


def _with_credit(body: str, data: bytes) -> str:
    """The body with each credit of the submission that stood elsewhere, as in the fields of a DEP-3 header."""
    submitted = submitted_credit(data)
    signed, authors = signed_off(body), written_with(body)
    lost = [f"Co-authored-by: {who}" for who in submitted.written_with if who not in authors]
    lost += [f"Signed-off-by: {who}" for who in submitted.signed_off if who not in signed]
    if not lost:
        return body
    gap = "\n" if signed or authors else "\n\n"
    return f"{body}{gap if body else ''}" + "\n".join(_UNSEEN.sub("", line) for line in lost)


def _credit(author: Person | None) -> Person:
    """The author as a fold can state him; an address that is none is kept readable in the name."""
    if author is None:
        return NOT_STATED
    name = " ".join(_UNSEEN.sub("", re.sub(r'[<>"]', "", author.name)).split())
    clean = Person(name=name, email=author.email.strip())
    if is_credit(clean):
        return clean
    stand_in = Person(name=name or NOT_STATED.name, email=NOT_STATED.email)
    return stand_in if is_credit(stand_in) else NOT_STATED


def _block(name: BlockName, title: str, folds: tuple[Fold, ...]) -> Block:
    return Block(
        name=name,
        title=title,
        why=f"Imported from {title}.",
        until="Not said yet.",
        owns=tuple(sorted({_glob(path) for fold in folds for path in _paths(fold)})) or ("nothing",),
        requires=(),
        switches=(),
        claims=(),
        gates=(),
        folds=folds,
        file=f"blocks/{name}/block.yaml",
    )


def _paths(fold: Fold) -> Iterator[RepoPath]:
    for change in fold.patch.files:
        yield from (path for path in (change.old_path, change.new_path) if path is not None)


def _glob(path: RepoPath) -> str:
    """A glob that matches the path; what a glob cannot spell is matched by `?`, one for each byte."""
    text = path.decode("utf-8", "surrogateescape")
    spelled = "".join("?" * len(c.encode("utf-8", "surrogateescape")) if _NOT_IN_GLOB.match(c) else c for c in text)
    return re.sub(r"^\s|\s$", "?", spelled)


def slug(text: str) -> str:
    """A name as blocks and folds have, out of any text."""
    plain = _NOT_IN_NAME.sub("-", text.lower()).strip("-.+")[:72].strip("-.+")
    return plain or "patch"


def _unique(name: str, names: set[FoldId]) -> FoldId:
    number, found = 2, name
    while found in names:
        found = f"{name}-{number}"
        number += 1
    return FoldId(found)
