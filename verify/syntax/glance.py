"""What a text says at a glance: its words, and the names that it may make for other files. Cheaper than an outline.

A name may be made where no call can stand: behind a type or at the start of a line that does not end as a statement.
More is allowed than is so; whoever asks reads the outline of what is left.
"""

import re
from dataclasses import dataclass

from verify.model.ids import RepoPath
from verify.syntax.language import Language, language_of

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTION = re.compile(
    rb"(?:^[ \t]*|[\w*&>][ \t]+|[*&])(?:\w+(?:<[^<>\n;()]*>)?::)*~?([A-Za-z_]\w*)[ \t]*\("
    rb"(?![^\n{]*;[ \t\r]*(?://[^\n]*)?$)",
    re.MULTILINE,
)
_VARIABLE = re.compile(rb"^[A-Za-z_][^\n(){};=]*?\b([A-Za-z_]\w*)[ \t]*(?:=|\[|;|\{)", re.MULTILINE)
_REMARK = re.compile(rb"//[^\n]*")
_C_LIKE = {Language.C, Language.CPP, Language.CUDA}


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """The words of a text, and which of them may be functions or variables that it makes."""

    words: frozenset[bytes]
    makes: frozenset[bytes]


def glance(path: RepoPath, text: bytes) -> Glance:
    """A text at a glance; in languages other than those of the C family any word may be made."""
    words = frozenset(_WORD.findall(text))
    if language_of(path) not in _C_LIKE:
        return Glance(words=words, makes=words)
    code = _REMARK.sub(b"", text)
    return Glance(words=words, makes=frozenset(_FUNCTION.findall(code)) | frozenset(_VARIABLE.findall(code)))


def family(path: RepoPath) -> str:
    """Files of one family can make names for each other; empty where no grammar is known."""
    language = language_of(path)
    return "c" if language in _C_LIKE else (language or "")
