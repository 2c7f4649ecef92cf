"""What the names on some lines mean: their definitions in the files that differ between two trees. Pure.

Same text can mean something else when a function, macro, type, constant or field that it uses is defined otherwise,
once more, or no longer. Only files that differ can tell of that; in files of a language without a grammar, and where a
grammar lost its way, the lines that hold the name are compared instead.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from verify.model.ids import RepoPath
from verify.model.outline import Definition, DefinitionKind, Outline
from verify.review.sources import Sources
from verify.review.units import is_prose

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_ANY = re.compile(rb"\busing\s+namespace\b|\bimport\s*\(?\s*\*")
_MAKES_NO_DIFFERENCE = {b"if", b"else", b"for", b"while", b"return", b"int", b"void", b"const", b"static", b"char"}
ANY = b"*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """One thing that a name stands for in a tree: the file and line, and its text with what it stands in."""

    path: RepoPath
    line: int
    kind: str
    within: tuple[bytes, ...]
    text: bytes

    def same(self) -> tuple[str, tuple[bytes, ...], bytes]:
        """What is compared: not the file and the line, for a definition may move."""
        return self.kind, self.within, self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class Redefined:
    """A name that means something else: what it meant and what it means now, each without what both have."""

    name: bytes
    old: tuple[Meaning, ...]
    new: tuple[Meaning, ...]


def names_on(lines: Iterable[bytes]) -> frozenset[bytes]:
    """Every word of these lines that may be a name; words in comments count too, which errs on the safe side."""
    return frozenset(word for line in lines for word in _WORD.findall(line)) - _MAKES_NO_DIFFERENCE


def redefined(
    names: frozenset[bytes], old: Sources, new: Sources, differing: Iterable[RepoPath]
) -> tuple[Redefined, ...]:
    """The names that mean something else in the new tree; `differing` are the paths that are not the same in both."""
    paths = tuple(differing)
    before, after = _meanings(names, old, paths), _meanings(names, new, paths)
    found = []
    for name in sorted(before.keys() | after.keys()):
        was, now = before.get(name, ()), after.get(name, ())
        if sorted(each.same() for each in was) != sorted(each.same() for each in now):
            found.append(Redefined(name=name, old=_without(was, now), new=_without(now, was)))
    return tuple(found)


def _without(these: tuple[Meaning, ...], others: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
    left = [each.same() for each in others]
    found = []
    for each in these:
        if each.same() in left:
            left.remove(each.same())
        else:
            found.append(each)
    return tuple(found)


def _meanings(
    names: frozenset[bytes], sources: Sources, paths: Iterable[RepoPath]
) -> Mapping[bytes, tuple[Meaning, ...]]:
    found: dict[bytes, list[Meaning]] = {}
    for path in paths:
        content = sources.content(path)
        if content is None or is_prose(path) or not (_words(content) & names or _ANY.search(content)):
            continue
        for name, meaning in _meanings_in(names, sources.definitions(path), path, content):
            found.setdefault(name, []).append(meaning)
    return {name: tuple(each) for name, each in found.items()}


def _words(content: bytes) -> frozenset[bytes]:
    return frozenset(_WORD.findall(content))


def _meanings_in(
    names: frozenset[bytes], outline: Outline | None, path: RepoPath, content: bytes
) -> Iterator[tuple[bytes, Meaning]]:
    if outline is None:
        if b"\0" not in content[:8000]:
            yield from _lines_with(names, path, content, 0)
        return
    for each in outline.definitions:
        if each.name in names or each.name == ANY:
            yield each.name, _meaning(each, outline, path)
    for span in outline.broken:
        yield from _lines_with(names, path, outline.of(span), outline.line_of(span.start) - 1)


def _meaning(each: Definition, outline: Outline, path: RepoPath) -> Meaning:
    return Meaning(
        path=path,
        line=outline.line_of(each.span.start),
        kind=each.kind.value,
        within=each.within,
        text=_text(each, outline),
    )


def _text(each: Definition, outline: Outline) -> bytes:
    """A definition's text; of a class without the bodies of its functions, which have names of their own."""
    if each.kind is not DefinitionKind.TYPE:
        return outline.of(each.span)
    parts, at = [], each.span.start
    for function in outline.functions:
        if each.span.holds(function.body) and function.body.start >= at:
            parts.append(outline.text[at : function.body.start])
            at = function.body.end
    return b"".join((*parts, outline.text[at : each.span.end]))


def _lines_with(names: frozenset[bytes], path: RepoPath, content: bytes, above: int) -> Iterator[tuple[bytes, Meaning]]:
    for number, line in enumerate(content.split(b"\n"), start=1):
        for name in frozenset(_WORD.findall(line)) & names:
            yield name, Meaning(path=path, line=above + number, kind="line", within=(), text=line.strip())
