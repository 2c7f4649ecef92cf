"""Trailers of a message that carry credit: who signed a change off, and who else wrote it.

A submission states them in its message, before its patch; a fold must keep them in its body.
"""

import re
from dataclasses import dataclass

from verify.diff.mail import read_messages

_SIGNED = re.compile(r"^signed-off-by:[ \t]*(\S.*?)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_WITH = re.compile(r"^co-(?:authored|developed)-by:[ \t]*(\S.*?)[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_PATCH = re.compile(rb"^(?:diff --git |Index: |--- \S|={60,}|@@ -\d)", re.MULTILINE)
_SPACE = re.compile(r"\s+")


def signed_off(text: str) -> tuple[str, ...]:
    """Who signed off in this message, each once, as written but for white space."""
    return _named(_SIGNED, text)


def written_with(text: str) -> tuple[str, ...]:
    """Who is named as a further author in this message."""
    return _named(_WITH, text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Credit:
    """Who is named by trailers: those who signed off, and further authors."""

    signed_off: tuple[str, ...]
    written_with: tuple[str, ...]


def submitted_credit(source: bytes) -> Credit:
    """Who is named in any message of a submission, wherever in the text before its patch."""
    prose: list[str] = []
    for message in read_messages(source):
        start = _PATCH.search(message.text)
        prose.append(_text(message.text[: start.start()] if start is not None else message.text))
    text = "\n".join(prose)
    return Credit(signed_off=signed_off(text), written_with=written_with(text))


def submitted_sign_offs(source: bytes) -> tuple[str, ...]:
    """Who signed off in any message of a submission."""
    return submitted_credit(source).signed_off


def _text(prose: bytes) -> str:
    try:
        return prose.decode("utf-8")
    except UnicodeDecodeError:
        return prose.decode("latin-1")


def _named(pattern: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_SPACE.sub(" ", match[1]) for match in pattern.finditer(text)))
