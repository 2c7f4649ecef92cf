"""What a stack changes in sum, file by file: upstream's lines that are gone and lines that are there instead, in order.

Folds are followed through their own hunks, so nothing is compared with anything and no text of upstream is read: a
removed line is known by the patch that removes it, an added one by the patch that adds it, and what one fold adds and
a later one takes away is no change at all. Two stacks that change the same lines in the same order give the same
items, whatever lies between the lines.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from verify.model.block import Block
from verify.model.ids import BlockName, FoldId, RepoPath, Sha256, show_path
from verify.model.patch import Action, FileChange, Hunk, Patch

REMOVED, ADDED, OTHER = b"-", b"+", b"~"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One line that is gone (with its line of the base) or there instead; `OTHER` is a mode, move or binary content."""

    sign: bytes
    text: bytes
    block: BlockName
    fold: FoldId
    base_line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NetFile:
    """One file's items in order; `origin` is its path in the base, None for a file that the stack brings."""

    origin: RepoPath | None
    items: tuple[Item, ...]

    def lines(self) -> tuple[tuple[bytes, bytes], ...]:
        """The items without where they come from."""
        return tuple((item.sign, item.text) for item in self.items)


def net_changes(folds: Iterable[tuple[BlockName, FoldId, Patch]]) -> Mapping[RepoPath, NetFile]:
    """What these folds change in sum, by the path at the end (the old one for a file that is gone)."""
    work = _Work()
    for block, fold, patch in folds:
        work.take(block, fold, patch)
    return work.result()


def net_of_blocks(blocks: Sequence[Block]) -> Mapping[RepoPath, NetFile]:
    """What the blocks change in sum."""
    return net_changes((block.name, fold.id, fold.patch) for block in blocks for fold in block.folds)


def lines_digest(lines: Iterable[tuple[bytes, bytes]]) -> Sha256:
    """Names signed lines by content; every byte, and where each line ends, counts."""
    digest = hashlib.sha256()
    for sign, text in lines:
        digest.update(b"%s%d:" % (sign, len(text)))
        digest.update(text)
    return Sha256(digest.hexdigest())


def file_lines(change: FileChange) -> tuple[tuple[bytes, bytes], ...]:
    """What one file of a patch changes: signed lines in order, and what is no line."""
    lines = tuple((sign, text) for hunk in change.hunks for sign, text in hunk.lines if sign != b" ")
    return (*((OTHER, text) for text in _others(change)), *lines)


@dataclass(frozen=True, slots=True)
class _Kept:
    """Lines of the base, from `start` (1-based) on; `count` is None for all that follow."""

    start: int
    count: int | None


_Element = _Kept | Item


class _Work:
    def __init__(self) -> None:
        self.rows: dict[RepoPath, tuple[RepoPath | None, list[_Element]]] = {}
        self.gone: dict[RepoPath, tuple[RepoPath | None, list[_Element]]] = {}

    def take(self, block: BlockName, fold: FoldId, patch: Patch) -> None:
        """All files of a patch refer to the tree before it."""
        made: dict[RepoPath, tuple[RepoPath | None, list[_Element]]] = {}
        left: dict[RepoPath, tuple[RepoPath | None, list[_Element]]] = {}
        for change in patch.files:
            origin, row = self._met(change)
            row = _followed(row, change.hunks, block, fold)
            row += (Item(sign=OTHER, text=text, block=block, fold=fold) for text in _others(change))
            if change.new_path is None:
                # A file that the stack brought and takes away again is no change; one of the base goes by its own name.
                left[change.old_path or RepoPath(b"")] = origin, row if origin is not None else []
                continue
            made[change.new_path] = origin, row
            if change.action is Action.RENAME and change.old_path is not None:
                left.setdefault(change.old_path, (None, []))
        for path in left:
            self.rows.pop(path, None)
        self.gone.update({each[0]: each for each in left.values() if each[0] is not None and each[1]})
        self.rows.update(made)

    def _met(self, change: FileChange) -> tuple[RepoPath | None, list[_Element]]:
        if change.old_path is None:
            return None, []
        return self.rows.get(change.old_path, (change.old_path, [_Kept(1, None)]))

    def result(self) -> dict[RepoPath, NetFile]:
        found: dict[RepoPath, NetFile] = {}
        for path, (origin, row) in [*self.gone.items(), *self.rows.items()]:
            items = tuple(each for each in row if isinstance(each, Item))
            if path in found:  # deleted, and made anew
                items = (*found[path].items, *items)
                origin = found[path].origin
            if items:
                found[path] = NetFile(origin=origin, items=items)
        return dict(sorted(found.items()))


def _followed(row: list[_Element], hunks: Sequence[Hunk], block: BlockName, fold: FoldId) -> list[_Element]:
    reader = _Reader(row)
    made: list[_Element] = []
    done = 0
    for hunk in hunks:
        first = hunk.old_start - 1 if hunk.old() else hunk.old_start
        made += reader.take(first - done)
        done = first
        for sign, text in hunk.lines:
            if sign == b"+":
                made.append(Item(sign=ADDED, text=text, block=block, fold=fold))
                continue
            passed = reader.take(1)
            done += 1
            made += passed if sign == b" " else _without(passed, text, block, fold)
    return [*made, *reader.rest()]


def _without(passed: Iterable[_Element], text: bytes, block: BlockName, fold: FoldId) -> Iterable[_Element]:
    """What is left of elements whose one line is removed: upstream's line is on record, a fold's own vanishes."""
    for each in passed:
        if isinstance(each, _Kept):
            yield Item(sign=REMOVED, text=text, block=block, fold=fold, base_line=each.start)
        elif each.sign != ADDED:
            yield each


class _Reader:
    """The elements of a row from the front; records of what is gone take no room and go with the line behind them."""

    def __init__(self, row: Sequence[_Element]) -> None:
        self._left = list(reversed(row))

    def take(self, count: int) -> list[_Element]:
        found: list[_Element] = []
        while count > 0 and self._left:
            each = self._left.pop()
            if isinstance(each, Item):
                found.append(each)
                count -= each.sign == ADDED
                continue
            if each.count is None or each.count > count:
                rest = None if each.count is None else each.count - count
                self._left.append(_Kept(each.start + count, rest))
                each = _Kept(each.start, count)
            count -= each.count or 0
            found.append(each)
        while self._left and isinstance(each := self._left[-1], Item) and each.sign != ADDED:
            found.append(self._left.pop())
        return found

    def rest(self) -> list[_Element]:
        return self._left[::-1]


def _others(change: FileChange) -> Iterable[bytes]:
    if change.action is not Action.MODIFY:
        old = show_path(change.old_path) if change.old_path is not None and change.new_path is not None else ""
        yield f"{change.action.value} {old}".rstrip().encode()
    if change.new_mode is not None:
        yield f"mode {change.new_mode.value}".encode()
    if change.binary is not None:
        yield f"binary {change.old_blob or ''}..{change.new_blob or ''}".encode()
