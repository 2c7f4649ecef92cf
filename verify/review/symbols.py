"""What the names on some lines mean, in two trees: their definitions wherever they can reach those lines. Pure.

Same text can mean something else when a function, macro, type, constant or field that it uses is defined otherwise,
once more, or no longer. Looked at are the files that can be reached (`reach.py`) and differ. A function that those only
declare, or that is called and not declared there at all, is looked for in every file that differs. In files without a
grammar, and where a grammar lost its way, the lines that hold the name are compared instead.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verify.model.ids import RepoPath
from verify.model.outline import Definition, DefinitionKind, Function, Outline
from verify.review.reach import reach
from verify.review.sources import Sources
from verify.review.units import is_prose
from verify.syntax.glance import family, made_at

_WORD = re.compile(rb"[A-Za-z_][A-Za-z0-9_]*")
_CALLED = re.compile(rb"(?<![\w.>:])((?:\w+::)*\w+)[ \t]*\(")
_OPENS_ALL = {b"using", b"import"}
_NOT_CODE = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/")
_KEYWORDS = {b"if", b"else", b"for", b"while", b"return", b"int", b"void", b"const", b"static", b"char"}
_TYPES = frozenset(
    b"auto bool break case catch class constexpr continue default delete do double enum explicit extern float goto "
    b"inline int8_t int16_t int32_t int64_t long namespace new noexcept nullptr operator override private protected "
    b"public register short signed size_t sizeof ssize_t static_assert std struct switch template this throw try "
    b"typedef typename uint8_t uint16_t uint32_t uint64_t union unsigned using virtual volatile".split()
)
"""Words that no function or variable has for a name."""
_WITH_BODY = (DefinitionKind.FUNCTION, DefinitionKind.MACRO, DefinitionKind.TYPE, DefinitionKind.VARIABLE)
ANY = b"*"
_FEW = 60  # so many names are looked for one by one before a file's words are made out


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """The names on a change's lines, those outside of comments and strings, the called ones, and the lines' files."""

    names: frozenset[bytes]
    coded: frozenset[bytes]
    called: frozenset[bytes]
    files: tuple[RepoPath, ...]


def used_on(lines: Iterable[bytes], files: Iterable[RepoPath]) -> Used:
    """Every word of these lines that may be a name; words in comments count too, which errs on the safe side."""
    texts = tuple(lines)
    return Used(
        names=frozenset(word for line in texts for word in _WORD.findall(line)) - _KEYWORDS,
        coded=frozenset(word for line in texts for word in _WORD.findall(_NOT_CODE.sub(b" ", line)))
        - _KEYWORDS
        - _TYPES,
        called=frozenset(
            name.rpartition(b"::")[2]
            for line in texts
            for name in _CALLED.findall(line)
            if not name.startswith(b"std::")
        )
        - _KEYWORDS
        - _TYPES,
        files=tuple(files),
    )


def redefined(used: Used, old: Sources, new: Sources, differing: Iterable[RepoPath]) -> tuple[Redefined, ...]:
    """The names that mean something else in the new tree; `differing` are the paths that are not the same in both."""
    paths = frozenset(differing)
    reached = reach(old, used.files) | reach(new, used.files)
    near = tuple(sorted(paths & reached))
    before, after = _meanings(used.names, old, near), _meanings(used.names, new, near)
    elsewhere = linked_elsewhere(used, old, new, far=paths - reached, reached=reached)
    found = []
    for name in sorted(used.names | {ANY}):
        was, now = before.get(name, []), after.get(name, [])
        if name in elsewhere:
            was, now = was + elsewhere[name][0], now + elsewhere[name][1]
        if sorted(each.same() for each in was) != sorted(each.same() for each in now):
            found.append(Redefined(name=name, old=_without(was, now), new=_without(now, was)))
    return tuple(found)


Both = dict[bytes, tuple[list[Meaning], list[Meaning]]]


def linked_elsewhere(
    used: Used, old: Sources, new: Sources, *, far: Iterable[RepoPath], reached: Iterable[RepoPath]
) -> Both:
    """The names whose bodies stand in files that cannot be reached, and are not the same in both trees: then and now.

    `reached` are the files that can be reached from those of the lines, `far` others that differ; asked for are the
    names in `used.coded`.
    """
    linked = _linked(used.called, used.coded, (old, new), reached)
    return _elsewhere(linked, used.files, old, new, sorted(far)) if linked else {}


def _elsewhere(
    asked: frozenset[bytes], by: Iterable[RepoPath], old: Sources, new: Sources, far: Iterable[RepoPath]
) -> Both:
    """Functions and variables of these names that other files make, and that are not the same in both trees."""
    families = {family(path) for path in by} - {""}
    sides: tuple[dict[bytes, list[Meaning]], ...] = ({}, {})
    for path in far:
        if family(path) not in families:
            continue
        names = _made_otherwise(asked, path, old, new)
        for sources, side in zip((old, new), sides, strict=True):
            for name, meaning in _made_for_others(names, sources.definitions(path), path) if names else ():
                side.setdefault(name, []).append(meaning)
    both = {name: (sides[0].get(name, []), sides[1].get(name, [])) for name in sides[0].keys() | sides[1].keys()}
    return {
        name: (was, now)
        for name, (was, now) in both.items()
        if sorted(each.same() for each in was) != sorted(each.same() for each in now)
    }


def _made_otherwise(names: frozenset[bytes], path: RepoPath, old: Sources, new: Sources) -> frozenset[bytes]:
    """The names of which, at a glance, a file may make something else in the new tree."""
    if len(names) <= _FEW:
        texts = [text for sources in (old, new) if (text := sources.content(path)) is not None]
        word = re.compile(rb"\b(?:" + b"|".join(sorted(names)) + rb")\b")
        names = frozenset(name for text in texts for name in word.findall(text))
        if not names:
            return names
    was, now = old.glance(path), new.glance(path)
    asked = names & frozenset().union(*(each.makes for each in (was, now) if each is not None))
    if was is None or now is None:
        return asked
    before, after = old.content(path) if asked else None, new.content(path) if asked else None
    if before is None or after is None:
        return asked
    return frozenset(
        name
        for name in asked
        if sorted((was.heads_at(at), made_at(path, before, at)) for at in was.makes.get(name, ()))
        != sorted((now.heads_at(at), made_at(path, after, at)) for at in now.makes.get(name, ()))
    )


def _linked(
    called: frozenset[bytes], names: frozenset[bytes], trees: tuple[Sources, ...], reached: Iterable[RepoPath]
) -> frozenset[bytes]:
    """Those of the names that are called, or only declared, and have no body in any file that can be reached."""
    bodies: set[bytes] = set()
    declared: set[bytes] = set()
    for path in reached if names else ():
        for sources in trees:
            said = sources.glance(path)
            outline = sources.definitions(path) if said is not None and said.words & names else None
            for each in outline.definitions if outline is not None else ():
                if each.kind is DefinitionKind.DECLARATION or (outline is not None and _is_extern(each, outline)):
                    declared.add(each.name)
                elif each.kind in _WITH_BODY:
                    bodies.add(each.name)
    return ((called | declared) & names) - bodies


def _made_for_others(
    names: frozenset[bytes], outline: Outline | None, path: RepoPath
) -> Iterator[tuple[bytes, Meaning]]:
    if outline is None:
        return
    for each in outline.functions:
        name = each.name.rpartition(b"::")[2]
        if name in names and not _is_private(each, outline):
            line = outline.line_of(each.span.start)
            yield name, Meaning(path=path, line=line, kind="function", within=each.within, text=outline.of(each.span))
    for made in outline.definitions:
        if made.name in names and made.kind is DefinitionKind.VARIABLE and not made.within:
            yield made.name, _meaning(made, outline, path)


def _is_extern(definition: Definition, outline: Outline) -> bool:
    return definition.kind is DefinitionKind.VARIABLE and outline.text.startswith(b"extern", definition.span.start)


def _is_private(function: Function, outline: Outline) -> bool:
    head = outline.text[function.span.start : function.body.start]
    return re.match(rb"\s*static\b", head) is not None


def _without(these: list[Meaning], others: list[Meaning]) -> tuple[Meaning, ...]:
    left = [each.same() for each in others]
    found = []
    for each in these:
        if each.same() in left:
            left.remove(each.same())
        else:
            found.append(each)
    return tuple(found)


def _meanings(names: frozenset[bytes], sources: Sources, paths: Iterable[RepoPath]) -> dict[bytes, list[Meaning]]:
    found: dict[bytes, list[Meaning]] = {}
    for path in paths:
        said = sources.glance(path)
        if said is None or is_prose(path) or not said.words & (names | _OPENS_ALL):
            continue
        for name, meaning in _meanings_in(names, sources.definitions(path), path, sources.content(path) or b""):
            found.setdefault(name, []).append(meaning)
    return found


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
