"""Tables as plain text: columns by width, no frames, readable without colour and in a log."""

import unicodedata
from collections.abc import Sequence


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lines of a table; the last column may be as long as it likes."""
    widths = [max(map(_width, column)) for column in zip(heads, *rows, strict=True)]
    return "\n".join(_line(row, widths) for row in (heads, *rows))


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    cells = [cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
    return "  ".join(cells).rstrip()


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in "WF" else 1 for each in text)
