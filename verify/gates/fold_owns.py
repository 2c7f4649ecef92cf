"""Ownership: a fold changes only paths that its block owns."""

from collections.abc import Iterator
from dataclasses import dataclass

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.glob import glob_matches
from verify.model.ids import RepoPath, show_path
from verify.model.verdict import Failed, Outcome, Passed
from verify.model.wording import count as counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every path of every fold against its block's globs."""
    del params
    blocks = case.release.blocks
    findings = tuple(stray for block in blocks for fold in block.folds for stray in _strays(block, fold, blocks))
    if findings:
        return Failed(summary=f"{len(findings)} paths are changed by a block that does not own them", findings=findings)
    count = sum(len(fold.patch.files) for block in blocks for fold in block.folds)
    return Passed(summary=f"{counted(count, 'changed file')} owned by the block that changes them")


def _strays(block: Block, fold: Fold, blocks: tuple[Block, ...]) -> Iterator[Finding]:
    for change in fold.patch.files:
        for path in dict.fromkeys(path for path in (change.old_path, change.new_path) if path is not None):
            if not _owns(block, path):
                yield _stray(block, fold, path, change.source_line, blocks)


def _owns(block: Block, path: RepoPath) -> bool:
    return any(glob_matches(glob, path) for glob in block.owns)


def _stray(block: Block, fold: Fold, path: RepoPath, line: int, blocks: tuple[Block, ...]) -> Finding:
    owners = [other.name for other in blocks if other is not block and _owns(other, path)]
    owned = f"owned by {', '.join(f'`{name}`' for name in owners)}" if owners else "owned by no block"
    move = f"move the hunks to a fold of `{owners[0]}`, or " if owners else ""
    return Diagnostic(
        code="fold-strays",
        message=f"fold `{fold.id}` of block `{block.name}` changes {show_path(path)}, which the block does not own",
        place=Place(file=fold.patch_file, line=line),
        notes=(owned, f"`{block.name}` owns: {', '.join(block.owns) or 'nothing'}"),
        help=f"{move}add the path to `owns` in {block.file}",
    )


KIND = Kind(
    name="fold-owns",
    about="a fold changes only paths that its block owns",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
