"""JSON text to nodes with places.

The standard library's reader keeps no positions, so the structure is read here; strings are left to its own string
scanner. Strict: no comments, no trailing commas, every key once. A syntax mistake ends the file's reading.
"""

import re
from json import JSONDecodeError, JSONDecoder

from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Entry, Form, Hole, Listing, Node, Scalar, Source, Table

MAX_DEPTH = 24

_STRINGS = JSONDecoder()
HALF_PAIR = re.compile("[\ud800-\udfff]")
_SPACE = re.compile(r"[ \t\n\r]*")
_BARE = re.compile(r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)(?![A-Za-z0-9_.+-])")
_WORD = re.compile(r"[^\s,:\[\]{}\"]+")


def read_json(source: Source, mistakes: Mistakes) -> Node:
    """The document; a hole where it is not JSON (the mistakes say why)."""
    reader = _Reader(source, mistakes)
    try:
        return reader.document()
    except _Stop as stop:
        mistakes.add(
            "json-syntax",
            f"not JSON: {stop.problem}",
            source.place(source.spot(stop.at, stop.at + stop.width)),
            step=stop.step,
        )
        return Hole(spot=source.spot(0))


class _Stop(Exception):
    def __init__(self, problem: str, at: int, *, width: int = 1, step: str = "") -> None:
        super().__init__(problem)
        self.problem = problem
        self.at = at
        self.width = width
        self.step = step


class _Reader:
    def __init__(self, source: Source, mistakes: Mistakes) -> None:
        self._source = source
        self._text = source.text
        self._mistakes = mistakes
        self._at = 0

    def document(self) -> Node:
        node = self._value(depth=1)
        if self._peek():
            raise _Stop("there is more text after the end of the document", self._at)
        return node

    def _peek(self) -> str:
        """The next character that is not white space; empty at the end."""
        match = _SPACE.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return self._text[self._at : self._at + 1]

    def _value(self, depth: int) -> Node:
        head = self._peek()
        if depth > MAX_DEPTH:
            raise _Stop(f"nested more than {MAX_DEPTH} levels deep", self._at)
        if head == "{":
            return self._table(depth)
        if head == "[":
            return self._listing(depth)
        if head == '"':
            return self._string()
        return self._bare()

    def _bare(self) -> Scalar:
        match = _BARE.match(self._text, self._at)
        if match is None:
            raise self._unexpected("a value")
        start, self._at = self._at, match.end()
        return Scalar(text=match.group(), form=Form.BARE, spot=self._source.spot(start, self._at))

    def _string(self) -> Scalar:
        start = self._at
        try:
            text, self._at = _STRINGS.raw_decode(self._text, start)
        except JSONDecodeError as problem:
            what = problem.msg[0].lower() + problem.msg[1:].removesuffix(" at").removesuffix(" starting at")
            raise _Stop(what, problem.pos) from None
        spot = self._source.spot(start, self._at)
        if HALF_PAIR.search(text):
            raise _Stop("half of a surrogate pair in a string", start, width=spot.width)
        return Scalar(text=text, form=Form.QUOTED, spot=spot)

    def _listing(self, depth: int) -> Listing:
        start = self._at
        self._at += 1
        items: list[Node] = []
        if self._peek() == "]":
            self._at += 1
        else:
            while True:
                items.append(self._value(depth + 1))
                if self._ends("]", "value"):
                    break
        return Listing(items=tuple(items), spot=self._source.spot(start))

    def _table(self, depth: int) -> Table:
        start = self._at
        self._at += 1
        entries: dict[str, Entry] = {}
        if self._peek() == "}":
            self._at += 1
        else:
            while True:
                self._entry(entries, depth)
                if self._ends("}", "entry"):
                    break
        return Table(entries=tuple(entries.values()), spot=self._source.spot(start))

    def _entry(self, entries: dict[str, Entry], depth: int) -> None:
        if self._peek() != '"':
            raise self._unexpected("a key in double quotes")
        key = self._string()
        if self._peek() != ":":
            raise self._unexpected(f"`:` after the key `{key.text}`")
        self._at += 1
        value = self._value(depth + 1)
        if key.text in entries:
            add_duplicate_key(key, entries[key.text].key, self._source, self._mistakes)
        else:
            entries[key.text] = Entry(key=key, value=value)

    def _ends(self, close: str, what: str) -> bool:
        """Step over a comma (False) or the closing bracket (True)."""
        head = self._peek()
        if head == close:
            self._at += 1
            return True
        if head != ",":
            raise self._unexpected(f"`,` or `{close}` after the {what}")
        comma = self._at
        self._at += 1
        if self._peek() == close:
            raise _Stop(f"a comma before `{close}`", comma, step="remove the comma")
        return False

    def _unexpected(self, wanted: str) -> _Stop:
        if not self._peek():
            return _Stop(f"the file ends where {wanted} should be", self._at)
        word = _WORD.match(self._text, self._at)
        met = (word.group() if word else self._text[self._at])[:40]
        hint = ""
        if met[0] == "'":
            hint = "JSON text stands in double quotes"
        elif met.startswith(("//", "/*", "#")):
            hint = "JSON has no comments: remove it"
        return _Stop(f"`{met}` stands where {wanted} should be", self._at, width=len(met), step=hint)


def add_duplicate_key(key: Scalar, first: Scalar, source: Source, mistakes: Mistakes) -> None:
    """Record that a key stands in its table a second time."""
    mistakes.add(
        "duplicate-key",
        f"the key `{key.text}` is given twice",
        source.place(key.spot, "given again"),
        notes=(f"first given at {source.file}:{first.spot.line}:{first.spot.column}",),
        step="keep one of them",
    )
