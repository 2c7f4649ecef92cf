"""Diagnostics for people: plain text that says everything, coloured where a terminal wants it.

Takes diagnostics, gives lines. What users wrote (messages, excerpts, names) is shown as it is: never taken for
markup, and control characters are spelled out, so that no file can write to the terminal by being wrong.
"""

import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import TextIO

from verify.model.diagnostic import Diagnostic, Place, Severity

_UNSEEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_WIDEST_EXCERPT = 160
_STYLES = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan", "mark": "bold blue", "plain": ""}

Piece = tuple[str, str]
Line = list[Piece]


def render_diagnostics(diagnostics: Sequence[Diagnostic]) -> str:
    """All of them as plain text, ending in a line end; empty for none."""
    return "".join("".join(text for text, _ in line) + "\n" for line in _lines(diagnostics))


def print_diagnostics(
    diagnostics: Sequence[Diagnostic], stream: TextIO, *, environ: Mapping[str, str] = os.environ
) -> None:
    """Write them to `stream`; in colour only to a terminal, and only without NO_COLOR."""
    if not diagnostics:
        return
    if wants_colour(stream, environ):
        _print_coloured(_lines(diagnostics), stream)
    else:
        stream.write(encodable(render_diagnostics(diagnostics), stream))
    stream.flush()


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether colour is welcome there."""
    return stream.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"


def encodable(text: str, stream: TextIO) -> str:
    """The text with what the stream's encoding lacks spelled as escapes."""
    encoding = getattr(stream, "encoding", None) or "utf-8"
    return text.encode(encoding, errors="backslashreplace").decode(encoding)


def visible(text: str) -> str:
    """The text with every character that shows as nothing, or moves the cursor, spelled out; line ends stay."""
    return _UNSEEN.sub(_spell, text)


def _spell(match: re.Match[str]) -> str:
    point = ord(match.group())
    return "    " if point == 9 else f"\\x{point:02x}" if point < 256 else f"\\u{point:04x}"


def _print_coloured(lines: Iterable[Line], stream: TextIO) -> None:
    from rich.console import Console
    from rich.text import Text

    console = Console(file=stream, markup=False, highlight=False, emoji=False, soft_wrap=True)
    for line in lines:
        console.print(Text.assemble(*((encodable(text, stream), _STYLES[style]) for text, style in line)))


def _lines(diagnostics: Sequence[Diagnostic]) -> Iterable[Line]:
    for number, diagnostic in enumerate(diagnostics):
        if number:
            yield []
        yield from _one(diagnostic)
    errors = sum(diagnostic.severity is Severity.ERROR for diagnostic in diagnostics)
    if errors > 1:
        yield []
        yield [(f"{errors} errors", "error")]


def _one(diagnostic: Diagnostic) -> Iterable[Line]:
    first, *more = visible(diagnostic.message).split("\n")
    severity = diagnostic.severity.value
    yield [(f"{severity}[{diagnostic.code}]", severity), (f": {first}", "plain")]
    for line in more:
        yield [(f"    {line}", "plain")]
    if diagnostic.place is not None:
        yield from _place(diagnostic.place, severity)
    for note in diagnostic.notes:
        yield from _remark("note", note)
    if diagnostic.help:
        yield from _remark("help", diagnostic.help)


def _remark(word: str, text: str) -> Iterable[Line]:
    first, *more = visible(text).split("\n")
    yield [("   = ", "mark"), (f"{word}: {first}", "plain")]
    for line in more:
        yield [(" " * (len(word) + 7) + line, "plain")]


def _place(place: Place, severity: str) -> Iterable[Line]:
    where = [visible(place.file).replace("\n", "\\x0a")]
    where += [str(number) for number in (place.line, place.column) if number is not None]
    yield [("  --> ", "mark"), (":".join(where), "plain")]
    if place.excerpt is None:
        if place.label:
            yield [("   |  ", "mark"), (visible(place.label), "plain")]
        return
    start = max((place.column or 1) - 1, 0)
    shown, before, under = _window(place.excerpt, start, place.width)
    yield [("   |  ", "mark"), (shown, "plain")]
    if place.column is not None:
        label = f" {visible(place.label)}" if place.label else ""
        yield [("   |  ", "mark"), (" " * before, "plain"), ("^" * under + label, severity)]


def _window(excerpt: str, start: int, width: int) -> tuple[str, int, int]:
    """What is shown of the line, how many cells stand before the underline, and how long that is."""
    cut = max(0, min(start - 20, len(excerpt) - _WIDEST_EXCERPT)) if len(excerpt) > _WIDEST_EXCERPT else 0
    end = min(len(excerpt), cut + _WIDEST_EXCERPT)
    head, tail = ("…" if cut else ""), ("…" if end < len(excerpt) else "")
    before = len(head) + _cells(excerpt[cut:start])
    under = max(_cells(excerpt[start : min(start + width, end)]), 1)
    return head + _flat(excerpt[cut:end]) + tail, before, under


def _flat(text: str) -> str:
    return visible(text).replace("\n", "\\x0a")


def _cells(text: str) -> int:
    return sum(_cell(character) for character in _flat(text))


def _cell(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
