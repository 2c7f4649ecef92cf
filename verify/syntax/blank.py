"""Takes out of a text, at equal length, the macros that a grammar cannot read: places in it stay what they are.

What was blanked is handed out too, since it is code all the same: names in it count as used, and who looks for calls
must know that one may stand there.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from verify.syntax.language import Language
from verify.syntax.macros import C_FAMILY, STATEMENT, Form, Macros

_C_LIKE = {Language.C, Language.CPP, Language.CUDA}
# `extern "C" {` and its end, each between conditions of its own: braces that no single branch closes.
_LINKAGE = re.compile(
    rb"^[ \t]*#[ \t]*(?:ifdef[ \t]+__cplusplus|if[ \t]+defined\(__cplusplus\))[^\n]*\n"
    rb'(?:\s*extern[ \t]+"C"[ \t]*\{|\s*\})[^\n]*\n\s*#[ \t]*endif[^\n]*$',
    re.MULTILINE,
)
_STATEMENT = re.compile(STATEMENT, re.MULTILINE)
# What a statement may stand behind (the end of another, a label, a directive, a comment), and what ends its last line.
_BEHIND = re.compile(rb"(?:[;{}:)]|^[ \t]*#[^\n]*|//[^\n]*|\*/|\A)\s*\Z", re.MULTILINE)
_ALONE = re.compile(rb"[ \t]*(?://[^\n]*|/\*[^\n]*\*/[ \t]*)?(?:\r?\n|\Z)(?!\s*[;{,.)\]&|+\-*?:<>=\[%^])")
_NOT_LINE_ENDS = re.compile(rb"[^\r\n]")
_OPAQUE = rb"\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'|//[^\n]*|/\*.*?\*/"
_TOKEN = re.compile(_OPAQUE + rb"|[()\[\]{},]", re.DOTALL)
_WORD = re.compile(_OPAQUE + rb"|(?P<word>\b[A-Za-z_][A-Za-z0-9_]*)", re.DOTALL)
_OPENING, _CLOSING = {b"(", b"[", b"{"}, {b")", b"]", b"}"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Blanked:
    """A text of the same length without those macros, and where they stood as (start, end)."""

    text: bytes
    places: tuple[tuple[int, int], ...]


def blank(language: Language, text: bytes) -> Blanked:
    """The text as its grammar shall see it."""
    if language not in _C_LIKE:
        return Blanked(text=text, places=())
    places = [match.span() for match in _LINKAGE.finditer(text)] if b"__cplusplus" in text else []
    for match in _pattern(C_FAMILY).finditer(text):
        if not _is_defined_there(text, match.start()):
            places += _places(text, match, C_FAMILY)
    seen = _without(text, places)
    places += (alone := list(_statements(seen)))
    return Blanked(text=_without(seen, alone), places=tuple(sorted(places)))


def _without(text: bytes, places: Iterable[tuple[int, int]]) -> bytes:
    out = bytearray(text)
    for start, end in places:
        out[start:end] = _NOT_LINE_ENDS.sub(b" ", text[start:end])
    return bytes(out)


def _statements(text: bytes) -> Iterator[tuple[int, int]]:
    """Calls in capitals that stand alone, without a semicolon, where a statement or a declaration may stand."""
    for match in _STATEMENT.finditer(text):
        if not _BEHIND.search(text, max(0, match.start() - 400), match.start()):
            continue
        _, closed = _arguments(text, match.end())
        if closed is not None and _ALONE.match(text, closed + 1):
            yield match.start("name"), closed + 1


@lru_cache(maxsize=4)
def _pattern(table: tuple[Macros, ...]) -> re.Pattern[bytes]:
    rows = b"|".join(b"(?P<row%d>%s)" % (number, row.names) for number, row in enumerate(table))
    return re.compile(rb"\b(?:" + rows + rb")\b")


def _is_defined_there(text: bytes, at: int) -> bool:
    """Whether the name stands in a directive (`#define NAME`), which the grammar reads as it is."""
    line = text[text.rfind(b"\n", 0, at) + 1 : at].lstrip()
    return line.startswith(b"#")


def _places(text: bytes, match: re.Match[bytes], table: tuple[Macros, ...]) -> list[tuple[int, int]]:
    row = table[int((match.lastgroup or "row0").removeprefix("row"))]
    start, end = match.span()
    if row.form is Form.WORD:
        return [(start, end)]
    opened = re.compile(rb"\s*\(").match(text, end)
    if opened is None:
        return []
    commas, closed = _arguments(text, opened.end())
    if closed is None:
        return []
    if row.form is Form.CALL:
        return [(start, closed + 1)]
    return [(start, opened.end()), (commas[-1] if commas else closed, closed + 1)]


def _arguments(text: bytes, at: int) -> tuple[list[int], int | None]:
    """Where commas stand between arguments that begin at `at`, and where their parenthesis closes."""
    commas: list[int] = []
    depth = 0
    for token in _TOKEN.finditer(text, at):
        character = token[0]
        if character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            if depth == 0:
                return commas, token.start()
            depth -= 1
        elif character == b"," and depth == 0:
            commas.append(token.start())
    return commas, None


def words(text: bytes, start: int, end: int) -> Iterator[tuple[bytes, int]]:
    """The identifiers in a part of a text that no grammar has read, with their places; not those in strings."""
    for match in _WORD.finditer(text, start, end):
        if match.lastgroup == "word":
            yield match["word"], match.start()
