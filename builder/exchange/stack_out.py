"""A stack as others take it: a quilt series, a mail folder, a branch, one combined diff.

Every form is read back before it is written: what it gives must be the same folds, or the same tree, and if a form
cannot carry a fold that is told and nothing is written.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from builder.commit import make_commit, message
from builder.exchange.lay_submission import Refused, Rules, lay_submission
from builder.exchange.mail_out import fold_mail
from builder.tree import NewObject, Tree
from verify.diff.mail import read_messages
from verify.diff.submission import Dialect, parse_sections
from verify.diff.trailers import signed_off, written_with
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import CommitId, TreeId
from verify.model.patch import Mode
from verify.model.stack import Stack

NO_SEPARATOR = "0" * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesOut:
    """Files of a quilt series by name: `series`, each patch, and `blocks.json`, the map that import takes."""

    files: dict[str, bytes]


def quilt_series(blocks: tuple[Block, ...]) -> SeriesOut:
    """The folds as a quilt series, one folder a block."""
    findings = tuple(finding for block in blocks for fold in block.folds for finding in _not_for_quilt(fold))
    if findings:
        raise InputFault(*findings)
    folds = [(block, fold) for block in blocks for fold in block.folds]
    files = {
        f"{block.name}/{fold.id}.patch": fold_mail(fold, number=number, total=len(folds), separator="")
        for number, (block, fold) in enumerate(folds, start=1)
    }
    names = {block.name: [f"{block.name}/{fold.id}.patch" for fold in block.folds] for block in blocks}
    series = "".join(f"{name}\n" for name in files)
    text = json.dumps(names, indent=2) + "\n"
    return SeriesOut(files={**files, "series": series.encode(), "blocks.json": text.encode()})


def mail_folder(blocks: tuple[Block, ...], stack: Stack) -> bytes:
    """The folds as one mail folder, in stack order; the line that starts a message names the fold's commit."""
    commits = {(layer.block, layer.fold): layer.commit for layer in stack.layers}
    folds = [(block, fold) for block in blocks for fold in block.folds]
    mails = [
        fold_mail(fold, number=number, total=len(folds), separator=commits.get((block.name, fold.id), NO_SEPARATOR))
        for number, (block, fold) in enumerate(folds, start=1)
    ]
    data = b"".join(mails)
    read = [(item.subject, item.body, item.date) for item in read_messages(data)]
    if folds and read != [(fold.subject, fold.body, fold.date) for _, fold in folds]:
        raise ValueError("the mail folder does not read back as the folds that it was made of")
    return data


def combined_diff(blocks: tuple[Block, ...], base: Tree, tip: TreeId) -> bytes:
    """One canonical patch from the base to the tip, composed of the folds' own lines and proven to give that tree."""
    messages = [
        parse_sections(fold.patch_bytes, file=fold.patch_file, dialect=Dialect.GIT)
        for block in blocks
        for fold in block.folds
    ]
    made = lay_submission(messages, base, Rules(dialect=Dialect.GIT), file="combined.patch")
    if isinstance(made, Refused):
        raise InputFault(*made.findings)
    if made.tree.id != tip:
        raise ValueError("the combined diff does not give the tip's tree")
    return made.text


def block_commits(blocks: tuple[Block, ...], stack: Stack) -> tuple[NewObject, ...]:
    """One commit for each block, with every author of its folds named; the last one has the tip's tree."""
    made: list[NewObject] = []
    parent = stack.base_commit
    for block in blocks:
        tree = stack.block_tree(block.name)
        if tree is None or not block.folds:
            continue
        last = block.folds[-1]
        folds = "\n".join(f"- {fold.subject}" for fold in block.folds)
        trailers = (*credit_trailers(block), ("Stackproof-Block", block.name))
        text = message(subject=block.title, body=f"{block.why}\n\n{folds}", trailers=trailers)
        new = make_commit(tree=tree, parents=(parent,), author=last.author, date=last.date, text=text, file=block.file)
        made.append(new)
        parent = CommitId(new.id)
    return tuple(made)


def credit_trailers(block: Block) -> tuple[tuple[str, str], ...]:
    """Everybody who wrote or signed off a part of the block, but for its last fold's author, who is the commit's."""
    last = block.folds[-1].author
    authors: dict[str, None] = {}
    signed: dict[str, None] = {}
    for fold in block.folds:
        authors.update(dict.fromkeys((f"{fold.author.name} <{fold.author.email}>", *written_with(fold.body))))
        signed.update(dict.fromkeys(signed_off(fold.body)))
    authors.pop(f"{last.name} <{last.email}>", None)
    return (*(("Co-authored-by", who) for who in authors), *(("Signed-off-by", who) for who in signed))


def _not_for_quilt(fold: Fold) -> Iterator[Diagnostic]:
    """What GNU patch, which quilt runs, cannot do with a canonical patch."""
    for change in fold.patch.files:
        if change.binary is not None:
            what = "a binary file"
        elif Mode.SUBMODULE in (change.old_mode, change.new_mode):
            what = "a submodule"
        else:
            continue
        yield Diagnostic(
            code="not-for-quilt",
            message=f"fold `{fold.id}` changes {what}, which GNU patch cannot",
            place=Place(file=fold.patch_file, line=change.source_line),
            help="stackproof export mbox, or stackproof export git",
        )
