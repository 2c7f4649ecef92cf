"""Bytes of a declared file to text: UTF-8 without surprises, or a mistake that names the line.

Characters that editors show as nothing, that turn the direction of writing, or that some tools take for a line end
and others do not, are refused, so that every reader sees the same lines. So are the marks of an unresolved merge.
"""

import re

from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Source

_STRANGE = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202f-\u2065\u206a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)
_CONFLICT = re.compile(r"^(?:<{7}|>{7})(?: .*)?$", re.MULTILINE)
_MOST_STRANGE = 20


def decode(file: str, data: bytes, mistakes: Mistakes) -> Source | None:
    """The file's text; None when it is not text (the mistakes say why)."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as problem:
        source = Source(file, data.decode("utf-8", errors="replace"))
        at = len(data[: problem.start].decode("utf-8"))
        mistakes.add(
            "not-utf8",
            f"the file is not UTF-8: byte 0x{data[problem.start]:02x} at offset {problem.start}",
            source.place(source.spot(at)),
            step="save the file as UTF-8",
        )
        return None
    source = Source(file, text)
    strange = list(_STRANGE.finditer(text))
    for match in strange[:_MOST_STRANGE]:
        mistakes.add(
            "control-character",
            f"the character U+{ord(match.group()):04X} may not stand in this file",
            source.place(source.spot(match.start())),
            step="remove it, or write it as an escape in double quotes",
        )
    conflict = None if strange else _CONFLICT.search(text)
    if conflict is not None:
        mistakes.add(
            "merge-conflict",
            "a merge left both of its sides here",
            source.place(source.spot(conflict.start(), conflict.end())),
            step="git mergetool",
        )
    return None if strange or conflict else source
