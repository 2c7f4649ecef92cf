"""Definitions that upstream changed between two bases, by name: other ones, new ones beside the old, and gone ones.

A definition counts as the same where a definition of its name, kind and surroundings with the very same text is there
on both bases. A second one beside it (an overload, a redefinition, one under a condition) is a change of what the name
means, though no line of the first has changed.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from builder.bump.compared import Compared, added_lines, removed_lines
from builder.bump.outcome import UpstreamChange
from builder.sources import TreeSources
from builder.tree import Tree
from verify.model.ids import RepoPath
from verify.model.outline import Definition, DefinitionKind, Outline, Span
from verify.review.reach import Reach
from verify.review.symbols import linked_elsewhere, used_on
from verify.syntax.outlines import Outlines

_MOST_REACHED = 400  # where a file reaches more, only what it includes itself is looked at
_MOST_CHANGED = 1200  # where upstream changed more files, none far away is asked
_WORD = re.compile(rb"[A-Za-z_]\w{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Redefined:
    """One name that is defined otherwise now, where, and what upstream changed for that."""

    name: str
    path: RepoPath
    changes: tuple[UpstreamChange, ...]


class Definitions:
    """Looks definitions up in the files that upstream changed; each is parsed once, and only when it has the name."""

    def __init__(
        self,
        bases: tuple[Tree, Tree],
        changed: Iterable[RepoPath],
        compared: Compared,
        outlines: Outlines,
        now: Callable[[RepoPath], RepoPath],
    ) -> None:
        self._bases = bases
        self._changed = frozenset(changed)
        self._compared = compared
        self._outlines = outlines
        self._now = now
        self._sources = TreeSources(bases[0], outlines), TreeSources(bases[1], outlines)
        self._reach_on = Reach(self._sources[0]), Reach(self._sources[1])
        self._reached: dict[RepoPath, frozenset[RepoPath]] = {}
        self._words: dict[RepoPath, frozenset[bytes]] = {}
        self._known: dict[RepoPath, dict[bytes, list[Redefined]]] = {}

    def of(self, path: RepoPath, lines: Sequence[bytes], words: frozenset[bytes]) -> list[Redefined]:
        """What is defined otherwise of these names, which stand on some lines of a file of the old base."""
        reached = self._reach(path)
        found: list[Redefined] = []
        for place in sorted(self._changed & reached):
            if words & self._words_of(place):
                defined = self._defined_in(place)
                found += (each for name in sorted(words & defined.keys()) for each in defined[name])
        used = used_on(lines, (path,))
        # far away only what is called, and is declared within reach without a body
        called = used.called & words
        asks = bool(called) and len(self._changed) <= _MOST_CHANGED
        used = replace(used, names=words, coded=called, called=frozenset())
        linked = linked_elsewhere(used, *self._sources, far=self._changed - reached, reached=reached) if asks else {}
        for name, sides in linked.items():
            for place in sorted({each.path for side in sides for each in side}):
                found += self._defined_in(place).get(name, ())
        return found

    def _reach(self, path: RepoPath) -> frozenset[RepoPath]:
        """The files in which a file's names are looked for, on both bases."""
        known = self._reached.get(path)
        if known is None:
            old, new = self._reach_on
            asked = (path,), (self._now(path),)
            known = old.of(asked[0]) | new.of(asked[1])
            if len(known) > _MOST_REACHED:
                known = old.near(asked[0]) | new.near(asked[1])
            self._reached[path] = known
        return known

    def _words_of(self, path: RepoPath) -> frozenset[bytes]:
        """Every word of a file on both bases: what it does not name it does not define, and need not be parsed."""
        known = self._words.get(path)
        if known is None:
            texts = (self._bases[0].blob(path) or b"") + b"\n" + (self._bases[1].blob(self._now(path)) or b"")
            known = self._words[path] = frozenset(_WORD.findall(texts))
        return known

    def _defined_in(self, path: RepoPath) -> dict[bytes, list[Redefined]]:
        known = self._known.get(path)
        if known is not None:
            return known
        found: dict[bytes, list[Redefined]] = {}
        before, after = self._outline(path, 0), self._outline(path, 1)
        if before is not None or after is not None:
            old, new = _grouped(before), _grouped(after)
            for key in sorted(old.keys() | new.keys()):
                changes = self._changes(path, before, after, old.get(key, ()), new.get(key, ()))
                if changes:
                    name = key[0].decode("utf-8", "replace")
                    redefined = Redefined(name=name, path=path, changes=changes)
                    found.setdefault(key[0].rpartition(b"::")[2], []).append(redefined)
        self._known[path] = found
        return found

    def _outline(self, path: RepoPath, base: int) -> Outline | None:
        name = path if base == 0 else self._now(path)
        state = self._bases[base].entry(name)
        return self._outlines.definitions(name, state.blob) if state is not None else None

    def _changes(
        self,
        path: RepoPath,
        before: Outline | None,
        after: Outline | None,
        old: Sequence[Definition],
        new: Sequence[Definition],
    ) -> tuple[UpstreamChange, ...]:
        olds = [before.of(each.span) for each in old] if before is not None else []
        news = [after.of(each.span) for each in new] if after is not None else []
        found: dict[UpstreamChange, None] = {}
        for each, text in zip(old, olds, strict=True):
            if before is not None and text not in news:
                stays = len(old) == len(new) == 1
                found.update((c, None) for c in changes_in(self._compared, path, before, after, each.span, stays=stays))
        for each, text in zip(new, news, strict=True):
            if after is not None and text not in olds and not (len(old) == len(new) == 1):
                found.update((change, None) for change in _made(path, after, each.span))
        return tuple(found)


def changes_in(
    compared: Compared, path: RepoPath, before: Outline, after: Outline | None, span: Span, *, stays: bool
) -> tuple[UpstreamChange, ...]:
    """What upstream changed within a span of the old base; `stays` says that the new base has the same thing."""
    first, last = before.line_of(span.start), before.line_of(max(span.end - 1, span.start))
    if after is None:
        lines = tuple(before.text.split(b"\n")[first - 1 : last])
        return (UpstreamChange(path=path, old_start=first, new_start=0, removed=lines, added=()),)
    found: list[UpstreamChange] = []
    shift = 0
    for run in compared.runs(before.text, after.text):
        removed, added = removed_lines(run), added_lines(run)
        if run.line <= last and run.line + max(len(removed), 1) > first:
            # A change that goes on beyond the span is owed for what of it lies within.
            start = max(run.line, first)
            within = removed[start - run.line : max(last + 1 - run.line, 0)]
            inside = run.line >= first and run.line + len(removed) - 1 <= last
            found.append(
                UpstreamChange(
                    path=path,
                    old_start=start,
                    new_start=run.line + shift,
                    removed=within,
                    added=added if inside or stays else (),
                )
            )
        shift += len(added) - len(removed)
    return tuple(found)


def _made(path: RepoPath, after: Outline, span: Span) -> tuple[UpstreamChange, ...]:
    """A definition that only the new base has."""
    first, last = after.line_of(span.start), after.line_of(max(span.end - 1, span.start))
    lines = tuple(line + b"\n" for line in after.text.split(b"\n")[first - 1 : last])
    return (UpstreamChange(path=path, old_start=0, new_start=first, removed=(), added=lines),)


_Key = tuple[bytes, DefinitionKind, tuple[bytes, ...]]


def _grouped(outline: Outline | None) -> dict[_Key, list[Definition]]:
    found: dict[_Key, list[Definition]] = {}
    for each in outline.definitions if outline is not None else ():
        found.setdefault((each.name, each.kind, each.within), []).append(each)
    return found
