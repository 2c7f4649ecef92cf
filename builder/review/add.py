"""A review put on record: whole changes, or as a delta what they became since they were last approved.

Takes the stack as derived, so that what is recorded is exactly what stands there; gives the files to write. The patches
that were looked at are kept beside the record, since the folds go on changing.
"""

from dataclasses import dataclass, replace
from pathlib import Path

from builder.review.survey import Reviewed
from builder.review.text import receipt_text, record_text
from verify.manifest.claims import Claims
from verify.manifest.reviews import SIGNATURE, document_name, reviews_folder
from verify.model.block import Block, Person
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import BlockName, FoldId, Sha256
from verify.model.review import (
    Condition,
    Decision,
    Receipt,
    Record,
    RecordKind,
    ReviewedFold,
)
from verify.review.standing import chains
from verify.signature import REVIEW_NAMESPACE, sign


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a reviewer says: the decision, what was looked at, on what terms, and what is not claimed."""

    reviewer: Person
    date: str
    decision: Decision
    scope: str
    claims: Claims
    conditions: tuple[Condition, ...]
    non_claims: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """Files to write, and what they do in words."""

    contents: tuple[tuple[str, bytes], ...]
    told: tuple[str, ...]


def plan_review(
    reviewed: Reviewed, block: Block, folds: tuple[FoldId, ...], terms: Terms, *, key: Path | None
) -> Written:
    """A review of whole changes; all folds of the block when none is named."""
    asked = folds or tuple(fold.id for fold in block.folds)
    entries = tuple(_entry(reviewed, block.name, fold) for fold in asked)
    record = _record(reviewed, block.name, RecordKind.REVIEW, "", entries, terms)
    return written(reviewed, (record,), key=key)


def plan_delta(
    reviewed: Reviewed, block: Block, folds: tuple[FoldId, ...], terms: Terms, *, key: Path | None
) -> Written:
    """A review of what changed since each fold's last record; one record for each that is followed."""
    following: dict[str, list[ReviewedFold]] = {}
    for fold in folds or tuple(each.id for each in block.folds):
        ends = [chain[-1] for chain in chains(reviewed.release.reviews_of(block.name), fold)]
        if not ends:
            raise InputFault(_nothing_to_follow(block.name, fold))
        last = max(ends, key=lambda each: (each.date, each.id))
        known, now = last.entry(fold), _entry(reviewed, block.name, fold)
        if known is not None and known.change != now.change:
            following.setdefault(last.id, []).append(replace(now, of=known.change.patch))
    if not following:
        raise InputFault(_no_delta(block.name))
    records = tuple(
        _record(reviewed, block.name, RecordKind.DELTA, follows, tuple(entries), terms)
        for follows, entries in following.items()
    )
    return written(reviewed, records, key=key)


def written(reviewed: Reviewed, records: tuple[Record, ...], *, key: Path | None) -> Written:
    """The files of records, the patches that they are about, and signatures where a key is given."""
    contents: dict[str, bytes] = {}
    told = []
    for record in records:
        folder = reviews_folder(record.block)
        kept = {digest for digest, _ in reviewed.release.reviews_of(record.block).patches}
        for entry in record.folds:
            _, fold = reviewed.fold(record.block, entry.fold)
            if entry.change.patch not in kept:
                contents[f"{folder}/{entry.change.patch}.patch"] = fold.patch_bytes
        data = record_text(record)
        file = f"{folder}/{document_name(record.kind.value, data)}"
        contents |= _signed(file, data, key)
        folds = ", ".join(f"{record.block}/{each.fold}" for each in record.folds)
        told.append(f"{record.kind}: {record.decision} by {record.reviewer.name}: {folds}")
    return Written(contents=tuple(sorted(contents.items())), told=tuple(told))


def written_receipt(receipt: Receipt, *, key: Path | None) -> Written:
    """The file of a receipt."""
    data = receipt_text(receipt)
    file = f"{reviews_folder(receipt.block)}/{document_name('receipt', data)}"
    leg = f", leg {receipt.leg}" if receipt.leg else ""
    told = f"receipt for condition `{receipt.condition}`{leg}: {receipt.tests} tests at {receipt.commit[:12]}"
    return Written(contents=tuple(sorted(_signed(file, data, key).items())), told=(told,))


def _signed(file: str, data: bytes, key: Path | None) -> dict[str, bytes]:
    contents = {file: data}
    if key is not None:
        contents[file + SIGNATURE] = sign(data, key, namespace=REVIEW_NAMESPACE)
    return contents


def new_record(
    reviewed: Reviewed, block: BlockName, kind: RecordKind, follows: str, folds: tuple[ReviewedFold, ...], who: Person
) -> Record:
    """A record that approves, without terms of its own."""
    base = reviewed.release.base
    return Record(
        id=Sha256(""),
        block=block,
        kind=kind,
        reviewer=who,
        date="",
        decision=Decision.APPROVED,
        scope="",
        base_tree=reviewed.stack.base_tree,
        base_commit=base.upstream_commit,
        follows=follows,
        word="",
        folds=folds,
        claims=(),
        runnable_claims=(),
        conditions=(),
        non_claims=(),
        file="",
        place=Place(file=""),
        data=b"",
        signature=None,
    )


def _record(
    reviewed: Reviewed, block: BlockName, kind: RecordKind, follows: str, folds: tuple[ReviewedFold, ...], terms: Terms
) -> Record:
    return replace(
        new_record(reviewed, block, kind, follows, folds, terms.reviewer),
        date=terms.date,
        decision=terms.decision,
        scope=terms.scope,
        claims=terms.claims.words,
        runnable_claims=terms.claims.runnable,
        conditions=terms.conditions,
        non_claims=terms.non_claims,
    )


def _entry(reviewed: Reviewed, block: BlockName, fold: FoldId) -> ReviewedFold:
    return ReviewedFold(fold=fold, change=reviewed.present(block, fold), of="", certificate=None)


def _nothing_to_follow(block: BlockName, fold: FoldId) -> Diagnostic:
    return Diagnostic(
        code="review-nothing-to-follow",
        message=f"nobody has reviewed fold `{fold}` of block `{block}` yet, so there is no delta to it",
        help=f"stackproof review add {block} --fold {fold}",
    )


def _no_delta(block: BlockName) -> Diagnostic:
    return Diagnostic(
        code="review-no-delta",
        message=f"no fold of block `{block}` has changed since its last record",
        notes=("nothing was written",),
        help="stackproof review status",
    )
