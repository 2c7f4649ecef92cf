"""What lies in a block's `reviews/`: records, receipts, the patches that were reviewed, and signatures beside them.

Every file is named by the digest of its bytes, so that none is edited unnoticed: `KIND-DIGEST.yaml` with the first 16
digits, a patch with all 64. A record that another one follows must be there.
"""

import hashlib
import json
import re

from verify.manifest.claims import NO_CLAIMS, read_claims
from verify.manifest.document import open_document
from verify.manifest.files import DOCUMENT_LIMIT, PATCH_LIMIT, Files
from verify.manifest.mistakes import Mistakes
from verify.manifest.scalars import choice, date, integer, line, name, object_id, person, sha256, text
from verify.manifest.value import Fields, Value, shorten
from verify.model.codec import CodecError, from_json
from verify.model.diagnostic import Place
from verify.model.ids import BlockName, CommitId, FoldId, Sha256, TreeId
from verify.model.review import (
    Certificate,
    ChangeId,
    Condition,
    ConditionKind,
    Decision,
    Receipt,
    Record,
    RecordKind,
    ReviewedFold,
    Reviews,
)

SCHEMA = "stackproof/review/1"
RECEIPT_SCHEMA = "stackproof/receipt/1"
SIGNATURE = ".sig"
_SIGNATURE_LIMIT = 1 << 16
_DOCUMENT = re.compile(r"(review|delta|carry|receipt)-([0-9a-f]{16})\.yaml")
_PATCH = re.compile(r"([0-9a-f]{64})\.patch")


def reviews_folder(block: str) -> str:
    """Where a block's reviews lie, relative to the project."""
    return f"blocks/{block}/reviews"


def document_name(kind: str, data: bytes) -> str:
    """The name of a record or receipt with these bytes."""
    return f"{kind}-{hashlib.sha256(data).hexdigest()[:16]}.yaml"


def read_reviews(block: BlockName, files: Files, mistakes: Mistakes) -> Reviews:
    """Everything in a block's `reviews/`; an empty value where there is no such folder."""
    folder = reviews_folder(block)
    records: list[Record] = []
    receipts: list[Receipt] = []
    patches: list[tuple[Sha256, bytes]] = []
    for entry in files.names(folder):
        file = f"{folder}/{entry}"
        if entry.endswith(SIGNATURE):
            if not files.exists(file.removesuffix(SIGNATURE)):
                mistakes.add("review-stray", f"`{file}` signs nothing that is there", Place(file=file))
            continue
        document, patch = _DOCUMENT.fullmatch(entry), _PATCH.fullmatch(entry)
        data = files.read(file, limit=PATCH_LIMIT if patch else DOCUMENT_LIMIT) if document or patch else None
        if data is None:
            if not document and not patch:
                _stray(file, mistakes)
            continue
        digest = Sha256(hashlib.sha256(data).hexdigest())
        named = document[2] if document else entry.removesuffix(".patch")
        if not digest.startswith(named):
            _altered(file, digest, named, mistakes)
        elif patch:
            patches.append((digest, data))
        elif document:
            signature = files.read(file + SIGNATURE, limit=_SIGNATURE_LIMIT)
            value = open_document(file, data, mistakes)
            if document[1] == "receipt":
                receipts.append(_receipt(value, block, digest, data, signature))
            else:
                records.append(_record(value, block, digest, data, signature, RecordKind(document[1])))
    _check_chains(records, mistakes)
    return Reviews(records=tuple(records), receipts=tuple(receipts), patches=tuple(patches))


def _stray(file: str, mistakes: Mistakes) -> None:
    mistakes.add(
        "review-stray",
        f"`{file}` is no record, receipt or patch of a review",
        Place(file=file),
        step=f"git rm {file}",
    )


def _altered(file: str, digest: str, named: str, mistakes: Mistakes) -> None:
    mistakes.add(
        "review-altered",
        f"`{file}` is not the file that its name says: it was edited",
        Place(file=file),
        notes=(f"met:      {digest[: len(named)]}", f"expected: {named}"),
        step=f"git checkout -- {file}",
    )


def _check_chains(records: list[Record], mistakes: Mistakes) -> None:
    known = {each.id for each in records}
    for each in records:
        if each.kind is not RecordKind.REVIEW and each.follows not in known:
            mistakes.add(
                "review-chain-broken",
                f"`{each.file}` follows a record that is not there",
                each.place,
                notes=(f"follows: {each.follows}",),
                step=f"git log -- {reviews_folder(each.block)}",
            )


def _record(
    value: Value, block: BlockName, digest: Sha256, data: bytes, signature: bytes | None, kind: RecordKind
) -> Record:
    fields = value.document(of="the review", schema=SCHEMA)
    said = fields.get("kind", lambda word: choice(word, RecordKind))
    if said is not kind and not value.is_blind():
        value.wrong("review-altered", f"the file's name says `{kind}` and its content `{said}`")
    base = fields.get("base", _base)
    claims = fields.optional("claims", read_claims, NO_CLAIMS)
    record = Record(
        id=digest,
        block=block,
        kind=said,
        reviewer=fields.get("reviewer", person),
        date=fields.get("date", date),
        decision=fields.get("decision", lambda word: choice(word, Decision)),
        scope=fields.get("scope", text),
        base_tree=base[0],
        base_commit=base[1],
        follows=fields.optional("follows", sha256, Sha256("")),
        word=fields.optional("word", text, ""),
        folds=fields.get("folds", lambda folds: folds.listing(_fold, of="fold", least=1, distinct=False)),
        claims=claims.words,
        runnable_claims=claims.runnable,
        conditions=fields.optional(
            "conditions", lambda items: items.listing(_condition, of="condition", distinct=False), ()
        ),
        non_claims=fields.optional("non_claims", lambda items: items.listing(text, of="non-claim"), ()),
        file=value.source.file,
        place=value.place(),
        data=data,
        signature=signature,
    )
    fields.close()
    if (record.kind is RecordKind.REVIEW) == bool(record.follows) and not value.is_blind():
        what = "follows no record" if record.follows else "must say which record it follows"
        value.wrong("review-chain-broken", f"a record of the kind `{record.kind}` {what}")
    return record


def _base(value: Value) -> tuple[TreeId, CommitId | None]:
    fields = value.fields()
    tree, commit = fields.get("tree", object_id), fields.optional("commit", object_id, None)
    fields.close()
    return TreeId(tree), None if commit is None else CommitId(commit)


def _fold(value: Value) -> ReviewedFold:
    fields = value.fields()
    fold = ReviewedFold(
        fold=FoldId(fields.get("fold", name)),
        change=ChangeId(
            patch=fields.get("patch", sha256),
            identity=fields.get("identity", sha256),
            message=fields.get("message", sha256),
            before=TreeId(fields.get("before", object_id)),
            after=TreeId(fields.get("after", object_id)),
        ),
        of=fields.optional("of", sha256, Sha256("")),
        certificate=fields.optional("certificate", _certificate, None),
    )
    fields.close()
    return fold


def _certificate(value: Value) -> Certificate | None:
    written = value.written("a certificate")
    if written is None:
        return None
    try:
        return from_json(Certificate, json.loads(written))
    except (ValueError, RecursionError, CodecError) as problem:
        value.wrong("review-certificate", f"{value.what} cannot be read: {shorten(str(problem))}")
        return None


def _condition(value: Value) -> Condition:
    fields = value.fields()
    kind = fields.get("kind", lambda word: choice(word, ConditionKind))
    condition = Condition(
        id=fields.get("id", name),
        kind=kind,
        says=fields.get("says", text),
        legs=fields.optional("legs", lambda legs: legs.listing(line, of="leg", least=1), ()),
    )
    fields.close()
    if kind is ConditionKind.CI and not condition.legs and not value.is_blind():
        value.wrong("condition-legs", f"{value.what} names no leg that must be green")
    return condition


def _receipt(value: Value, block: BlockName, digest: Sha256, data: bytes, signature: bytes | None) -> Receipt:
    fields = value.document(of="the receipt", schema=RECEIPT_SCHEMA)
    receipt = Receipt(
        id=digest,
        block=block,
        review=fields.get("review", sha256),
        condition=fields.get("condition", name),
        leg=fields.optional("leg", line, ""),
        tree=TreeId(fields.get("tree", object_id)),
        commit=CommitId(fields.get("commit", object_id)),
        tests=_count(fields, "tests"),
        failures=_count(fields, "failures"),
        skipped=_count(fields, "skipped"),
        source=fields.get("source", sha256),
        by=fields.get("by", person),
        date=fields.get("date", date),
        file=value.source.file,
        data=data,
        signature=signature,
        statement=fields.optional("statement", _as_it_was, ""),
        vouched=fields.optional("vouched", _as_it_was, ""),
    )
    fields.close()
    return receipt


def _as_it_was(value: Value) -> str:
    return value.written() or ""


def _count(fields: Fields, field: str) -> int:
    return fields.get(field, lambda value: integer(value, 0, 10**9))
