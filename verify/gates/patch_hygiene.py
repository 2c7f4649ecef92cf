"""Patch hygiene: what a fold adds carries no white space errors, stray line ends, conflict markers or mail headers.

Only added lines are looked at. A carriage return is an error unless the lines around it end so too, as in a file
with CRLF line ends. Two spaces at the end of a Markdown line are a line break and stay.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.patch import FileChange, Hunk
from verify.model.verdict import Failed, Outcome, Passed
from verify.model.wording import count as counted

_MAIL = re.compile(rb"From [0-9a-f]{40} Mon Sep 17 00:00:00 2001\r?\n?")
_MAIL_FIELD = re.compile(r"(?:From: .*@|Date: .*\d{4}|Subject: \[PATCH|Message-I[dD]: <|To: .*@|X-Mailer: )")
_MARKER = re.compile(rb"(?:<{7} .*|>{7} .*|\|{7} .*|={7})\r?\n?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every added line of every fold."""
    del params
    findings: list[Finding] = []
    count = 0
    for block in case.release.blocks:
        for fold in block.folds:
            findings.extend(_message(block, fold))
            for change in fold.patch.files:
                crlf = _uses_crlf(change)
                for line, text in _added(change):
                    count += 1
                    findings.extend(_line(fold, change, line, text, crlf))
    if findings:
        return Failed(summary=f"{counted(len(findings), 'fault')} in added lines", findings=tuple(findings))
    return Passed(summary=f"{counted(count, 'clean added line')}")


def _added(change: FileChange) -> Iterator[tuple[int, bytes]]:
    for hunk in change.hunks:
        yield from _added_in(hunk)


def _added_in(hunk: Hunk) -> Iterator[tuple[int, bytes]]:
    line = hunk.source_line
    for sign, text in hunk.lines:
        line += 1
        if sign == b"+":
            yield line, text
        if not text.endswith(b"\n"):
            line += 1  # the patch's own line about the missing line end


def _uses_crlf(change: FileChange) -> bool:
    kept = [text for hunk in change.hunks for sign, text in hunk.lines if sign != b"+"]
    return bool(kept) and all(text.endswith(b"\r\n") for text in kept if text.endswith(b"\n"))


def _line(fold: Fold, change: FileChange, line: int, text: bytes, crlf: bool) -> Iterator[Finding]:
    body = text.removesuffix(b"\n")
    if body.endswith(b"\r"):
        body = body[:-1]
        if not crlf:
            yield _finding("added-carriage-return", fold, line, "it ends in a carriage return")
    if b"\r" in body:
        yield _finding("added-carriage-return", fold, line, "it holds a carriage return")
    if body != body.rstrip(b" \t") and not _line_break(change, body):
        yield _finding("added-trailing-space", fold, line, "it ends in white space")
    if re.match(rb" +\t|\t+ +\t", body):
        yield _finding("added-space-before-tab", fold, line, "its indent has a space before a tab")
    if _MARKER.fullmatch(text):
        yield _finding("added-conflict-marker", fold, line, "it is a conflict marker")
    if _MAIL.fullmatch(text):
        yield _finding("added-mail-header", fold, line, "it is the first line of a mail folder's message")
    if not text.endswith(b"\n"):
        yield _finding("added-no-final-newline", fold, line, "the file ends without a line end")


def _message(block: Block, fold: Fold) -> Iterator[Finding]:
    """Header lines of the mail that a fold came in are no part of its message."""
    first = fold.body.split("\n\n")[0].split("\n") if fold.body else []
    for text in (fold.subject, *first):
        if _MAIL_FIELD.match(text) or text.startswith("[PATCH"):
            yield Diagnostic(
                code="message-mail-header",
                message=f"the message of fold `{fold.id}` holds a mail's header: `{text[:60]}`",
                place=Place(file=block.file),
                help=f"remove the line from `subject` or `body` of the fold in {block.file}",
            )


def _line_break(change: FileChange, body: bytes) -> bool:
    markdown = change.new_path is not None and change.new_path.lower().endswith(b".md")
    return markdown and body.endswith(b"  ") and not body.endswith(b"   ") and bool(body.strip())


def _finding(code: str, fold: Fold, line: int, why: str) -> Finding:
    return Diagnostic(
        code=code,
        message=f"fold `{fold.id}` adds a line with a fault: {why}",
        place=Place(file=fold.patch_file, line=line),
        help="stackproof checkout, mend the line, then stackproof sync",
    )


KIND = Kind(
    name="patch-hygiene",
    about="added lines carry no white space errors, carriage returns or conflict markers",
    scope=Scope.RELEASE,
    standing=False,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
