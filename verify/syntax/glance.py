"""What a text says at a glance: its words, and where it may make names for other files. Cheaper than an outline.

A name may be made where no call can stand: behind a type, or at the start of a line that does not end as a statement.
More is allowed than is so, and what is made there is cut out generously: where all of it is the same, so are the
definitions; of the rest whoever asks reads the outline.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from verify.model.ids import RepoPath
from verify.syntax.language import Language, language_of

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_FUNCTION = re.compile(
    rb"(?:^[ \t]*|[\w*&>][ \t]+|[*&])(?:\w+(?:<[^<>\n;()]*>)?::)*~?(?P<name>[A-Za-z_]\w*)[ \t]*\("
    rb"(?![^\n{]*;[ \t\r]*(?://[^\n]*)?$)",
    re.MULTILINE,
)
_VARIABLE = re.compile(rb"^[A-Za-z_][^\n(){};=]*?\b(?P<name>[A-Za-z_]\w*)[ \t]*(?:=|\[|;|\{)", re.MULTILINE)
_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|el|endif).*", re.MULTILINE)
_TOKEN = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/|[{};]", re.DOTALL)
_C_LIKE = {Language.C, Language.CPP, Language.CUDA}


@dataclass(frozen=True, slots=True, kw_only=True)
class Glance:
    """The words of a text, where it may make functions or variables, and under which conditions: (place, heads)."""

    words: frozenset[bytes]
    makes: Mapping[bytes, tuple[int, ...]]
    conditions: tuple[tuple[int, tuple[bytes, ...]], ...]

    def heads_at(self, at: int) -> tuple[bytes, ...]:
        """The conditions of the preprocessor that a place stands under."""
        found = bisect_right(self.conditions, at, key=lambda each: each[0])
        return self.conditions[found - 1][1] if found else ()


def glance(path: RepoPath, text: bytes) -> Glance:
    """A text at a glance; in languages other than those of the C family any word may be made, anywhere."""
    words = frozenset(_WORD.findall(text))
    if language_of(path) not in _C_LIKE:
        return Glance(words=words, makes=dict.fromkeys(words, (0,)), conditions=())
    places: dict[bytes, list[int]] = {}
    for pattern in (_FUNCTION, _VARIABLE):
        for match in pattern.finditer(text):
            places.setdefault(match["name"], []).append(match.start())
    return Glance(
        words=words,
        makes={name: tuple(at) for name, at in places.items()},
        conditions=tuple(_conditions(text)),
    )


def _conditions(text: bytes) -> Iterator[tuple[int, tuple[bytes, ...]]]:
    heads: list[bytes] = []
    for match in _CONDITION.finditer(text):
        if match[1] == b"if":
            heads.append(match[0].strip())
        elif heads:
            opened = heads.pop()
            if match[1] == b"el":
                heads.append(opened + b"\n" + match[0].strip())
        yield match.start(), tuple(heads)


def made_at(path: RepoPath, text: bytes, at: int) -> bytes:
    """What may be made at a place: its lines to where its braces close, and on to a brace that begins a line."""
    if language_of(path) not in _C_LIKE:
        return text
    start = text.rfind(b"\n", 0, at) + 1
    start = max(text.rfind(b"\n", 0, max(start - 1, 0)), 0)  # a template's or a type's line may stand above
    depth, end = 0, len(text)
    for token in _TOKEN.finditer(text, at):
        if token[0] == b"{":
            depth += 1
        elif token[0] == b"}":
            depth -= 1
        if depth <= 0 and token[0] in (b"}", b";"):
            end = token.end()
            break
    closed = text.find(b"\n}", at)
    return text[start : max(end, closed + 2 if closed >= 0 else end)]


def family(path: RepoPath) -> str:
    """Files of one family can make names for each other; empty where no grammar is known."""
    language = language_of(path)
    return "c" if language in _C_LIKE else (language or "")
