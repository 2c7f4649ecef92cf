"""A stack as a folder of patches in the forms that others keep: format-patch, StGit, Electron. Pure.

Each is read back before it is given away: a form that would lose a fold's message is not written.
"""

from builder.exchange.mail_out import fold_mail
from builder.exchange.patch_folder import stgit_message
from verify.diff.mail import Message, read_messages
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.stack import Stack

_ZERO = "0" * 40


def format_patch_folder(blocks: tuple[Block, ...], stack: Stack) -> dict[str, bytes]:
    """`NNNN-fold.patch` files, numbered over the whole stack, as `git am` takes them."""
    commits = {(layer.block, layer.fold): layer.commit for layer in stack.layers}
    folds = [(block, fold) for block in blocks for fold in block.folds]
    return {
        f"{number:04d}-{_name(block, fold)}.patch": fold_mail(
            fold, number=number, total=len(folds), separator=commits.get((block.name, fold.id), _ZERO)
        )
        for number, (block, fold) in enumerate(folds, start=1)
    }


def electron_folder(blocks: tuple[Block, ...]) -> dict[str, bytes]:
    """`.patches` with a name a line, and each patch without number or commit, so that one changes alone."""
    files: dict[str, bytes] = {}
    for block in blocks:
        for fold in block.folds:
            mail = fold_mail(fold, number=1, total=1, separator=_ZERO)
            plain = mail.replace(b"Subject: [PATCH 1/1] ", b"Subject: ", 1)
            files[f"{_name(block, fold)}.patch"] = plain if _message(plain) == _message(mail) else mail
    return {**files, ".patches": "".join(f"{name}\n" for name in files).encode()}


def stgit_folder(blocks: tuple[Block, ...], stack: Stack) -> dict[str, bytes]:
    """`series` and a patch for each fold, as `stg export` writes them and `stg import --series` reads them."""
    files: dict[str, bytes] = {}
    lost: list[Diagnostic] = []
    for block in blocks:
        for fold in block.folds:
            mail = _stgit(fold)
            read = stgit_message(read_messages(mail)[0])
            if (read.subject, read.body, read.author, read.date) != (fold.subject, fold.body, fold.author, fold.date):
                lost.append(_not_for_stgit(fold))
            files[_name(block, fold)] = mail
    if lost:
        raise InputFault(*lost)
    head = f"# This series applies on GIT commit {stack.base_commit}\n"
    return {**files, "series": (head + "".join(f"{name}\n" for name in files)).encode()}


def _stgit(fold: Fold) -> bytes:
    mail = fold_mail(fold, number=1, total=1, separator="").decode("utf-8", "surrogateescape")
    date = next(line for line in mail.split("\n") if line.startswith("Date: "))
    who = f"From: {fold.author.name} <{fold.author.email}>"
    body = f"{fold.body}\n" if fold.body else ""
    return f"{fold.subject}\n\n{who}\n{date}\n\n{body}---\n\n".encode() + fold.patch_bytes


def _message(mail: bytes) -> tuple[str, str]:
    read: Message = read_messages(mail)[0]
    return read.subject, read.body


def _name(block: Block, fold: Fold) -> str:
    return f"{block.name}-{fold.id}"


def _not_for_stgit(fold: Fold) -> Diagnostic:
    return Diagnostic(
        code="not-for-stgit",
        message=f"the message of fold `{fold.id}` would not come back from StGit's form",
        place=Place(file=fold.patch_file),
        notes=("a line of it is what that form takes for the author, the date or the end of the message",),
        help="stackproof export patches, or stackproof export git",
    )
