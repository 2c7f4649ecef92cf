"""Same text, changed meaning: what upstream changed in the functions that hunks stand in and in the names they use.

A hunk that goes on without a word may mean something else now. For each one the enclosing function and the definitions
of the names on its changed lines are read by their grammars on both bases, and every line that upstream changed in
them is owed a look. Definitions are looked for wherever they can reach the lines, as for reviews (`verify/review`): a
name is no more than a name, so a definition too many can be listed, and one that a macro makes can be missed.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from builder.bump.compared import Compared
from builder.bump.defined import Definitions, changes_in
from builder.bump.outcome import OPEN, BumpedFold, UpstreamChange
from builder.bump.stack_on import Bumped
from builder.tree import Tree
from verify.model.block import Block
from verify.model.ids import BlockName, FoldId, RepoPath
from verify.model.outline import Function, Outline, Span
from verify.model.patch import FileChange, Hunk
from verify.syntax.language import Language, language_of
from verify.syntax.outlines import Outlines

_WORD = re.compile(rb"[A-Za-z_]\w{2,}")
_NOISE = re.compile(rb"\"(?:[^\"\\\n]|\\.)*\"|//[^\n]*|/\*.*?\*/")
_KEYWORDS = frozenset(
    b"auto bool break case char class const continue default define delete double else endif enum extern false final "
    b"float for goto ifdef ifndef include inline int long namespace new None NULL nullptr override pass private "
    b"protected public return self short signed sizeof static std struct switch template this throw true True try "
    b"typedef typename undef union unsigned using virtual void volatile while with False elif def from import".split()
)

_MEMBER = re.compile(rb"(?:\.|->)[ \t]*([A-Za-z_]\w{2,})")
_OF_CONTAINERS = frozenset(
    b"append assign back begin cbegin cend clear contains count data emplace emplace_back empty end erase find first "
    b"front get insert length pop_back push_back rbegin rend reserve reset resize second size str substr".split()
)
"""Members that every container has: where a line says them of something alone, they are not looked up."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What upstream changed in one function or definition that a fold rests on; `why` says in words how.

    `hunks` are those of the fold that rest on it, by the number in their file.
    """

    block: BlockName
    fold: FoldId
    name: str
    why: str
    path: RepoPath
    changes: tuple[UpstreamChange, ...]
    hunks: tuple[int, ...]

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
        self.back = {new: old for old, new in bumped.follow.items()}
        self.met = {(layer.block, layer.fold): Tree.at(overlay, layer.before) for layer in bumped.old.layers}
        self.compared = compared
        self.outlines = Outlines(overlay.blob)
        self.owed: list[Owed] = []
        self.unread: set[RepoPath] = set()
        self.definitions = Definitions((self.old, self.new), self.changed, compared, self.outlines, self._now)

    def take(self, fold: BumpedFold, changes: Iterable[FileChange]) -> None:
        """All hunks of one fold that go on."""
        placed = {(self.back.get(each.path, each.path), each.hunk) for each in fold.pieces if each.outcome not in OPEN}
        for change in changes:
            path = change.new_path if change.new_path is not None else change.old_path
            if path is None:
                continue
            hunks = [
                (number, hunk)
                for number, hunk in enumerate(change.hunks, start=1)
                if (path, number) in placed or (path, 0) in placed
            ]
            functions: dict[bytes, Owed] = {}
            if change.old_path is not None and change.old_path in self.changed:
                for number, hunk in hunks:
                    for each in self._around(fold, change.old_path, hunk, number):
                        known = functions.setdefault(each.name.encode(), each)
                        if known is not each:
                            functions[each.name.encode()] = replace(each, hunks=(*known.hunks, number))
            self.owed += functions.values()
            self.owed += self._redefined(fold, change.old_path or path, hunks, functions.keys())

    def _around(self, fold: BumpedFold, path: RepoPath, hunk: Hunk, number: int) -> Iterator[Owed]:
        old, new = self.old.entry(path), self.new.entry(self._now(path))
        recorded = self.met[fold.key()].blob(path)
        if old is None or new is None or recorded is None or old.blob == new.blob:
            return
        before, after = self.outlines.of(path, old.blob), self.outlines.of(path, new.blob)
        if before is None or after is None:
            self.unread.add(path)
            return
        first, behind = _changed_lines(hunk)
        _, _, low, high = self.compared.around(recorded, before.text, first, behind)
        _, _, new_low, new_high = self.compared.around(before.text, after.text, low, high)
        now_in = {each.name for each in _functions_at(after, new_low, new_high)}
        for function in _functions_at(before, low, high):
            moved = function.name not in now_in and len(now_in) == 1
            others = b", ".join(sorted(now_in)).decode("utf-8", "replace")
            same = _same_function(after, function)
            if same is not None and before.of(function.span) == after.of(same):
                continue
            changes = changes_in(self.compared, path, before, after, function.span, stays=same is not None)
            if changes:
                yield Owed(
                    block=fold.block,
                    fold=fold.fold,
                    name=function.name.decode("utf-8", "replace"),
                    why=f"stands in {others} now, and stood in it" if moved else "stands in it",
                    path=path,
                    changes=changes,
                    hunks=(number,),
                )

    def _redefined(
        self, fold: BumpedFold, path: RepoPath, hunks: Sequence[tuple[int, Hunk]], around: Collection[bytes]
    ) -> Iterator[Owed]:
        users: dict[bytes, list[int]] = {}
        for number, hunk in hunks:
            for word in _words(hunk, path):
                users.setdefault(word, []).append(number)
        lines = [text for _, hunk in hunks for sign, text in hunk.lines if sign != b" "]
        for each in self.definitions.of(path, lines, frozenset(users)):
            if each.name.encode() not in around:
                yield Owed(
                    block=fold.block,
                    fold=fold.fold,
                    name=each.name,
                    why="uses it",
                    path=each.path,
                    changes=each.changes,
                    hunks=tuple(users.get(each.name.rpartition("::")[2].encode(), ())),
                )

    def _now(self, path: RepoPath) -> RepoPath:
        return next((new for new, old in self.back.items() if old == path), path)


def _words(hunk: Hunk, path: RepoPath) -> set[bytes]:
    """The names on the lines that a hunk adds or removes, comments and strings left out; CMake's strings use names."""
    text = b"".join(line for sign, line in hunk.lines if sign != b" ")
    plain = text if language_of(path) is Language.CMAKE else _NOISE.sub(b" ", text)
    said = Counter(_WORD.findall(plain))
    members = Counter(_MEMBER.findall(plain))
    usual = {name for name in _OF_CONTAINERS if said[name] == members[name]}
    return said.keys() - usual - _KEYWORDS


def _changed_lines(hunk: Hunk) -> tuple[int, int]:
    """The recorded lines (0-based, the second not included) from a hunk's first change to its last."""
    at = hunk.old_start - 1 if hunk.old() else hunk.old_start
    touched: list[int] = []
    for sign, _ in hunk.lines:
        touched += [at, at + 1] if sign == b"-" else [at] if sign == b"+" else []
        at += sign != b"+"
    return min(touched, default=at), max(touched, default=at)


def _functions_at(outline: Outline, low: int, high: int) -> tuple[Function, ...]:
    """The innermost functions that lines (0-based, `high` not included) stand in or go over."""
    if low == high:  # between two lines: in what holds both
        around = outline.enclosing(outline.lines(low, low + 1)) if low else None
        return (around,) if around is not None else ()
    span = outline.lines(low + 1, high)
    around = outline.enclosing(span)
    if around is not None:
        return (around,)
    return tuple(each for each in outline.functions if each.span.meets(span))


def _same_function(outline: Outline, function: Function) -> Span | None:
    """The one function of the same name in the same surroundings."""
    found = [each for each in outline.functions if each.name == function.name and each.within == function.within]
    return found[0].span if len(found) == 1 else None
