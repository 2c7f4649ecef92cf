"""Tombstones: what was dropped on purpose does not come back by another fold.

A tombstone is plain text, found in added lines as a whole word: where it starts or ends in a letter, digit or `_`,
the line must not go on with one, so that `old_queue` is no part of `old_queue_size`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Block, Fold, Tombstone
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.glob import glob_matches
from verify.model.ids import RepoPath, show_path
from verify.model.patch import FileChange
from verify.model.verdict import Failed, Outcome, Passed
from verify.model.wording import count as counted

_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every added line of every fold against every tombstone."""
    del params
    stones = case.release.all_tombstones()
    findings = tuple(
        _finding(block, fold, stone, path, line)
        for stone in stones
        for block in case.release.blocks
        for fold in block.folds
        for path, line in returns(stone, fold)
    )
    if findings:
        return Failed(summary=f"{counted(len(findings), 'added line')} with what was dropped", findings=findings)
    return Passed(summary=f"{counted(len(stones), 'tombstone')}, and nothing dropped came back")


def returns(stone: Tombstone, fold: Fold) -> Iterator[tuple[RepoPath, int]]:
    """Where a fold adds the text: the file, and the line of the patch."""
    text = stone.text.encode("utf-8")
    if text not in fold.patch_bytes:
        return
    for change in fold.patch.files:
        path = change.new_path
        if path is not None and (not stone.paths or any(glob_matches(glob, path) for glob in stone.paths)):
            yield from ((path, line) for line in _added(change, text))


def _added(change: FileChange, text: bytes) -> Iterator[int]:
    for hunk in change.hunks:
        line = hunk.source_line
        for sign, content in hunk.lines:
            line += 1
            if sign == b"+" and _holds(content, text):
                yield line
            if not content.endswith(b"\n"):
                line += 1  # the patch's own line about the missing line end


def _holds(line: bytes, text: bytes) -> bool:
    at = line.find(text)
    while at >= 0:
        end = at + len(text)
        before = at > 0 and text[0] in _WORD and line[at - 1] in _WORD
        behind = end < len(line) and text[-1] in _WORD and line[end] in _WORD
        if not before and not behind:
            return True
        at = line.find(text, at + 1)
    return False


def _finding(block: Block, fold: Fold, stone: Tombstone, path: RepoPath, line: int) -> Finding:
    return Diagnostic(
        code="tombstone-returns",
        message=f"fold `{fold.id}` of block `{block.name}` adds `{stone.text}` to {show_path(path)}, which was dropped",
        place=Place(file=fold.patch_file, line=line),
        notes=(f"dropped with {stone.source}: {stone.reason}",),
        help=f"stackproof drop {block.name}/{fold.id} --reason TEXT, or take the tombstone away on purpose",
    )


KIND = Kind(
    name="tombstones",
    about="no fold adds a line that holds what was dropped on purpose",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
