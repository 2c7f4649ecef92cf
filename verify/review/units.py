"""What a run of changed lines stands in: the functions and definitions around it, on one side of a change. Pure.

The unit of a run is the outermost function that it meets; outside of functions it is the definition (an enumeration,
a table, a macro, a class's fields). Where there is neither, the lines above and below that the patch shows stand for
the surroundings. Without a grammar: of prose the paragraph is the unit, between blank lines and under its heading; of
code in an unknown language the whole file.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from verify.model.ids import RepoPath
from verify.model.outline import Definition, DefinitionKind, Function, Outline, Span

_PROSE = (b".txt", b".md", b".rst", b".adoc", b".log")
_PROSE_NAMES = {b"README", b"LICENSE", b"COPYING", b"NOTICE", b"AUTHORS", b"CHANGELOG", b"NEWS", b"TODO"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A function or a definition around a run: `text` is the digest of all of it, `line` how far below its first line.

    `name` is empty for lines outside of everything, whose `text` is then that of the shown context; `twin` numbers
    units of the same name, heads and text in one file, of which there are `twins`. `span` is its place in the file.
    """

    name: bytes
    within: tuple[bytes, ...]
    text: str
    line: int
    twin: int
    twins: int
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """The grammar lost its way over the run's surroundings, first at `line`."""

    line: int


def is_prose(path: RepoPath) -> bool:
    """Whether a file is text for people, by its name."""
    name = path.rsplit(b"/", 1)[-1]
    return name.lower().endswith(_PROSE) or name.upper() in _PROSE_NAMES


def units_of(
    outline: Outline | None, path: RepoPath, text: bytes, lines: tuple[int, int], context: tuple[bytes, ...]
) -> tuple[Unit, ...] | Unread:
    """The units of the lines (first, how many) on one side; `context` is what the patch shows around them there."""
    if outline is None:
        if is_prose(path):
            return (_paragraph(text, lines, context),)
        whole = Span(start=0, end=len(text))
        return (Unit(name=path, within=(), text=_digest(text), line=0, twin=0, twins=1, span=whole),)
    first, count = lines
    span = outline.lines(first, first + count - 1)
    functions = [each for each in _outermost(outline.functions) if _touches(each.span, span)]
    around = [
        each
        for each in outline.definitions
        if _is_unit(each)
        and _touches(each.span, span)
        and not any(function.span.holds(each.span) for function in functions)
    ]
    shown = outline.lines(first - len(context), first + max(count, 1) + len(context))
    spans = [*(each.span for each in functions), *(each.span for each in around)]
    inside = any(_holds(each, span) for each in spans)
    asked = spans if inside else [*spans, shown]
    broken = [each for each in outline.broken if any(each.meets(spot) for spot in asked)]
    if broken:
        return Unread(line=outline.line_of(broken[0].start))
    units = [_function_unit(each, outline, span) for each in functions]
    units += [_definition_unit(each, outline, span, context) for each in around]
    if not inside:
        units.append(_context_unit(outline.heads_at(span), context))
    return tuple(units)


def _outermost(functions: tuple[Function, ...]) -> Iterator[Function]:
    end = -1
    for each in sorted(functions, key=lambda each: (each.span.start, -each.span.end)):
        if each.span.start >= end:
            end = each.span.end
            yield each


def _touches(unit: Span, lines: Span) -> bool:
    """Whether lines lie in a unit or over a part of it; an empty place must lie truly inside."""
    if lines.start == lines.end:
        return unit.start < lines.start < unit.end
    return unit.meets(lines)


def _holds(unit: Span, lines: Span) -> bool:
    if lines.start == lines.end:
        return unit.start < lines.start < unit.end
    return unit.start <= lines.start and lines.end - 1 <= unit.end  # the line end is not part of a function


def _is_unit(definition: Definition) -> bool:
    return definition.kind not in (DefinitionKind.FUNCTION, DefinitionKind.FIELD, DefinitionKind.DECLARATION)


def _function_unit(function: Function, outline: Outline, lines: Span) -> Unit:
    text = outline.of(function.span)
    twins = [
        each
        for each in outline.functions
        if each.name == function.name and each.within == function.within and outline.of(each.span) == text
    ]
    return Unit(
        name=function.name,
        within=function.within,
        text=_digest(text),
        line=outline.line_of(max(lines.start, function.span.start)) - outline.line_of(function.span.start),
        twin=twins.index(function),
        twins=len(twins),
        span=function.span,
    )


def _definition_unit(definition: Definition, outline: Outline, lines: Span, context: tuple[bytes, ...]) -> Unit:
    if definition.kind is DefinitionKind.TYPE and _has_functions(definition, outline):
        # of a class with functions its other members may be anything: the lines around stand for the surroundings
        return _context_unit((*outline.heads_at(lines), b"in " + definition.name), context)
    if definition.kind is DefinitionKind.TYPE:
        fields = [
            outline.of(each.span)
            for each in outline.definitions
            if each.kind in (DefinitionKind.FIELD, DefinitionKind.VALUE) and definition.span.holds(each.span)
        ]
        text, line = b"\n".join(fields), -1
    else:
        text = outline.of(definition.span)
        line = outline.line_of(max(lines.start, definition.span.start)) - outline.line_of(definition.span.start)
    same = [
        each
        for each in outline.definitions
        if (each.name, each.kind, each.within) == (definition.name, definition.kind, definition.within)
    ]
    return Unit(
        name=definition.kind.value.encode() + b" " + definition.name,
        within=definition.within,
        text=_digest(text),
        line=line,
        twin=same.index(definition),
        twins=len(same),
        span=definition.span,
    )


def _paragraph(text: bytes, lines: tuple[int, int], context: tuple[bytes, ...]) -> Unit:
    """The block of lines without a blank one that the changed lines stand in, and the headings above it."""
    rows = text.splitlines(keepends=True)
    first, behind = lines[0] - 1, lines[0] - 1 + lines[1]
    top, end = first, behind
    while top > 0 and rows[top - 1].strip():
        top -= 1
    while end < len(rows) and rows[end].strip():
        end += 1
    headings = tuple(row.strip() for row in rows[:top] if row.startswith(b"#"))[-1:]
    if not any(row.strip() for row in rows[top:end]):
        return _context_unit(headings, context)
    block = b"".join(rows[top:end])
    return Unit(
        name=b"paragraph",
        within=headings,
        text=_digest(block + b"".join(context)),
        line=first - top,
        twin=0,
        twins=1,
        span=Span(start=0, end=0),
    )


def _has_functions(definition: Definition, outline: Outline) -> bool:
    return any(definition.span.holds(each.span) for each in outline.functions)


def _context_unit(heads: tuple[bytes, ...], context: tuple[bytes, ...]) -> Unit:
    text = _digest(b"".join(context))
    return Unit(name=b"", within=heads, text=text, line=-1, twin=0, twins=1, span=Span(start=0, end=0))


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
