"""Git's C-style quoting of names, as in patch headers and in the lock: both directions.

A name with a control byte, a double quote, a backslash or any byte above 0x7e is put in double quotes and those
bytes are escaped (as with `core.quotePath=true`), so that every header is ASCII whatever the name holds. Spaces are
not quoted; after `---` and `+++` a name with a space is followed by a tab, so that GNU patch does not cut it.
"""

import re

_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}
_QUOTED = re.compile(rb'[\x00-\x1f"\\\x7f-\xff]')
_LETTERS = {letter[1]: bytes([value]) for value, letter in _ESCAPES.items()}
_ESCAPE = re.compile(rb"\\(?:([0-3][0-7]{2})|(.)|$)", re.DOTALL)


def quote_name(name: bytes) -> bytes:
    """The name as a patch header spells it, quoted only when it must be."""
    if _QUOTED.search(name) is None:
        return name
    return b'"' + _QUOTED.sub(_escape, name) + b'"'


def _escape(match: re.Match[bytes]) -> bytes:
    byte = match[0][0]
    return _ESCAPES.get(byte) or b"\\%03o" % byte


def unquote_name(text: bytes) -> bytes | None:
    """The name that a quoted or plain header spelling stands for; None when the quoting is broken."""
    if not text.startswith(b'"'):
        return text
    end = closing_quote(text)
    return unescape(text[1:end]) if end == len(text) - 1 else None


def closing_quote(text: bytes) -> int:
    """Where the quoted name that `text` starts with ends; -1 when it never does."""
    at = 1
    while at < len(text):
        if text[at] == 0x5C:
            at += 1
        elif text[at] == 0x22:
            return at
        at += 1
    return -1


def unescape(body: bytes) -> bytes | None:
    """The bytes between the quotes with every escape undone; None for an escape that git does not know."""
    out, at = [], 0
    for match in _ESCAPE.finditer(body):
        out.append(body[at : match.start()])
        at = match.end()
        if match[1] is not None:
            out.append(bytes([int(match[1], 8)]))
        elif match[2] is not None and match[2][0] in _LETTERS:
            out.append(_LETTERS[match[2][0]])
        else:
            return None
    out.append(body[at:])
    return b"".join(out)
