"""Zero drift: after a bump the stack changes what it changed before, but for what was decided.

The record of the bump says by digest what each fold, and the stack in sum, changed on the old base and on the new one.
What they change now is taken from the very patches that are judged; what they changed before stands in the record. A
difference needs a decision on record: resolved by hand, taken by upstream, dropped.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from verify.diff.net import file_lines, lines_digest, net_of_blocks
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Block, Fold
from verify.model.bump import BumpRecord, DriftFold, DriftRow
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.ids import RepoPath, Sha256, show_path
from verify.model.verdict import Failed, Outcome, Passed
from verify.model.wording import count as counted

RECORD = "blocks/bump.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """The record of the last bump against the patches."""
    del params
    record = case.release.bump
    if record is None:
        return Passed(summary="no bump is on record")
    if record.to_base != case.base_tree:
        return Failed(summary="the base was changed without a bump", findings=(_other_base(record, case),))
    whole = record.to_tip == case.tip_tree()
    findings = (*_folds(record, case), *(_files(record, case) if whole else ()))
    if findings:
        return Failed(summary=counted(len(findings), "undecided difference"), findings=findings)
    decided = sum(file.decision is not None for fold in record.folds for file in fold.files)
    files = counted(len(record.rows), "file")
    if whole:
        return Passed(summary=f"{files} changed as before the bump, with {counted(decided, 'decision')}")
    return Passed(summary=f"folds that were not edited since the bump change what they did; {decided} decided")


def _folds(record: BumpRecord, case: Case) -> Iterator[Finding]:
    """Each fold that still has the patch that the bump left; an edit since is the edit's to explain."""
    declared = {(block.name, fold.id): (block, fold) for block in case.release.blocks for fold in block.folds}
    for each in record.folds:
        found = declared.get((each.block, each.fold))
        if found is None or hashlib.sha256(found[1].patch_bytes).hexdigest() != each.patch_sha256:
            continue
        yield from _fold(each, *found)


def _fold(each: DriftFold, block: Block, fold: Fold) -> Iterator[Finding]:
    now = _digests(fold)
    recorded = {file.path: file for file in each.files}
    for path in sorted(now.keys() | recorded.keys()):
        file = recorded.get(path)
        met = now.get(path)
        where = f"fold `{fold.id}` of block `{block.name}`"
        if file is None or file.now != met:
            yield _diagnostic(
                "drift-record-wrong",
                f"{where} does not change in `{show_path(path)}` what the bump's record says",
                f"recorded sha256 {file.now if file is not None else None}",
                f"met      sha256 {met}",
            )
        elif file.was != file.now and file.decision is None:
            yield _diagnostic(
                "drift-undecided",
                f"{where} changes other lines in `{show_path(path)}` than before the bump",
                f"{counted(file.removed, 'line')} not changed any more, {counted(file.added, 'line')} newly changed",
                "nobody decided so: it was neither resolved by hand nor taken by upstream",
            )


def _digests(fold: Fold) -> dict[RepoPath, Sha256]:
    lines: dict[RepoPath, tuple[tuple[bytes, bytes], ...]] = {}
    for change in fold.patch.files:
        path = change.new_path if change.new_path is not None else change.old_path
        if path is not None:
            lines[path] = (*lines.get(path, ()), *file_lines(change))
    return {path: lines_digest(each) for path, each in lines.items()}


def _files(record: BumpRecord, case: Case) -> Iterator[Finding]:
    """Every file at the very tip that the bump left."""
    now = {path: lines_digest(file.lines()) for path, file in net_of_blocks(case.release.blocks).items()}
    rows: dict[RepoPath, DriftRow] = {row.path: row for row in record.rows}
    for path in sorted(now.keys() | rows.keys()):
        row = rows.get(path)
        shown = show_path(path)
        if row is None or row.now != now.get(path):
            yield _diagnostic(
                "drift-record-wrong",
                f"the stack does not change in `{shown}` what the bump's record says",
                f"recorded sha256 {row.now if row is not None else None}",
                f"met      sha256 {now.get(path)}",
            )
        elif row.undecided or (row.was != row.now and not _is_decided(record, path)):
            yield _diagnostic(
                "drift-undecided",
                f"the tip less upstream is another change of `{shown}` than before the bump",
                f"{counted(row.removed, 'line')} not changed any more, {counted(row.added, 'line')} newly changed",
                f"{counted(row.undecided, 'line')} of them without a decision",
            )
        elif row.merged_by_git is False and not _is_decided(record, path):
            yield _diagnostic(
                "drift-git-differs",
                f"git merges the old tip and the new base to another `{shown}`",
                "both agree that there is no conflict, and not on the place",
            )


def _is_decided(record: BumpRecord, path: RepoPath) -> bool:
    return any(file.path == path and file.decision is not None for fold in record.folds for file in fold.files)


def _diagnostic(code: str, message: str, *notes: str) -> Finding:
    return Diagnostic(
        code=code,
        message=message,
        place=Place(file=RECORD),
        notes=notes,
        help="stackproof undo  # takes the bump back; then stackproof bump --to SOURCE",
    )


def _other_base(record: BumpRecord, case: Case) -> Finding:
    return Diagnostic(
        code="drift-base-differs",
        message="the base is not the one that the stack was bumped to",
        place=Place(file=RECORD),
        notes=(f"recorded {record.to_base}", f"met      {case.base_tree}"),
        help="stackproof bump --to SOURCE, from the base on record",
    )


KIND = Kind(
    name="drift",
    about="after a bump the stack changes what it changed before, but for what was decided",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
)
