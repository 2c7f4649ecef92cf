"""YAML text to nodes with places: the only door to the yaml library.

Only the parser's events are used, so nothing is ever constructed: every scalar stays text, and `on`, `12e5` or an
all-digit hash mean what their field says. What makes a document mean more than it shows (anchors, aliases, tags,
directives, several documents) is refused.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from verify.manifest.json_syntax import HALF_PAIR, MAX_DEPTH, add_duplicate_key
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Entry, Form, Hole, Listing, Node, Scalar, Source, Spot, Table

_QUOTE_IT = {
    "\t": "indent with spaces: YAML takes no tabs there",
    "@": 'put the value in double quotes, as in "@1790000000 +0000"',
    "`": "put the value in double quotes",
    "%": "put the value in double quotes",
    "*": "put the value in double quotes: `*` at its start is an alias",
}


def read_yaml(source: Source, mistakes: Mistakes) -> Node:
    """The document; a hole where it is not YAML (the mistakes say why)."""
    # The C parser gives the same events some ten times faster; not every build of the library has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    composer = _Composer(source, mistakes, yaml.parse(source.text, Loader=loader))
    try:
        return composer.document()
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark or problem.context_mark
        at = mark.index if mark is not None else 0
        mistakes.add(
            "yaml-syntax",
            f"not YAML: {problem.problem or problem.context}",
            source.place(source.spot(at)),
            notes=_context(problem, source),
            step=_hint(source, at),
        )
    except yaml.YAMLError as problem:
        mistakes.add("yaml-syntax", f"not YAML: {problem}", source.place(source.spot(0)))
    return Hole(spot=source.spot(0))


def _hint(source: Source, at: int) -> str:
    met, before = source.text[at : at + 1], source.text[at - 1 : at]
    return _QUOTE_IT.get(met) or (_QUOTE_IT["*"] if before == "*" else "")


def _context(problem: yaml.MarkedYAMLError, source: Source) -> tuple[str, ...]:
    """What was being read, and where that began."""
    if not problem.context or not problem.problem:
        return ()
    mark = problem.context_mark
    if mark is None:
        return (problem.context,)
    spot = source.spot(mark.index)
    return (f"{problem.context} that begins at {source.file}:{spot.line}:{spot.column}",)


class _Composer:
    """Events to nodes; the types of events are taken by name since the C and the Python parser share them."""

    def __init__(self, source: Source, mistakes: Mistakes, events: Iterator[Any]) -> None:
        self._source = source
        self._mistakes = mistakes
        self._events = events

    def document(self) -> Node:
        next(self._events)
        start = next(self._events)
        if isinstance(start, yaml.StreamEndEvent):
            self._mistakes.add("yaml-empty", "the file says nothing", self._source.place(self._source.spot(0)))
            return Hole(spot=self._source.spot(0))
        if start.version is not None or start.tags:
            self._refuse("yaml-directive", "directives are not taken", self._spot(start), "remove the `%` line")
        node = self._node(next(self._events), depth=1)
        next(self._events)
        more = next(self._events)
        if isinstance(more, yaml.DocumentStartEvent):
            self._refuse(
                "yaml-documents", "a second document starts here", self._spot(more), "keep one document in the file"
            )
        return node

    def _spot(self, event: Any) -> Spot:
        return self._source.spot(event.start_mark.index, event.end_mark.index)

    def _refuse(self, code: str, message: str, spot: Spot, step: str) -> None:
        self._mistakes.add(code, message, self._source.place(spot), step=step)

    def _node(self, event: Any, depth: int) -> Node:
        spot = self._spot(event)
        if isinstance(event, yaml.AliasEvent):
            self._refuse("yaml-alias", f"the alias `*{event.anchor}` is not taken", spot, "write the value out")
            return Hole(spot=spot)
        if event.anchor is not None:
            self._refuse("yaml-anchor", f"the anchor `&{event.anchor}` is not taken", spot, "remove the anchor")
        if event.tag is not None:
            self._refuse("yaml-tag", f"the tag `{event.tag}` is not taken", spot, "remove the tag")
        if depth > MAX_DEPTH:
            self._refuse("yaml-depth", f"nested more than {MAX_DEPTH} levels deep", spot, "flatten the document")
            self._skip(event)
            return Hole(spot=spot)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, spot)
        if isinstance(event, yaml.SequenceStartEvent):
            items: list[Node] = []
            while not isinstance(item := next(self._events), yaml.SequenceEndEvent):
                items.append(self._node(item, depth + 1))
            return Listing(items=tuple(items), spot=spot)
        return self._table(event, depth)

    def _scalar(self, event: Any, spot: Spot) -> Scalar | Hole:
        text: str = event.value
        if HALF_PAIR.search(text):
            self._refuse("yaml-syntax", "not YAML: half of a surrogate pair in a string", spot, "")
            return Hole(spot=spot)
        return Scalar(text=text, form=Form.QUOTED if event.style else Form.PLAIN, spot=spot)

    def _table(self, event: Any, depth: int) -> Table:
        entries: dict[str, Entry] = {}
        while not isinstance(head := next(self._events), yaml.MappingEndEvent):
            key = self._node(head, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if isinstance(key, Scalar):
                if key.text in entries:
                    add_duplicate_key(key, entries[key.text].key, self._source, self._mistakes)
                else:
                    entries[key.text] = Entry(key=key, value=value)
            elif not isinstance(key, Hole):
                self._refuse("yaml-key", "a key must be text", key.spot, "name the field by a word")
        return Table(entries=tuple(entries.values()), spot=self._spot(event))

    def _skip(self, event: Any) -> None:
        """Pass over what an opening event opened."""
        level = 1 if isinstance(event, yaml.CollectionStartEvent) else 0
        while level:
            following = next(self._events)
            level += isinstance(following, yaml.CollectionStartEvent)
            level -= isinstance(following, yaml.CollectionEndEvent)
