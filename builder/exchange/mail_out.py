"""A fold as a mail: for people, for `git am` and for quilt, and proven by being read back.

A message may hold lines that every mail tool takes for the start of the patch (`---`, `diff --git`), or a subject tag
that they drop. Such a message is shown with those lines set in by a space, and travels whole in a header of its own,
which our import prefers. So the mail form loses nothing and is still only an export.
"""

import re
from base64 import b64encode
from email.header import Header
from email.utils import formataddr, formatdate

from verify.diff.mail import MESSAGE_HEADER, read_messages
from verify.model.block import Fold

_MISREAD = re.compile(r"(?m)^(?=-{3}$|diff |Index: |--- |={60,}|@@ |From |>+From |From: )")
_DATE = re.compile(r"@(\d+) ([+-])(\d\d)(\d\d)")


def fold_mail(fold: Fold, *, number: int, total: int, separator: str) -> bytes:
    """The mail of a fold; `separator` is the commit id of the line that starts a message in a mail folder, or empty."""
    plain = _mail(fold, f"[PATCH {number}/{total}] {fold.subject}", fold.body, separator, whole=False)
    read = [(message.subject, message.body) for message in read_messages(plain)]
    if read == [(fold.subject, fold.body)]:
        return plain
    return _mail(fold, f"[PATCH {number}/{total}] {fold.subject}", _MISREAD.sub(" ", fold.body), separator, whole=True)


def _mail(fold: Fold, subject: str, body: str, separator: str, *, whole: bool) -> bytes:
    head = [f"From {separator} Mon Sep 17 00:00:00 2001"] if separator else []
    head.append(f"From: {_address(fold)}")
    head.append(f"Date: {_date(fold.date)}")
    head.append(f"Subject: {_encoded(subject)}")
    if whole:
        packed = b64encode(f"{fold.subject}\n\n{fold.body}".encode()).decode()
        head.append(f"{MESSAGE_HEADER}: {packed}")
    head += ["MIME-Version: 1.0", "Content-Type: text/plain; charset=UTF-8", "Content-Transfer-Encoding: 8bit", ""]
    text = "\n".join([*head, body, "---", "", ""]) if body else "\n".join([*head, "---", "", ""])
    return text.encode("utf-8") + fold.patch_bytes + b"-- \nstackproof\n\n"


def _address(fold: Fold) -> str:
    return formataddr((fold.author.name, fold.author.email), charset="utf-8")


def _encoded(text: str) -> str:
    return text if text.isascii() else Header(text, "utf-8", maxlinelen=0).encode(linesep="", maxlinelen=0)


def _date(date: str) -> str:
    match = _DATE.fullmatch(date)
    if match is None:
        return formatdate(0)
    offset = (int(match[3]) * 60 + int(match[4])) * 60 * (-1 if match[2] == "-" else 1)
    stamp = formatdate(int(match[1]) + offset)
    return f"{stamp.rpartition(' ')[0]} {match[2]}{match[3]}{match[4]}"
