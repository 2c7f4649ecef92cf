"""What a declared file holds before it means anything: scalars as text, lists and tables, each with its place.

`syntax.py` (YAML) and `json_syntax.py` make these nodes; the readers beside them give the nodes their types. Nothing
here knows a field's name.
"""

from bisect import bisect_right
from dataclasses import dataclass
from enum import StrEnum

from verify.model.diagnostic import Place

_LONGEST_EXCERPT = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where in a file: 1-based line and column in characters, and how many characters from there are meant."""

    line: int
    column: int
    width: int = 1


class Form(StrEnum):
    """How a scalar was written, which decides what it may be read as.

    QUOTED is text and nothing else. PLAIN (YAML without quotes) is what its field asks for. BARE (a JSON number,
    true, false or null) is never text.
    """

    QUOTED = "quoted"
    PLAIN = "plain"
    BARE = "bare"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scalar:
    """One value, as text."""

    text: str
    form: Form
    spot: Spot

    def is_null(self) -> bool:
        """Whether it says that there is nothing."""
        return self.form is not Form.QUOTED and self.text in {"", "~", "null"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Values in order."""

    items: tuple["Node", ...]
    spot: Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One key of a table and its value."""

    key: Scalar
    value: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """Entries in the order of the file; every key is there once."""

    entries: tuple[Entry, ...]
    spot: Spot


@dataclass(frozen=True, slots=True, kw_only=True)
class Hole:
    """Something that was complained about already; readers pass over it in silence."""

    spot: Spot


Node = Scalar | Listing | Table | Hole


class Source:
    """One file's text and name: turns offsets into spots and spots into places."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self._starts = [0]
        at = text.find("\n")
        while at >= 0:
            self._starts.append(at + 1)
            at = text.find("\n", at + 1)

    def spot(self, start: int, end: int | None = None) -> Spot:
        """The spot of the characters from `start` to `end`; what lies on later lines is not underlined."""
        start = min(start, len(self.text))
        line = bisect_right(self._starts, start)
        begin, stop = self._bounds(line)
        width = (start if end is None else min(end, stop)) - start
        return Spot(line=line, column=start - begin + 1, width=max(width, 1))

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its end."""
        begin, end = self._bounds(number)
        return self.text[begin:end]

    def _bounds(self, number: int) -> tuple[int, int]:
        """Where a line's text begins and ends: found without copying, since a line may be the whole file."""
        begin = self._starts[number - 1]
        end = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return begin, end - (end > begin and self.text[end - 1] == "\r")

    def place(self, spot: Spot, label: str = "") -> Place:
        """The place to show for a spot; an empty line, or one too long to read, is not quoted."""
        begin, end = self._bounds(spot.line)
        line = self.text[begin:end] if end - begin <= _LONGEST_EXCERPT else ""
        return Place(
            file=self.file,
            line=spot.line,
            column=spot.column,
            excerpt=line if line.strip() else None,
            width=spot.width,
            label=label,
        )
