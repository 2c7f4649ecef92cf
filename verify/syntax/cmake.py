"""Reads CMake's language, which is nothing but commands, arguments and comments, into an `Outline`.

By hand and not by a grammar's library: that library comes as source alone, and to compile it would ask for Python's
headers on every machine. `function` and `macro` to their ends are functions, `foreach` and `while` loops; what sets a
variable or changes a target is a definition of it. Brackets, quotes and escapes are read as CMake's manual
(cmake-language) says.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from verify.model.outline import Around, Call, Definition, DefinitionKind, Exit, ExitKind, Function, Name, Outline, Span

_TOKEN = re.compile(
    rb"""(?P<comment>\#\[(?P<c>=*)\[.*?\](?P=c)\]|\#[^\n]*)
    |(?P<bracket>\[(?P<b>=*)\[.*?\](?P=b)\])
    |(?P<quoted>"(?:[^"\\]|\\.)*")
    |(?P<open>\()|(?P<close>\))
    |(?P<word>(?:[^\s()\#"\\]|\\.)+)
    |(?P<space>\s+)
    |(?P<other>.)""",
    re.DOTALL | re.VERBOSE,
)
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_:.+-]*")
# Commands that set a variable or change a target that stands among their arguments; all of these count as defined.
_MAKES = re.compile(
    rb"set|unset|option|list|string|math|file|include_directories|(?:set|get|find|add|target|cmake)_\w+"
)
_NO_NAME = re.compile(
    rb"[^A-Za-z_].*|.*[^\w.:+-].*|PRIVATE|PUBLIC|INTERFACE|APPEND|PREPEND|CACHE|STRING|BOOL|PATH|FILEPATH|PARENT_SCOPE"
    rb"|ON|OFF|EXPR|REGEX|REPLACE|MATCH|REQUIRED|TARGET|PROPERTY|PROPERTIES|STATIC|SHARED|TRUE|FALSE",
    re.DOTALL,
)
_BRANCHES = {b"if", b"elseif", b"else", b"endif"}
_ENDS = {b"endfunction": b"function", b"endmacro": b"macro", b"endforeach": b"foreach", b"endwhile": b"while"}
_EXITS = {b"return": ExitKind.RETURN, b"break": ExitKind.BREAK, b"continue": ExitKind.CONTINUE}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Command:
    name: bytes
    span: Span
    arguments: tuple[bytes, ...]


def read_cmake(text: bytes) -> Outline:
    """The outline of a CMakeLists.txt or *.cmake."""
    comments: list[Span] = []
    broken: list[Span] = []
    commands = list(_commands(text, comments, broken))
    functions, loops = [], []
    around: list[Around] = []
    opened: list[_Command] = []
    branches: list[_Command] = []
    for command in commands:
        name = command.name.lower()
        if name in _BRANCHES:
            if name != b"if" and branches:
                start = branches.pop()
                around.append(_branch(text, start, command))
            if name != b"endif":
                branches.append(command)
        if name in _ENDS.values():
            opened.append(command)
        elif name in _ENDS:
            if not opened or opened[-1].name.lower() != _ENDS[name]:
                broken.append(command.span)
                continue
            start = opened.pop()
            span = Span(start=start.span.start, end=command.span.end)
            if name in (b"endforeach", b"endwhile"):
                loops.append(span)
            elif start.arguments:
                body = Span(start=start.span.end, end=command.span.start)
                functions.append(Function(name=start.arguments[0], span=span, body=body, within=()))
    broken += (command.span for command in (*opened, *branches))
    functions = [
        replace(each, within=tuple(branch.head for branch in around if branch.span.holds(each.span)))
        for each in functions
    ]
    return Outline(
        text=text,
        functions=tuple(sorted(functions, key=lambda each: each.span.start)),
        around=tuple(sorted(around, key=lambda each: (each.span.start, -each.span.end))),
        inner=(),
        loops=tuple(sorted(loops, key=lambda span: span.start)),
        calls=tuple(Call(name=command.name, span=command.span) for command in commands),
        exits=tuple(
            Exit(kind=_EXITS[each.name.lower()], span=each.span) for each in commands if each.name.lower() in _EXITS
        ),
        definitions=tuple(_definitions(commands, functions, around)),
        names=tuple(_names(text, comments)),
        comments=tuple(comments),
        blanked=(),
        broken=tuple(broken),
    )


def _branch(text: bytes, start: _Command, end: _Command) -> Around:
    return Around(span=Span(start=start.span.start, end=end.span.start), head=text[start.span.start : start.span.end])


def _commands(text: bytes, comments: list[Span], broken: list[Span]) -> Iterator[_Command]:
    name: re.Match[bytes] | None = None
    arguments: list[bytes] = []
    depth = 0
    for token in _TOKEN.finditer(text):
        span = Span(start=token.start(), end=token.end())
        match token.lastgroup if token.lastgroup not in ("c", "b") else ("comment" if token["comment"] else "bracket"):
            case "comment":
                comments.append(span)
            case "space":
                pass
            case "open" if name is not None:
                depth += 1
            case "close" if depth:
                depth -= 1
                if depth == 0 and name is not None:
                    yield _Command(
                        name=name[0], span=Span(start=name.start(), end=token.end()), arguments=tuple(arguments)
                    )
                    name, arguments = None, []
            case "word" | "quoted" | "bracket" if depth:
                arguments.append(token[0].strip(b'"'))
            case "word" if name is None and _NAME.fullmatch(token[0]):
                name = token
            case _:
                broken.append(span)
    if name is not None:
        broken.append(Span(start=name.start(), end=len(text)))


def _definitions(commands: list[_Command], functions: list[Function], around: list[Around]) -> Iterator[Definition]:
    for function in functions:
        yield Definition(name=function.name, kind=DefinitionKind.FUNCTION, span=function.span, within=function.within)
    for command in commands:
        inside = any(function.body.holds(command.span) for function in functions)
        if inside or _MAKES.fullmatch(command.name.lower()) is None:
            continue
        heads = tuple(each.head for each in around if each.span.holds(command.span))
        for name in dict.fromkeys(command.arguments):
            if _NO_NAME.fullmatch(name) is None:
                yield Definition(name=name, kind=DefinitionKind.VARIABLE, span=command.span, within=heads)


def _names(text: bytes, comments: list[Span]) -> Iterator[Name]:
    skip = iter(comments)
    comment = next(skip, None)
    for match in _NAME.finditer(text):
        while comment is not None and comment.end <= match.start():
            comment = next(skip, None)
        if comment is None or match.start() < comment.start:
            yield Name(text=match[0], start=match.start())
