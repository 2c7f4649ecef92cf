"""Who stands behind a line of the tip: block, fold, author, source and reviewers, or upstream's own line.

Takes the trace of the stack (see `verify/diff/trace.py`) and the file as the tip holds it. Nothing is diffed.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from builder.tree import Tree
from verify.diff.trace import Added, Piece, Trace, Upstream, count_lines, trace
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlobId, RepoPath, show_path
from verify.model.release import BlobState, Release
from verify.model.stack import Stack

_REVIEW = re.compile(r"^(?:reviewed|acked|tested|approved)-by:[ \t]*(\S.*?)[ \t]*$", re.IGNORECASE | re.MULTILINE)
_WHERE = re.compile(r"(.*?)(?::(\d{1,9})(?:-(\d{1,9}))?)?", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """What is asked for: a file of the tip, and lines of it (1-based, both inclusive), all when None."""

    path: RepoPath
    lines: tuple[int, int] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldOrigin:
    """Lines that a fold added: `patch_line` is the first one's line in its patch."""

    block: Block
    fold: Fold
    patch_line: int

    def reviewers(self) -> tuple[str, ...]:
        """Who reviewed, acknowledged or tested it, as its message says."""
        return tuple(dict.fromkeys(_REVIEW.findall(self.fold.body)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRun:
    """Lines of the tip in a row, `first` to `last`, with one origin."""

    first: int
    last: int
    origin: FoldOrigin | Upstream


def read_where(text: str) -> Where:
    """`FILE`, `FILE:LINE` or `FILE:FIRST-LAST`."""
    match = _WHERE.fullmatch(text)
    assert match is not None
    path = RepoPath(match[1].removeprefix("./").encode("utf-8", "surrogateescape"))
    if match[2] is None:
        return Where(path=path, lines=None)
    first, last = int(match[2]), int(match[3] or match[2])
    if first < 1 or last < first:
        raise InputFault(
            Diagnostic(
                code="owner-lines",
                message=f"`{text}` does not name lines of a file",
                notes=("lines count from 1, and the last one does not stand before the first",),
                help="stackproof owner FILE:10-20",
            )
        )
    return Where(path=path, lines=(first, last))


def owners(
    *, where: Where, release: Release, stack: Stack, counts: Mapping[BlobId, int], base: Tree
) -> tuple[OwnedRun, ...]:
    """The origins of the lines that are asked for; raises `InputFault` when the tip has no such file or line."""
    traced = trace(release.blocks, stack.layers, counts)
    pieces = _pieces(where.path, traced, stack, base)
    total = sum(piece.count for piece in pieces)
    first, last = where.lines or (1, total)
    if where.lines is not None and first > total:
        raise InputFault(
            Diagnostic(
                code="owner-lines",
                message=f"{show_path(where.path)} has {total} lines at the tip, and line {first} is not among them",
                help=f"stackproof owner {show_path(where.path)}",
            )
        )
    return tuple(_within(pieces, first, min(last, total), release))


def _pieces(path: RepoPath, traced: Trace, stack: Stack, base: Tree) -> tuple[Piece, ...]:
    if path in traced.files:
        return traced.files[path]
    touched: dict[RepoPath, BlobState | None] = {file.path: file.after for each in stack.layers for file in each.files}
    content = base.blob(path) if path not in touched else None
    if content is None:
        raise _no_file(path, traced, base)
    return (Upstream(path=path, start=1, count=count_lines(content)),) if content else ()


def _within(pieces: tuple[Piece, ...], first: int, last: int, release: Release) -> Iterator[OwnedRun]:
    folds = {(block.name, fold.id): (block, fold) for block in release.blocks for fold in block.folds}
    line = 1
    for piece in pieces:
        start, end = max(line, first), min(line + piece.count - 1, last)
        if start <= end:
            origin: FoldOrigin | Upstream
            match piece:
                case Upstream():
                    origin = Upstream(path=piece.path, start=piece.start + start - line, count=end - start + 1)
                case Added():
                    block, fold = folds[piece.block, piece.fold]
                    at = piece.patch_line + (start - line if piece.texts else 0)
                    origin = FoldOrigin(block=block, fold=fold, patch_line=at)
            yield OwnedRun(first=start, last=end, origin=origin)
        line += piece.count


def _no_file(path: RepoPath, traced: Trace, base: Tree) -> InputFault:
    name = path.rpartition(b"/")[2]
    near = [other for other in traced.files if other.rpartition(b"/")[2] == name]
    what = "is a folder of the tip" if base.is_folder(path) else "is no file of the tip"
    return InputFault(
        Diagnostic(
            code="owner-no-file",
            message=f"{show_path(path)} {what}",
            notes=tuple(f"the stack changes {show_path(other)}" for other in near[:3]),
            help="name the file as the engine's tree does, from its root",
        )
    )
