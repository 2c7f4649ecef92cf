"""How the folds stand with their reviews, for the bundle: the standings that were judged as a document; pure."""

from verify.bundle.reviews import (
    SCHEMA,
    BundleApproval,
    BundleCondition,
    BundleRecord,
    BundleReviewed,
    BundleReviews,
)
from verify.bundle.stack import BundleStack
from verify.diff.identity import change_identity
from verify.model.release import Release
from verify.model.review import ChangeId, Record
from verify.review.standing import Approval, FoldStanding, Standings, State


def bundle_reviews(release: Release, stack: BundleStack, standings: Standings | None) -> BundleReviews:
    """The document; without standings no review is on record, and every fold is said to be unreviewed."""
    known = {} if standings is None else {(each.block, each.fold): each for each in standings.folds}
    patches = {(block.name, fold.id): fold.patch for block in release.blocks for fold in block.folds}
    folds = []
    before = stack.base.tree
    for block, fold in stack.folds():
        standing = known.get((block, fold.id))
        folds.append(
            BundleReviewed(
                block=block,
                fold=fold.id,
                patch=fold.patch_sha256,
                identity=change_identity(patches[block, fold.id]),
                before=before,
                after=fold.tree,
                state=State.UNREVIEWED if standing is None else standing.state,
                approvals=() if standing is None else _approvals(standing),
            )
        )
        before = fold.tree
    conditions = () if standings is None else standings.conditions
    return BundleReviews(
        schema=SCHEMA,
        folds=tuple(folds),
        conditions=tuple(
            BundleCondition(
                block=each.block,
                record=each.record.file,
                id=each.condition.id,
                kind=each.condition.kind,
                says=each.condition.says,
                met=tuple(receipt.file for receipt in each.met),
                missing=each.missing,
            )
            for each in conditions
        ),
    )


def _approvals(standing: FoldStanding) -> tuple[BundleApproval, ...]:
    return tuple(_approval(each, standing.present) for each in standing.approvals)


def _approval(approval: Approval, present: ChangeId) -> BundleApproval:
    return BundleApproval(
        state=approval.state,
        grade=approval.grade(),
        exact=approval.entry.change == present,
        approver=approval.approver(),
        records=tuple(_record(each) for each in approval.chain),
    )


def _record(record: Record) -> BundleRecord:
    return BundleRecord(
        file=record.file,
        sha256=record.id,
        kind=record.kind,
        decision=record.decision,
        reviewer=f"{record.reviewer.name} <{record.reviewer.email}>",
        scope=record.scope,
    )
