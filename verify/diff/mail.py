"""What stands around a submitted patch: mails, mail folders, DEP-3 headers, free text; who wrote it, when and why.

A file may hold several messages, or a bare patch followed by mails. Bodies of mails that were encoded for transport
are decoded. Only what a header says is taken; a patch without an author or a date says so with None.
"""

import binascii
import quopri
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from email.errors import HeaderParseError
from email.header import decode_header
from email.utils import mktime_tz, parseaddr, parsedate_tz

from verify.model.block import Person

MESSAGE_HEADER = "X-Stackproof-Message"  # a message that the mail form would not carry whole: base64 of its text

_SEPARATOR = re.compile(
    rb"^From (?:[0-9a-f]{40} Mon Sep 17 00:00:00 2001|\S+ +(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} .*\d{4})\r?$",
    re.MULTILINE,
)
_FIELD = re.compile(rb"([A-Za-z][A-Za-z0-9-]*)[ \t]*:(?:[ \t]|$)(.*)", re.DOTALL)
_PATCH_STARTS = re.compile(rb"(?:diff --git |Index: |--- \S|={60,}|@@ -\d)")
_TAG = re.compile(r"\b(?:PATCH|RFC)\b", re.IGNORECASE)
_LONGEST_FIELD = 1 << 16  # a header that is longer says nothing that a fold could keep
_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a submission: its text (with the patch), where it starts, and what its header says.

    `date` is git's raw form, `@SECONDS +ZZZZ`.
    """

    text: bytes
    first_line: int
    subject: str
    body: str
    author: Person | None
    date: str | None


def read_messages(data: bytes, *, decode: bool = True) -> tuple[Message, ...]:
    """Every message in the order of the file; one for a file that is no mail folder."""
    starts = [match.start() for match in _SEPARATOR.finditer(data)]
    if not starts or starts[0] > 0:
        starts = [0, *starts]
    ends = [*starts[1:], len(data)]
    pieces = []
    line = 1
    for start, end in zip(starts, ends, strict=True):
        pieces.append((data[start:end], line))
        line += data.count(b"\n", start, end)
    kept = [piece for piece in pieces if piece[0].strip()] or pieces[:1]
    return tuple(_message(text, line, decode=decode) for text, line in kept)


def _message(text: bytes, first_line: int, *, decode: bool) -> Message:
    lines = text.split(b"\n")
    fields, behind = _header(lines)
    if decode and (encoding := fields.get("content-transfer-encoding", b"").strip().lower()):
        plain = _decoded(b"\n".join(lines[behind:]), encoding)
        text = b"\n".join(lines[:behind]) + b"\n" + plain
        lines = text.split(b"\n")
    whole = _whole_message(fields.get(MESSAGE_HEADER.lower(), b""))
    subject, long = _subject(fields)
    prose = list(_prose(lines[behind:]))
    author = _person(fields.get("from", fields.get("author", b"")))
    if "from" in fields and prose:
        inner, rest = _inner_author(prose)
        author, prose = inner or author, rest
    body = "\n".join(filter(None, (long, _text(b"\n".join(prose)).strip("\n")))).strip("\n")
    if whole is not None:
        subject, body = whole
    return Message(
        text=text,
        first_line=first_line,
        subject=subject,
        body=body,
        author=author,
        date=_date(fields),
    )


def _header(lines: list[bytes]) -> tuple[dict[str, bytes], int]:
    """The header's fields (first of each name) and the line behind it; none when the text starts otherwise."""
    fields: dict[str, bytes] = {}
    at = 0
    if lines and _SEPARATOR.match(lines[0]):
        at = 1
    while at < len(lines) and at < 3 and not lines[at].strip():
        at += 1
    start, name = at, ""
    while at < len(lines):
        line = lines[at].removesuffix(b"\r")
        if line[:1] in (b" ", b"\t") and name:
            if len(fields[name]) < _LONGEST_FIELD:
                fields[name] += b"\n" + line[:_LONGEST_FIELD]
        elif (match := _FIELD.fullmatch(line)) is not None and not _PATCH_STARTS.match(line):
            name = match[1].decode().lower()
            if name in fields:
                name = f"{name}#{at}"
            fields[name] = match[2] if name == MESSAGE_HEADER.lower() else match[2][:_LONGEST_FIELD]
        else:
            break
        at += 1
    if at == start:
        return {}, start
    return fields, at


def _decoded(body: bytes, encoding: bytes) -> bytes:
    try:
        if encoding == b"quoted-printable":
            return quopri.decodestring(body)
        if encoding == b"base64":
            return binascii.a2b_base64(body)
    except binascii.Error:
        return body
    return body


def _subject(fields: dict[str, bytes]) -> tuple[str, str]:
    """The subject and a longer description, from a mail's or a DEP-3 header."""
    if "subject" in fields:
        text = _SPACE.sub(" ", _mail_text(fields["subject"])).strip()
        return _without_tag(text), ""
    first, _, rest = _text(fields.get("description", b"")).partition("\n")
    lines = [line.strip() for line in rest.split("\n")] if rest else []
    return first.strip(), "\n".join("" if line == "." else line for line in lines).strip("\n")


def _without_tag(subject: str) -> str:
    """The subject without the number of its patch (`[PATCH v2 1/3]`); other tags are part of it."""
    tag, closed, rest = subject[1:].partition("]")
    is_number = subject.startswith("[") and closed and _TAG.search(tag) is not None
    return rest.lstrip() if is_number else subject


def _whole_message(packed: bytes) -> tuple[str, str] | None:
    """Subject and body out of our own header; None without one, or when it is broken."""
    try:
        subject, _, body = b64decode(packed.strip(), validate=True).decode("utf-8").partition("\n\n")
    except ValueError:
        return None
    return (subject, body) if subject else None


def _mail_text(raw: bytes) -> str:
    text = _text(raw)
    if "=?" not in text:
        return text
    try:
        parts = decode_header(_SPACE.sub(" ", text))
        return "".join(
            part if isinstance(part, str) else part.decode(name or "ascii", "replace") for part, name in parts
        )
    except (HeaderParseError, LookupError, ValueError):
        return text


def _person(raw: bytes) -> Person | None:
    text = _SPACE.sub(" ", _mail_text(raw)).strip()
    if not text:
        return None
    name, email = parseaddr(text)
    if "@" not in email:
        return Person(name=text, email="")
    return Person(name=name or email.partition("@")[0], email=email)


def _inner_author(prose: list[bytes]) -> tuple[Person | None, list[bytes]]:
    """A mail sent for somebody else names the author in the first line of its body."""
    at = next((number for number, line in enumerate(prose) if line.strip()), 0)
    if prose[at].startswith(b"From: "):
        return _person(prose[at][6:]), prose[at + 1 :]
    return None, prose


def _date(fields: dict[str, bytes]) -> str | None:
    parsed = parsedate_tz(_text(fields.get("date", b"")).strip())
    if parsed is not None:
        try:
            seconds, zone = mktime_tz(parsed), parsed[9] or 0
        except (ValueError, OverflowError):
            return None
        hours, minutes = divmod(abs(zone) // 60, 60)
        return f"@{seconds} {'-' if zone < 0 else '+'}{hours:02}{minutes:02}" if 0 <= seconds < 10**11 else None
    for key in ("last-update", "date"):
        if (match := _DAY.match(_text(fields.get(key, b"")).strip())) is not None:
            parts = parsedate_tz(f"{match[3]} {_MONTHS[int(match[2]) % 13]} {match[1]} 00:00:00 +0000")
            if parts is not None and (seconds := mktime_tz(parts)) >= 0:
                return f"@{seconds} +0000"
    return None


_MONTHS = ("Jan", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def _prose(lines: list[bytes]) -> Iterator[bytes]:
    """The lines of a message's text up to its patch."""
    for line in lines:
        line = line.removesuffix(b"\r")
        if line == b"---" or _PATCH_STARTS.match(line):
            return
        yield line


def _text(raw: bytes) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
