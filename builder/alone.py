"""Each block alone: on the base with what it requires and nothing else; pure.

Takes the blocks with the layers as derived; gives a tree for each block, and one for each of its requirements left
out. Folds go on these trees by the rules of carry, from their recorded preimages. Where a hunk then has no place, an
earlier block is needed for its text: it is put in, told apart from what `requires` says, and with the hunk that
conflicts without it. Such trees are built and never released.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from builder.carry import Carried, NotCarried, carry_patch
from builder.tree import NewObject, ObjectSource, Overlay, Tree
from verify.diff.parse import parse_canonical
from verify.diff.trace import Added, Piece, Trace, blobs_to_count, count_lines, trace
from verify.gates.alone import AloneTree, TextualNeed
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, FoldId, RepoPath
from verify.model.patch import Patch
from verify.model.stack import Layer, Stack

_Names = tuple[BlockName, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alone:
    """The trees, in stack order, and the objects that were made for them."""

    trees: tuple[AloneTree, ...]
    objects: tuple[NewObject, ...]


def alone_trees(
    *, blocks: tuple[Block, ...], stack: Stack, source: ObjectSource, made: Iterable[NewObject] = ()
) -> Alone:
    """A tree for each block, and one for each of its requirements left out; `made` are objects not yet in `source`."""
    work = Apart(blocks, stack, source, made)
    trees: list[AloneTree] = []
    for block in blocks:
        trees.append(work.alone(block, without=None))
        trees += (work.alone(block, without=each) for each in block.requires)
    return Alone(trees=tuple(trees), objects=work.objects())


def required(blocks: Sequence[Block], block: Block, without: BlockName | None = None) -> frozenset[BlockName]:
    """What a block requires, and what that requires; `without` leaves one of its own requirements out."""
    requires = {each.name: each.requires for each in blocks}
    found: set[BlockName] = set()
    waiting = [name for name in block.requires if name != without]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += requires.get(name, ())
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Laying:
    """Some blocks laid in stack order: the tree, and each fold as it went on."""

    tree: Tree
    layers: tuple[Layer, ...] = ()
    carried: tuple[tuple[BlockName, Fold], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Conflict:
    block: BlockName
    fold: FoldId
    findings: tuple[Diagnostic, ...]


class Apart:
    """Lays blocks of one stack apart from the rest, and remembers what was laid."""

    def __init__(
        self, blocks: tuple[Block, ...], stack: Stack, source: ObjectSource, made: Iterable[NewObject] = ()
    ) -> None:
        overlay = Overlay(source)
        for new in made:
            overlay.add(new)
        self._blocks = {block.name: block for block in blocks}
        self._order: _Names = tuple(self._blocks)
        self._layers = {(layer.block, layer.fold): layer for layer in stack.layers}
        self._overlay = overlay
        self._known: dict[_Names, _Laying | _Conflict] = {(): _Laying(tree=Tree.at(overlay, stack.base_tree))}
        self._paths = {
            name: {file.path for layer in stack.layers if layer.block == name for file in layer.files}
            for name in self._order
        }

    def objects(self) -> tuple[NewObject, ...]:
        """Every object that was made."""
        return self._overlay.objects()

    def alone(self, block: Block, without: BlockName | None) -> AloneTree:
        """The block's own tree, with as little as its text lets it have beyond what is required."""
        return self.beside(block, required(tuple(self._blocks.values()), block, without), without)

    def beside(self, block: Block, keep: frozenset[BlockName], without: BlockName | None = None) -> AloneTree:
        """The block on the base with the blocks of `keep`, and with those that its text needs."""
        below = self._least(block.name, keep)
        laid = self._lay((*below, block.name))
        assert isinstance(laid, _Laying)  # at worst it is the whole prefix, which was derived
        textual = tuple(self._textual(block.name, below, each) for each in below if each not in keep)
        return AloneTree(
            block=block.name,
            without=without,
            below=below,
            textual=textual,
            tree=laid.tree.id,
            trace=self._trace(laid),
        )

    def _least(self, block: BlockName, keep: frozenset[BlockName]) -> _Names:
        """The fewest earlier blocks, those of `keep` among them, on which the block has a place."""
        earlier = self._order[: self._order.index(block)]
        chosen = tuple(name for name in earlier if name in keep)
        if isinstance(self._lay((*chosen, block)), _Laying):
            return chosen
        near = self._sharing({block, *chosen})
        chosen = tuple(name for name in earlier if name in keep or name in near)
        if not isinstance(self._lay((*chosen, block)), _Laying):
            chosen = earlier
        while True:
            # one that could not go may be free to go once another has gone
            before = chosen
            for name in reversed(before):
                fewer = tuple(each for each in chosen if each != name)
                if name not in keep and isinstance(self._lay((*fewer, block)), _Laying):
                    chosen = fewer
            if chosen == before:
                return chosen

    def _sharing(self, names: set[BlockName]) -> set[BlockName]:
        """The blocks that change a file in common with these, and those that do with them."""
        while True:
            paths = set().union(*(self._paths[name] for name in names))
            more = {name for name in self._order if self._paths[name] & paths} - names
            if not more:
                return names
            names = names | more

    def _textual(self, block: BlockName, below: _Names, on: BlockName) -> TextualNeed:
        conflict = self._lay((*(each for each in below if each != on), block))
        assert isinstance(conflict, _Conflict)  # else it would have been left out
        return TextualNeed(block=conflict.block, fold=conflict.fold, on=on, findings=conflict.findings)

    def _lay(self, names: _Names) -> _Laying | _Conflict:
        laying: _Laying | _Conflict = self._known[()]
        for end in range(1, len(names) + 1):
            below, part = laying, names[:end]
            if isinstance(below, _Conflict):
                return below
            known = self._known.get(part)
            if known is None:
                known = self._known[part] = self._on(below, self._blocks[part[-1]])
            laying = known
        return laying

    def _on(self, laying: _Laying, block: Block) -> _Laying | _Conflict:
        for fold in block.folds:
            layer = self._layers[block.name, fold.id]
            met = Tree.at(self._overlay, layer.before)
            carried = carry_patch(
                fold.patch, fold.patch_bytes, onto=laying.tree, recorded=met.blob, file=fold.patch_file
            )
            if isinstance(carried, NotCarried):
                return _Conflict(block=block.name, fold=fold.id, findings=carried.findings)
            # these trees have no commits: the layer's stays the stack's
            moved = replace(layer, before=laying.tree.id, after=carried.tree.id, files=carried.files)
            laying = _Laying(
                tree=carried.tree,
                layers=(*laying.layers, moved),
                carried=(*laying.carried, (block.name, replace(fold, patch=_read(carried, fold)))),
            )
        return laying

    def _trace(self, laid: _Laying) -> Trace:
        """The lines of the tree, each to its line in fold.patch as it is recorded."""
        blocks = tuple(
            replace(block, folds=tuple(fold for name, fold in laid.carried if name == block.name))
            for block in self._blocks.values()
        )
        counts = {blob: count_lines(self._overlay.blob(blob)) for blob in blobs_to_count(blocks, laid.layers)}
        traced = trace(blocks, laid.layers, counts)
        recorded = {
            (name, fold.id): _line_map(fold.patch, self._fold(name, fold.id).patch) for name, fold in laid.carried
        }
        files = {
            path: tuple(_as_recorded(piece, recorded) for piece in pieces) for path, pieces in traced.files.items()
        }
        return replace(traced, files=files)

    def _fold(self, block: BlockName, fold: FoldId) -> Fold:
        return next(each for each in self._blocks[block].folds if each.id == fold)


def _read(carried: Carried, fold: Fold) -> Patch:
    """The carried patch with its own line numbers."""
    return fold.patch if carried.text == fold.patch_bytes else parse_canonical(carried.text, file=fold.patch_file)


def _line_map(carried: Patch, recorded: Patch) -> dict[int, int]:
    """Lines of added text in the carried patch → in the recorded one: the n-th of a file to the n-th."""
    found: dict[int, int] = {}
    there = dict(_added_lines(recorded))
    for path, lines in _added_lines(carried):
        if len(there.get(path, ())) == len(lines):
            found.update(zip(lines, there[path], strict=True))
    return found


def _added_lines(patch: Patch) -> Iterable[tuple[RepoPath | None, list[int]]]:
    for change in patch.files:
        lines: list[int] = [change.source_line] if change.binary is not None else []
        for hunk in change.hunks:
            line = hunk.source_line
            for sign, text in hunk.lines:
                line += 1
                if sign == b"+":
                    lines.append(line)
                line += not text.endswith(b"\n")
        yield change.new_path, lines


def _as_recorded(piece: Piece, recorded: dict[tuple[BlockName, FoldId], dict[int, int]]) -> Piece:
    if not isinstance(piece, Added):
        return piece
    lines = recorded[piece.block, piece.fold]
    return replace(piece, patch_line=lines.get(piece.patch_line, 0))
