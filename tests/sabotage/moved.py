"""A release that was bumped, whose stack is not what it was: lost, doubled, on another base, or its record edited."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from tests.gates.good import AFTER_CACHE, BASE, CACHE_FILE, oid
from tests.sabotage.ways import Way, broken, in_first_fold
from verify.diff.net import file_lines, lines_digest, net_of_blocks
from verify.gates.case import Case
from verify.model.bump import BumpRecord, Decision, DriftFile, DriftFold, DriftRow
from verify.model.ids import ReleaseName, Sha256, TreeId
from verify.model.release import Release

OTHER = Sha256(hashlib.sha256(b"another change").hexdigest())


def record_of(release: Release) -> BumpRecord:
    """The record of a bump that changed nothing of the stack."""
    folds = []
    for block in release.blocks:
        for fold in block.folds:
            files = tuple(
                DriftFile(
                    path=change.new_path or change.old_path or CACHE_FILE,
                    was=lines_digest(file_lines(change)),
                    now=lines_digest(file_lines(change)),
                    removed=0,
                    added=0,
                    decision=None,
                )
                for change in fold.patch.files
            )
            sha256 = Sha256(hashlib.sha256(fold.patch_bytes).hexdigest())
            folds.append(DriftFold(block=block.name, fold=fold.id, patch_sha256=sha256, files=files))
    rows = tuple(
        DriftRow(
            path=path,
            upstream_removed=1,
            upstream_added=2,
            was=lines_digest(file.lines()),
            now=lines_digest(file.lines()),
            removed=0,
            added=0,
            undecided=0,
            merged_by_git=True,
        )
        for path, file in net_of_blocks(release.blocks).items()
    )
    return BumpRecord(
        from_release=ReleaseName("good-0"),
        from_base=TreeId(oid("old base")),
        from_tip=TreeId(oid("old tip")),
        to_base=BASE,
        to_tip=AFTER_CACHE,
        folds=tuple(folds),
        rows=rows,
    )


def bumped(edit: Callable[[BumpRecord], BumpRecord], then: Way = lambda case: case) -> Way:
    """The good case with an edited record, and then broken otherwise."""
    return lambda case: then(_with_record(case, edit))


def _with_record(case: Case, edit: Callable[[BumpRecord], BumpRecord]) -> Case:
    return replace(case, release=replace(case.release, bump=edit(record_of(case.release))))


def first_file(edit: Callable[[DriftFile], DriftFile]) -> Callable[[BumpRecord], BumpRecord]:
    """Another record of the first fold's first file."""

    def edited(record: BumpRecord) -> BumpRecord:
        fold = record.folds[0]
        changed = replace(fold, files=(edit(fold.files[0]), *fold.files[1:]))
        return replace(record, folds=(changed, *record.folds[1:]))

    return edited


def first_row(edit: Callable[[DriftRow], DriftRow]) -> Callable[[BumpRecord], BumpRecord]:
    """Another row of the first file."""
    return lambda record: replace(record, rows=(edit(record.rows[0]), *record.rows[1:]))


SABOTAGES = (
    broken(
        "a fold lost a line on the way to a new base",
        "drift",
        "drift-undecided",
        bumped(first_file(lambda file: replace(file, was=OTHER, removed=1))),
    ),
    broken(
        "the stack lost a line in sum",
        "drift",
        "drift-undecided",
        bumped(first_row(lambda row: replace(row, was=OTHER, removed=1))),
    ),
    broken(
        "lines of a file are undecided",
        "drift",
        "drift-undecided",
        bumped(first_row(lambda row: replace(row, undecided=1))),
    ),
    broken(
        "git merges a file otherwise",
        "drift",
        "drift-git-differs",
        bumped(first_row(lambda row: replace(row, merged_by_git=False))),
    ),
    broken(
        "the record says other lines of a fold",
        "drift",
        "drift-record-wrong",
        bumped(first_file(lambda file: replace(file, was=OTHER, now=OTHER))),
    ),
    broken(
        "a file of the stack is missing from the record",
        "drift",
        "drift-record-wrong",
        bumped(lambda record: replace(record, rows=record.rows[1:])),
    ),
    broken(
        "the base was changed by hand after the bump",
        "drift",
        "drift-base-differs",
        bumped(lambda record: replace(record, to_base=TreeId(oid("another base")))),
    ),
    broken(
        "a patch was changed and its tip kept",
        "drift",
        "drift-record-wrong",
        bumped(
            lambda record: record,
            in_first_fold(lambda fold: replace(fold, patch=replace(fold.patch, files=()))),
        ),
    ),
)


def decided(record: BumpRecord) -> BumpRecord:
    """The first file of the first fold was resolved by hand."""
    file = replace(record.folds[0].files[0], was=OTHER, removed=1, decision=Decision.RESOLVED)
    fold = replace(record.folds[0], files=(file, *record.folds[0].files[1:]))
    row = replace(record.rows[0], was=OTHER, removed=1)
    rows = tuple(row if each.path == file.path else each for each in record.rows)
    return replace(record, folds=(fold, *record.folds[1:]), rows=rows)
