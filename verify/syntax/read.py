"""Reads a source text into an `Outline`: blank, parse, ask for all patterns at once, and put what encloses around.

What encloses what is found by places alone: captures come as spans, and each is looked up among the spans that may
stand around it.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from verify.model.ids import RepoPath
from verify.model.outline import (
    Around,
    Call,
    Definition,
    DefinitionKind,
    Exit,
    ExitKind,
    Function,
    Name,
    Outline,
    Span,
)
from verify.syntax.blank import blank, words
from verify.syntax.cmake import read_cmake
from verify.syntax.language import Language, language_of, parse, query
from verify.syntax.patterns import MAKES, USES

if TYPE_CHECKING:
    from tree_sitter import Node

_DECLARATORS = frozenset(
    {
        "identifier",
        "field_identifier",
        "type_identifier",
        "qualified_identifier",
        "destructor_name",
        "operator_name",
        "operator_cast",
        "template_function",
    }
)
Found = Mapping[str, Sequence["Node"]]


def read_outline(path: RepoPath, text: bytes, *, makes_alone: bool = False) -> Outline | None:
    """The outline of a file's text; None where no grammar is known for its name.

    With `makes_alone` it holds functions, definitions and what is broken, and no uses: some three times faster.
    """
    language = language_of(path)
    if language is None:
        return None
    return read_cmake(text) if language is Language.CMAKE else _read(language, text, makes_alone)


def _read(language: Language, text: bytes, makes_alone: bool) -> Outline:
    from tree_sitter import QueryCursor

    blanked = blank(language, text)
    tree = parse(language, blanked.text)
    found: Found = QueryCursor(
        query(language, MAKES[language] if makes_alone else MAKES[language] + USES[language])
    ).captures(tree.root_node)
    around = _around(found, text)
    nest, templates = _Nest(around), _Templates(_spans(found, "template"))
    functions = tuple(_functions(found, nest, templates, language))
    return Outline(
        text=text,
        functions=functions,
        around=tuple(Around(span=each.span, head=each.head) for each in around),
        inner=_spans(found, "inner"),
        loops=_spans(found, "loop"),
        calls=tuple(sorted(_calls(found), key=lambda each: each.span.start)),
        exits=tuple(sorted(_exits(found), key=lambda each: each.span.start)),
        definitions=tuple(
            sorted(
                _definitions(found, nest, templates, _outermost(functions), language),
                key=lambda each: each.span.start,
            )
        ),
        names=tuple(sorted(_names(found, text, blanked.places), key=lambda each: each.start)),
        comments=_spans(found, "comment"),
        blanked=tuple(Span(start=start, end=end) for start, end in blanked.places),
        broken=_spans(found, "broken"),
    )


def _spans(found: Found, *what: str) -> tuple[Span, ...]:
    spans = [_span(node) for name in what for node in found.get(name, ())]
    return tuple(sorted(spans, key=lambda span: (span.start, -span.end)))


def _span(node: "Node") -> Span:
    return Span(start=node.start_byte, end=node.end_byte)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Around:
    """Something that encloses: its span, its head, and the name that it gives to what it holds (empty: none)."""

    span: Span
    head: bytes
    name: bytes


class _Nest:
    """What encloses a span, outermost first; nodes of one tree lie in each other or apart."""

    def __init__(self, around: Sequence[_Around]) -> None:
        self._around = around
        self._starts = [each.span.start for each in around]
        self._outer: list[int] = []
        for at, each in enumerate(around):
            outer = at - 1
            while outer >= 0 and not around[outer].span.holds(each.span):
                outer = self._outer[outer]
            self._outer.append(outer)

    def of(self, span: Span) -> list[_Around]:
        """Everything that holds the span."""
        at = bisect_right(self._starts, span.start) - 1
        while at >= 0 and not self._around[at].span.holds(span):
            at = self._outer[at]
        found = []
        while at >= 0:
            found.append(self._around[at])
            at = self._outer[at]
        return found[::-1]


def _around(found: Found, text: bytes) -> tuple[_Around, ...]:
    around = []
    for what in ("around", "type", "condition"):
        for node in found.get(what, ()):
            body = node.child_by_field_name("body")
            named = node.child_by_field_name("name")
            if what == "condition":
                end = text.find(b"\n", node.start_byte)
                head, name = text[node.start_byte : end if end >= 0 else node.end_byte].rstrip(), b""
            elif body is None:
                continue
            else:
                head, name = text[node.start_byte : body.start_byte].rstrip(), _text(named)
            around.append(_Around(span=_span(node), head=head, name=name))
    return tuple(sorted(around, key=lambda each: (each.span.start, -each.span.end)))


def _text(node: "Node | None") -> bytes:
    return b"" if node is None else bytes(node.text or b"")


def _functions(found: Found, nest: _Nest, templates: "_Templates", language: Language) -> Iterator[Function]:
    for node in sorted(found.get("function", ()), key=lambda node: node.start_byte):
        body, name = node.child_by_field_name("body"), _function_name(node, language)
        if body is None or not name:
            continue
        span = templates.with_one(_span(node))
        outside = [each for each in nest.of(span) if each.span != span]
        names = [*(each.name for each in outside if each.name), name]
        yield Function(name=b"::".join(names), span=span, body=_span(body), within=tuple(each.head for each in outside))


class _Templates:
    """The lines `template <…>` and decorators, by where what they stand before ends."""

    def __init__(self, templates: Sequence[Span]) -> None:
        self._by_end: dict[int, Span] = {}
        for each in templates:
            self._by_end.setdefault(each.end, each)  # outermost first

    def with_one(self, span: Span) -> Span:
        """The span from there on, where one is directly around."""
        around = self._by_end.get(span.end)
        return around if around is not None and around.holds(span) else span


def _function_name(node: "Node", language: Language) -> bytes:
    if language is Language.PYTHON:
        return _text(node.child_by_field_name("name"))
    return _declared(node.child_by_field_name("declarator"))


def _declared(node: "Node | None") -> bytes:
    """The name inside a declarator: behind pointers, references, arrays, parentheses and parameters."""
    while node is not None and node.type not in _DECLARATORS:
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next(
                (child for child in node.named_children if child.type.endswith(("declarator", "identifier"))), None
            )
        node = inner
    return b"".join(_text(node).split())


def _calls(found: Found) -> Iterator[Call]:
    by_callee = {(node.child_by_field_name("function") or node).id: node for node in found.get("call", ())}
    for callee in found.get("called", ()):
        call = by_callee.get(callee.id)
        name = _called(callee)
        if call is not None and name:
            yield Call(name=name, span=_span(call))


def _called(node: "Node") -> bytes:
    """The last part of what is called; empty where it is no name (`(*f)(x)`)."""
    while True:
        for field in ("field", "attribute", "name"):
            inner = node.child_by_field_name(field)
            if inner is not None:
                node = inner
                break
        else:
            return _text(node) if node.type in {"identifier", "field_identifier"} else b""


def _exits(found: Found) -> Iterator[Exit]:
    for kind in ExitKind:
        for node in found.get(kind.value, ()):
            yield Exit(kind=kind, span=_span(node))


def _names(found: Found, text: bytes, places: Sequence[tuple[int, int]]) -> Iterator[Name]:
    for node in found.get("name", ()):
        yield Name(text=_text(node), start=node.start_byte)
    spans = [*places, *((node.start_byte, node.end_byte) for node in found.get("tokens", ()))]
    for start, end in spans:
        for word, at in words(text, start, end):
            yield Name(text=word, start=at)


def _outermost(functions: Sequence[Function]) -> tuple[Span, ...]:
    """The bodies that lie in no other one: they follow on each other."""
    spans: list[Span] = []
    for body in sorted((function.body for function in functions), key=lambda body: body.start):
        if not spans or body.start >= spans[-1].end:
            spans.append(body)
    return tuple(spans)


def _definitions(
    found: Found, nest: _Nest, templates: _Templates, bodies: Sequence[Span], language: Language
) -> Iterator[Definition]:
    for name, kind, whole in _named_definitions(found, language):
        at = bisect_right(bodies, whole.start, key=lambda body: body.start) - 1
        if at >= 0 and bodies[at].holds(whole):
            continue
        span = templates.with_one(whole)
        heads = tuple(each.head for each in nest.of(span) if each.span != whole)
        yield Definition(name=name.rsplit(b"::", 1)[-1], kind=kind, span=span, within=heads)


def _named_definitions(found: Found, language: Language) -> Iterator[tuple[bytes, DefinitionKind, Span]]:
    for node in found.get("function", ()):
        if name := _function_name(node, language):
            yield name, DefinitionKind.FUNCTION, _span(node)
    for what, kind in (
        ("macro", DefinitionKind.MACRO),
        ("type", DefinitionKind.TYPE),
        ("value", DefinitionKind.VALUE),
    ):
        for node in found.get(what, ()):
            yield _text(node.child_by_field_name("name")), kind, _span(node)
    for node in found.get("binding", ()):
        for name in _bound(node):
            yield name, DefinitionKind.BINDING, _span(node)
    for what, kind in (
        ("typedef", DefinitionKind.TYPE),
        ("declaration", DefinitionKind.VARIABLE),
        ("field", DefinitionKind.FIELD),
    ):
        for node in found.get(what, ()):
            for declarator in node.children_by_field_name("declarator"):
                name = _declared(declarator)
                declares = kind is not DefinitionKind.TYPE and _is_function(declarator)
                if name:
                    yield name, DefinitionKind.DECLARATION if declares else kind, _span(node)


def _bound(node: "Node") -> Iterator[bytes]:
    """The names that a binding gives another meaning; `*` for any."""
    match node.type:
        case "preproc_call":
            words = _text(node).split()
            if words[:1] == [b"#undef"] or words[:2] == [b"#", b"undef"]:
                yield words[-1]
        case "using_declaration":
            text = _text(node)
            yield b"*" if b"namespace" in text.split() else text.rstrip(b"; \t\n").rpartition(b"::")[2].strip()
        case "namespace_alias_definition":
            yield _text(node.child_by_field_name("name"))
        case "assignment" | "augmented_assignment":
            yield from _assigned(node.child_by_field_name("left"))
        case "delete_statement":
            yield from _assigned(node)
        case _:
            if any(child.type == "wildcard_import" for child in node.children):
                yield b"*"
            for imported in node.children_by_field_name("name"):
                alias = imported.child_by_field_name("alias")
                yield _text(alias) if alias is not None else _text(imported).partition(b".")[0]


def _assigned(node: "Node | None") -> Iterator[bytes]:
    if node is None:
        return
    if node.type == "identifier":
        yield _text(node)
    elif node.type == "attribute":
        yield _text(node.child_by_field_name("attribute"))
    elif node.type != "subscript":
        for child in node.named_children:
            yield from _assigned(child)
    else:
        yield from _assigned(node.named_children[0])


def _is_function(node: "Node | None") -> bool:
    while node is not None:
        if node.type == "function_declarator":
            return True
        node = node.child_by_field_name("declarator")
    return False
