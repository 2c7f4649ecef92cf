"""A node on its way to a type: every reader takes a `Value`, records what is wrong with it and returns a stand-in then.

A value knows how to name itself in a message (`what`), its file and where mistakes go. A blind value (a field that is
missing, a node that was complained about) reads as a stand-in in silence, so that one mistake is told once.
"""

from collections.abc import Callable, Collection, Mapping
from typing import TypeVar

from verify.manifest.mistakes import Mistakes, did_you_mean, listed
from verify.manifest.node import Entry, Form, Hole, Listing, Node, Scalar, Source, Spot, Table
from verify.model.diagnostic import Place
from verify.model.ids import is_name

T = TypeVar("T")
D = TypeVar("D")

NAME_RULE = (
    "names are lower-case letters, digits and `-+.`, start with a letter or digit and have at most 80 characters"
)


class Value:
    """One node, and what is needed to complain about it.

    `key` is where it is named, `owner` what it belongs to: a list's items are counted within that.
    """

    def __init__(
        self,
        node: Node,
        *,
        what: str,
        source: Source,
        mistakes: Mistakes,
        key: Spot | None = None,
        owner: str = "",
    ) -> None:
        self.node = node
        self.key = key or node.spot
        self.owner = owner or what
        self.what = what
        self.source = source
        self.mistakes = mistakes

    def place(self, label: str = "") -> Place:
        """Where the value stands."""
        return self.source.place(self.node.spot, label)

    def key_place(self) -> Place:
        """Where the value is named: its key in a table of named things."""
        return self.source.place(self.key)

    def wrong(self, code: str, message: str, *, label: str = "", notes: tuple[str, ...] = (), step: str = "") -> None:
        """Record a mistake at this value."""
        self.mistakes.add(code, message, self.place(label), notes=notes, step=step)

    def is_blind(self) -> bool:
        """Whether there is nothing to read and nothing more to say."""
        return isinstance(self.node, Hole)

    def is_null(self) -> bool:
        """Whether the file says that there is nothing."""
        return isinstance(self.node, Scalar) and self.node.is_null()

    def wrong_type(self, wanted: str) -> None:
        """Record that the value is of another type than `wanted`."""
        if not self.is_blind():
            self.wrong("wrong-type", f"{self.what} must be {wanted}", label=f"this is {_kind_of(self.node)}")

    def word(self) -> str:
        """The text as it stands, unchecked; empty when it is no text."""
        return self.node.text if isinstance(self.node, Scalar) else ""

    def scalar(self, wanted: str) -> Scalar | None:
        """The scalar; None, complained about, when it is something else or nothing."""
        if isinstance(self.node, Scalar) and not self.node.is_null():
            return self.node
        self.wrong_type(wanted)
        return None

    def written(self, wanted: str = "text") -> str | None:
        """The text as written; None, complained about, when it is not text."""
        scalar = self.scalar(wanted)
        if scalar is None:
            return None
        if scalar.form is Form.BARE:
            self.wrong("wrong-type", f"{self.what} must be {wanted}", step=f'put it in double quotes: "{scalar.text}"')
            return None
        return scalar.text

    def listing(self, each: Callable[["Value"], T], *, of: str, least: int = 0, distinct: bool = True) -> tuple[T, ...]:
        """Every item read by `each`; `of` names one item in messages, `distinct` refuses an item given twice."""
        if not isinstance(self.node, Listing):
            self.wrong_type("a list")
            return ()
        if len(self.node.items) < least:
            self.wrong("list-empty", f"{self.what} must have at least one {of}")
        values = [self._below(item, f"{of} {number} of {self.owner}") for number, item in enumerate(self.node.items, 1)]
        if distinct:
            _refuse_repeats(values)
        return tuple(each(value) for value in values)

    def named(self, each: Callable[[str, "Value"], T], *, of: str, least: int = 0) -> tuple[T, ...]:
        """Every entry of a table of named things, read by `each`; a bad name is recorded and the entry still read."""
        found = []
        if isinstance(self.node, Table) and len(self.node.entries) < least:
            self.wrong("list-empty", f"{self.what} must have at least one {of}")
        for entry in self.entries():
            name = entry.key.text
            if not is_name(name):
                self._bad_key(entry, f"`{shorten(name)}` cannot name a {of}", NAME_RULE)
            found.append(each(name, self._below(entry.value, f"{of} `{shorten(name)}`", entry.key.spot)))
        return tuple(found)

    def entries(self) -> tuple[Entry, ...]:
        """The entries of a table; none, complained about, when it is no table."""
        if isinstance(self.node, Table):
            return self.node.entries
        self.wrong_type("a table of fields")
        return ()

    def below(self, entry: Entry, what: str) -> "Value":
        """The value of one of this table's entries."""
        return self._below(entry.value, what)

    def fields(self, *, of: str = "") -> "Fields":
        """This table, to be read field by field; `of` names it in messages."""
        return Fields(self, of or self.what)

    def document(self, *, of: str, schema: str) -> "Fields":
        """The fields of a whole document; none, complained about, when it is of another schema than ours."""
        fields = self.fields(of=of)
        written = fields.get("schema", lambda value: value.written("the document's schema"))
        if written is None or written == schema:
            return fields
        spot = fields.spot("schema")
        self.mistakes.add(
            "unknown-schema",
            f"{of} is of the schema `{shorten(written)}`, and this stackproof reads `{schema}`",
            self.source.place(spot),
            step=f"write `{schema}`, or use the stackproof that the project was made with",
        )
        return Fields(self._below(Hole(spot=spot), self.what), of)

    def _below(self, node: Node, what: str, key: Spot | None = None) -> "Value":
        return Value(node, what=what, source=self.source, mistakes=self.mistakes, key=key)

    def _bad_key(self, entry: Entry, message: str, note: str) -> None:
        self.mistakes.add("bad-name", message, self.source.place(entry.key.spot), notes=(note,))


def _refuse_repeats(values: list[Value]) -> None:
    """Record scalars that stand in their list a second time."""
    seen: set[str] = set()
    for value in values:
        if isinstance(value.node, Scalar):
            if value.node.text in seen:
                value.wrong("duplicate-item", f"`{shorten(value.node.text)}` is listed twice", step="keep one of them")
            seen.add(value.node.text)


class Fields:
    """A table read field by field; `close` complains about the fields that nobody asked for."""

    def __init__(self, value: Value, of: str) -> None:
        self.value = value
        self._of = of
        self._entries = {entry.key.text: entry for entry in value.entries()}
        self._asked: list[str] = []

    def __contains__(self, name: str) -> bool:
        return name in self._entries

    def get(self, name: str, read: Callable[[Value], T]) -> T:
        """A field that must be there."""
        self._asked.append(name)
        entry = self._entries.get(name)
        if entry is not None:
            return read(self._field(entry))
        spot = self.value.node.spot
        if isinstance(self.value.node, Table):
            self.value.mistakes.add(
                "missing-field",
                f"the field `{name}` of {self._of} is missing",
                self.value.source.place(Spot(line=spot.line, column=spot.column)),
            )
        return read(self.value.below(Entry(key=_NO_KEY, value=Hole(spot=spot)), name))

    def optional(self, name: str, read: Callable[[Value], T], default: D) -> T | D:
        """A field that may be left out or null."""
        self._asked.append(name)
        entry = self._entries.get(name)
        if entry is None or (isinstance(entry.value, Scalar) and entry.value.is_null()):
            return default
        return read(self._field(entry))

    def nullable(self, name: str, read: Callable[[Value], T]) -> T | None:
        """A field that must be there and may be null."""
        self._asked.append(name)
        if name in self._entries:
            return self.optional(name, read, None)
        return self.get(name, read)

    def spot(self, name: str) -> Spot:
        """Where a field's value stands; the table's own spot when the field is missing."""
        return self._entries[name].value.spot if name in self._entries else self.value.node.spot

    def is_list(self, name: str) -> bool:
        """Whether a field is there and is a list."""
        return name in self._entries and isinstance(self._entries[name].value, Listing)

    def variant(self, tag: str, readers: Mapping[str, Callable[["Fields"], T]]) -> T:
        """The whole table, read by the reader that the field `tag` names, and closed."""
        word = self.get(tag, lambda field: one_of(field, readers))
        if word in readers:
            found = readers[word](self)
            self.close()
            return found
        hole = Hole(spot=self.value.node.spot)
        blind = Value(hole, what=self._of, source=self.value.source, mistakes=self.value.mistakes)
        return next(iter(readers.values()))(Fields(blind, self._of))

    def close(self) -> None:
        """Complain about unknown fields."""
        known = list(dict.fromkeys(self._asked))
        for name, entry in self._entries.items():
            if name not in known:
                free = [word for word in known if word not in self._entries]
                self.value.mistakes.add(
                    "unknown-field",
                    f"{self._of} has no field `{shorten(name)}`",
                    self.value.source.place(entry.key.spot),
                    notes=listed("fields", known),
                    step=did_you_mean(name, free),
                )

    def _field(self, entry: Entry) -> Value:
        return Value(
            entry.value,
            what=f"`{entry.key.text}` of {self._of}",
            source=self.value.source,
            mistakes=self.value.mistakes,
            owner=self._of,
        )


def one_of(value: Value, words: Collection[str]) -> str:
    """One of some words; empty, complained about, when it is none of them."""
    written = value.written(f"one of {', '.join(words)}")
    if written is not None and written not in words:
        value.wrong(
            "unknown-word",
            f"{value.what} cannot be `{shorten(written)}`",
            notes=listed("words", words),
            step=did_you_mean(written, words),
        )
    return written or ""


_NO_KEY = Scalar(text="", form=Form.QUOTED, spot=Spot(line=1, column=1))


def shorten(text: str) -> str:
    """Text short enough for a message."""
    flat = text.replace("\n", "\\n")
    return flat if len(flat) <= 80 else flat[:77] + "..."


def _kind_of(node: Node) -> str:
    match node:
        case Listing():
            return "a list"
        case Table():
            return "a table of fields"
        case Scalar() if node.is_null():
            return "null" if node.text else "empty"
        case Scalar() if node.form is Form.BARE:
            return f"`{shorten(node.text)}`"
        case _:
            return "text"
