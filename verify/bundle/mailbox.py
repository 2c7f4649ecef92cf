"""Checks the mail form of the series by reading it back: a mail can lose what a message or a patch says (hazard E7)."""

from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import MAILBOX
from verify.bundle.stack import BundleFold
from verify.diff.mail import Message, read_messages
from verify.model.block import Person
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName
from verify.model.verdict import Outcome

_SIGNATURE = b"-- \nstackproof\n\n"


def check_mailbox(bundle: Bundle) -> Outcome:
    """Every fold comes back from its mail: author, date, message and the bytes of its patch, in order."""
    data = bundle.data(MAILBOX)
    if data is None:
        return ruled([finding("bundle-mail-differs", f"`{MAILBOX}` is missing", MAILBOX)], "")
    folds = bundle.stack.folds()
    mails = read_messages(data) if data else ()
    if len(mails) != len(folds):
        message = f"`{MAILBOX}` has not one mail for each fold"
        return ruled([differs("bundle-mail-differs", message, MAILBOX, met=len(mails), expected=len(folds))], "")
    findings = [
        each
        for mail, (block, fold) in zip(mails, folds, strict=True)
        for each in _mail(mail, block, fold, bundle.data(fold.patch))
    ]
    return ruled(findings, f"{len(folds)} mails read back as the folds that they were made of")


def _mail(mail: Message, block: BlockName, fold: BundleFold, patch: bytes | None) -> list[Diagnostic]:
    where = f"the mail of fold `{fold.id}` of block `{block}`"
    trailers = f"Stackproof-Block: {block}\nStackproof-Fold: {fold.id}\n"
    said = mail.subject + (f"\n\n{mail.body}" if mail.body else "")
    author = mail.author or Person(name="", email="")
    findings = [
        differs("bundle-mail-differs", f"{where} has another {what}", MAILBOX, met=met, expected=expected)
        for what, met, expected in (
            ("commit", mail.text.split(b" ", 2)[1:2], [fold.commit.encode()]),
            ("author", f"{author.name} <{author.email}>", f"{fold.author.name} <{fold.author.email}>"),
            ("date", mail.date, fold.date),
            ("message", said, fold.message.removesuffix(trailers).rstrip("\n")),
        )
        if met != expected
    ]
    if not mail.text.endswith((patch or b"") + _SIGNATURE):
        findings.append(finding("bundle-mail-differs", f"{where} does not end with its patch", MAILBOX))
    return findings
