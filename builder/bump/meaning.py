"""Same text, changed meaning: what upstream changed in the functions that hunks stand in and in the names they use.

A hunk that goes on without a word may mean something else now. For each one the enclosing function and the definitions
of the names on its changed lines are read by their grammars on both bases, and every line that upstream changed in them
is owed a look. Definitions are looked for in the file itself, in the files that it includes and beside those: a name is
no more than a name, so a definition too many can be listed, and one that a macro makes can be missed.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from builder.bump.compared import Compared, added_lines, removed_lines
from builder.bump.outcome import OPEN, BumpedFold, UpstreamChange
from builder.bump.stack_on import Bumped
from builder.tree import Tree
from verify.model.block import Block
from verify.model.ids import BlockName, FoldId, RepoPath
from verify.model.outline import Definition, DefinitionKind, Function, Outline, Span
from verify.model.patch import FileChange, Hunk
from verify.syntax.outlines import Outlines

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]+[\"<]([^\">\n]+)[\">]", re.MULTILINE)
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([\w.]+)", re.MULTILINE)
_WORD = re.compile(rb"[A-Za-z_]\w{2,}")
_NOISE = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/")
_BESIDE = (b".c", b".cc", b".cpp", b".cu", b".m")
_MADE_ANYWHERE = frozenset(
    {DefinitionKind.FUNCTION, DefinitionKind.DECLARATION, DefinitionKind.MACRO, DefinitionKind.TYPE}
)
_MOST_FILES = 200
_KEYWORDS = frozenset(
    b"auto bool break case char class const continue default define delete double else endif enum extern false final "
    b"float for goto ifdef ifndef include inline int long namespace new None NULL nullptr override pass private "
    b"protected public return self short signed sizeof static std struct switch template this throw true True try "
    b"typedef typename undef union unsigned using virtual void volatile while with False elif def from import".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What upstream changed in one function or definition that a fold rests on; `why` says in words how."""

    block: BlockName
    fold: FoldId
    name: str
    why: str
    path: RepoPath
    changes: tuple[UpstreamChange, ...]

    def lines(self) -> int:
        """How many lines there are to read."""
        return sum(len(each.removed) + len(each.added) for each in self.changes)


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """All that is owed; `unread` are files that no grammar is known for, whose hunks' surroundings were not judged."""

    owed: tuple[Owed, ...]
    unread: tuple[RepoPath, ...]

    def lines(self) -> int:
        """How many different lines upstream changed there."""
        seen = {
            (each.path, change.old_start, change.new_start, change.removed, change.added)
            for each in self.owed
            for change in each.changes
        }
        return sum(len(removed) + len(added) for _, _, _, removed, added in seen)


def meaning_of(bumped: Bumped, blocks: Iterable[Block], compared: Compared) -> Meaning:
    """What every fold that goes on is owed."""
    work = _Work(bumped, compared)
    declared = {(block.name, fold.id): fold for block in blocks for fold in block.folds}
    for fold in bumped.folds:
        work.take(fold, declared[fold.key()].patch.files)
    return Meaning(owed=tuple(work.owed), unread=tuple(sorted(work.unread)))


class _Work:
    def __init__(self, bumped: Bumped, compared: Compared) -> None:
        overlay = bumped.tip.overlay
        self.old, self.new = Tree.at(overlay, bumped.old.base_tree), Tree.at(overlay, bumped.base)
        self.changed = {path for path, _ in self.old.differences(self.new)}
        self.by_name: dict[bytes, list[RepoPath]] = {}
        for path in self.changed:
            self.by_name.setdefault(path.rpartition(b"/")[2], []).append(path)
        self.back = {new: old for old, new in bumped.follow.items()}
        self.met = {(layer.block, layer.fold): Tree.at(overlay, layer.before) for layer in bumped.old.layers}
        self.compared = compared
        self.outlines = Outlines(overlay.blob)
        self.owed: list[Owed] = []
        self.unread: set[RepoPath] = set()
        self._scopes: dict[RepoPath, tuple[RepoPath, ...]] = {}
        self._defined: dict[RepoPath, dict[bytes, list[Owed]]] = {}
        self._words: dict[RepoPath, frozenset[bytes]] = {}

    def take(self, fold: BumpedFold, changes: Iterable[FileChange]) -> None:
        """All hunks of one fold that go on."""
        placed = {(self.back.get(each.path, each.path), each.hunk) for each in fold.pieces if each.outcome not in OPEN}
        functions: dict[tuple[RepoPath, bytes], Owed] = {}
        names: dict[RepoPath, set[bytes]] = {}
        for change in changes:
            path = change.new_path if change.new_path is not None else change.old_path
            if path is None:
                continue
            for number, hunk in enumerate(change.hunks, start=1):
                if (path, number) not in placed and (path, 0) not in placed:
                    continue
                names.setdefault(change.old_path or path, set()).update(_words(hunk))
                if change.old_path is not None and change.old_path in self.changed:
                    for each in self._around(fold, change.old_path, hunk):
                        functions[each.path, each.name.encode()] = each
        self.owed += functions.values()
        for path, words in names.items():
            self.owed += self._definitions(fold, path, words, {name for _, name in functions})

    def _around(self, fold: BumpedFold, path: RepoPath, hunk: Hunk) -> Iterator[Owed]:
        old, new = self.old.entry(path), self.new.entry(self._now(path))
        recorded = self.met[fold.key()].blob(path)
        if old is None or new is None or recorded is None or old.blob == new.blob:
            return
        before, after = self.outlines.of(path, old.blob), self.outlines.of(path, new.blob)
        if before is None or after is None:
            self.unread.add(path)
            return
        start = hunk.old_start - 1 if hunk.old() else hunk.old_start
        _, _, low, high = self.compared.around(recorded, before.text, start, start + len(hunk.old()))
        _, _, new_low, new_high = self.compared.around(before.text, after.text, low, high)
        now_in = {each.name for each in _functions_at(after, new_low, new_high)}
        for function in _functions_at(before, low, high):
            moved = function.name not in now_in and len(now_in) == 1
            others = b", ".join(sorted(now_in)).decode("utf-8", "replace")
            changes = self._in_span(path, before, after, function.span, _same_function(after, function))
            if changes:
                yield Owed(
                    block=fold.block,
                    fold=fold.fold,
                    name=function.name.decode("utf-8", "replace"),
                    why=f"stands in {others} now, and stood in it" if moved else "stands in it",
                    path=path,
                    changes=changes,
                )

    def _definitions(self, fold: BumpedFold, path: RepoPath, words: set[bytes], around: set[bytes]) -> Iterator[Owed]:
        for place in self._scope(path):
            if not words & self._words_of(place):
                continue
            for name, owed in self._defined_in(place).items():
                if name not in words:
                    continue
                for each in owed:
                    if each.name.encode() not in around and (place == path or each.why == "uses it"):
                        yield Owed(
                            block=fold.block,
                            fold=fold.fold,
                            name=each.name,
                            why="uses it",
                            path=each.path,
                            changes=each.changes,
                        )

    def _scope(self, path: RepoPath) -> tuple[RepoPath, ...]:
        """The changed files in which a file's names are looked for: itself, what it includes, and beside that."""
        known = self._scopes.get(path)
        if known is not None:
            return known
        text = self.old.blob(path) or b""
        found: dict[RepoPath, None] = {path: None} if path in self.changed else {}
        wanted = [match[1] for match in _INCLUDE.finditer(text)]
        if path.endswith(b".py"):
            wanted += [match[1].replace(b".", b"/") + b".py" for match in _IMPORT.finditer(text)]
        for name in wanted:
            stem = PurePosixPath(name.decode("utf-8", "replace")).stem.encode()
            for beside in (name, *(stem + suffix for suffix in _BESIDE)):
                for each in self.by_name.get(beside.rpartition(b"/")[2], ()):
                    if each.endswith(beside) and len(found) < _MOST_FILES:
                        found[each] = None
        self._scopes[path] = tuple(found)
        return self._scopes[path]

    def _words_of(self, path: RepoPath) -> frozenset[bytes]:
        """Every word of a file of the old base: what it does not name it does not define, and need not be parsed."""
        known = self._words.get(path)
        if known is None:
            known = self._words[path] = frozenset(_WORD.findall(self.old.blob(path) or b""))
        return known

    def _defined_in(self, path: RepoPath) -> dict[bytes, list[Owed]]:
        """The definitions of a file that upstream changed, by name."""
        known = self._defined.get(path)
        if known is not None:
            return known
        found: dict[bytes, list[Owed]] = {}
        old, new = self.old.entry(path), self.new.entry(self._now(path))
        before = self.outlines.of(path, old.blob) if old is not None and new is not None else None
        after = self.outlines.of(path, new.blob) if old is not None and new is not None else None
        if before is not None and after is not None:
            for definition in before.definitions:
                changes = self._in_span(path, before, after, definition.span, _same_definition(after, definition))
                if changes:
                    short = definition.name.rpartition(b"::")[2]
                    why = "uses it" if definition.kind in _MADE_ANYWHERE else "uses it in its file"
                    found.setdefault(short, []).append(
                        Owed(
                            block=BlockName(""),
                            fold=FoldId(""),
                            name=definition.name.decode("utf-8", "replace"),
                            why=why,
                            path=path,
                            changes=changes,
                        )
                    )
        self._defined[path] = found
        return found

    def _in_span(
        self, path: RepoPath, before: Outline, after: Outline, span: Span, now: Span | None
    ) -> tuple[UpstreamChange, ...]:
        """What upstream changed within a span of the old base; all of it where the new base has no such thing."""
        if now is not None and before.of(span) == after.of(now):
            return ()
        first, last = before.line_of(span.start), before.line_of(max(span.end - 1, span.start))
        found: list[UpstreamChange] = []
        shift = 0
        for run in self.compared.runs(before.text, after.text):
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
                        added=added if inside or now is not None else (),
                    )
                )
            shift += len(added) - len(removed)
        return tuple(found)

    def _now(self, path: RepoPath) -> RepoPath:
        return next((new for new, old in self.back.items() if old == path), path)


def _words(hunk: Hunk) -> set[bytes]:
    """The names on the lines that a hunk adds or removes, comments and strings left out."""
    text = b"".join(line for sign, line in hunk.lines if sign != b" ")
    return set(_WORD.findall(_NOISE.sub(b" ", text))) - _KEYWORDS


def _functions_at(outline: Outline, low: int, high: int) -> tuple[Function, ...]:
    """The innermost functions that lines (0-based, `high` not included) stand in or go over."""
    span = outline.lines(max(low, 0) + 1, max(high, low + 1))
    around = outline.enclosing(span)
    if around is not None:
        return (around,)
    return tuple(each for each in outline.functions if each.span.meets(span))


def _same_function(outline: Outline, function: Function) -> Span | None:
    """The one function of the same name in the same surroundings."""
    found = [each for each in outline.functions if each.name == function.name and each.within == function.within]
    return found[0].span if len(found) == 1 else None


def _same_definition(outline: Outline, definition: Definition) -> Span | None:
    found = [
        each
        for each in outline.definitions
        if (each.name, each.kind, each.within) == (definition.name, definition.kind, definition.within)
    ]
    return found[0].span if len(found) == 1 else None
