"""A source text as its grammar sees it: functions, loops, calls, exits, definitions, names; values only.

Places are bytes of the text (`start` included, `end` not) and 1-based lines. Macros are not expanded, and what a
grammar could not read is `broken`: whoever asks about a span must ask first whether one of those lies over it.
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A part of a text: bytes from `start` to before `end`."""

    start: int
    end: int

    def holds(self, other: "Span") -> bool:
        """Whether the other one lies in this one."""
        return self.start <= other.start and other.end <= self.end

    def meets(self, other: "Span") -> bool:
        """Whether both have a byte in common; an empty span meets what it stands in or at."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function with a body: `name` with its classes and namespaces (`a::b::f`), `span` from its template line on.

    `within` are the heads of what it stands in, outermost first: namespaces, classes, conditions of the preprocessor.
    """

    name: bytes
    span: Span
    body: Span
    within: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call: `name` is the last part of what is called, as it is written (`push_back` of `a.b->push_back(x)`)."""

    name: bytes
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Something that encloses: a namespace, a class, a branch of the preprocessor; `head` is what it says of itself."""

    span: Span
    head: bytes


class ExitKind(StrEnum):
    """How control leaves a place early."""

    RETURN = "return"
    BREAK = "break"
    CONTINUE = "continue"
    GOTO = "goto"
    THROW = "throw"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exit:
    """A statement by which control leaves."""

    kind: ExitKind
    span: Span


class DefinitionKind(StrEnum):
    """What a definition makes; a binding gives a name another meaning: imports, `using`, `#undef`, assignments.

    A binding of `*` may give one to any name (`using namespace`, `from x import *`).
    """

    FUNCTION = "function"
    DECLARATION = "declaration"
    MACRO = "macro"
    TYPE = "type"
    VARIABLE = "variable"
    FIELD = "field"
    VALUE = "value"
    BINDING = "binding"


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """Where a name is made outside of a function's body; `span` is all of it. A declaration has no body."""

    name: bytes
    kind: DefinitionKind
    span: Span
    within: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One use of a name."""

    text: bytes
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outline:
    """One source text, read; every list in the order of the text.

    `inner` are lambdas and local functions without a name, whose exits leave themselves alone. `blanked` is what was
    kept from the grammar, and `comments` are comments and strings.
    """

    text: bytes
    functions: tuple[Function, ...]
    around: tuple[Around, ...]
    inner: tuple[Span, ...]
    loops: tuple[Span, ...]
    calls: tuple[Call, ...]
    exits: tuple[Exit, ...]
    definitions: tuple[Definition, ...]
    names: tuple[Name, ...]
    comments: tuple[Span, ...]
    blanked: tuple[Span, ...]
    broken: tuple[Span, ...]

    def enclosing(self, span: Span) -> Function | None:
        """The innermost function that the whole span lies in."""
        around = [function for function in self.functions if function.span.holds(span)]
        return min(around, key=lambda function: function.span.end - function.span.start, default=None)

    def heads_at(self, span: Span) -> tuple[bytes, ...]:
        """What a span stands in, outermost first."""
        return tuple(each.head for each in self.around if each.span.holds(span) and each.span != span)

    def named(self, name: bytes) -> tuple[Function, ...]:
        """Every function of this name; `f` and `b::f` both name `a::b::f`."""
        tail = b"::" + name
        return tuple(each for each in self.functions if each.name == name or each.name.endswith(tail))

    def names_in(self, span: Span) -> frozenset[bytes]:
        """Every name that is used in a span."""
        return frozenset(each.text for each in self.uses_in(span))

    def uses_in(self, span: Span) -> Iterator[Name]:
        """Every use of a name in a span."""
        at = bisect_left(self.names, span.start, key=lambda each: each.start)
        while at < len(self.names) and self.names[at].start < span.end:
            yield self.names[at]
            at += 1

    def definitions_of(self, name: bytes) -> tuple[Definition, ...]:
        """Every definition of a name."""
        return tuple(each for each in self.definitions if each.name == name)

    def broken_in(self, span: Span) -> tuple[Span, ...]:
        """Where the grammar lost its way over this span."""
        return tuple(each for each in self.broken if each.meets(span))

    def line_of(self, at: int) -> int:
        """The 1-based line of a byte."""
        return self.text.count(b"\n", 0, at) + 1

    def lines(self, first: int, last: int) -> Span:
        """The span of whole lines, both 1-based and included; lines behind the end are empty."""
        start = _start_of_line(self.text, first)
        return Span(start=start, end=max(start, _start_of_line(self.text, last + 1)))

    def of(self, span: Span) -> bytes:
        """The text of a span."""
        return self.text[span.start : span.end]


def _start_of_line(text: bytes, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        found = text.find(b"\n", at)
        if found < 0:
            return len(text)
        at = found + 1
    return at
