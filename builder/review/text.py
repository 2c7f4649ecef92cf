"""Records and receipts as text: YAML whose every value is quoted, so that it reads as it was meant.

What is written here is read back by `verify/manifest/reviews.py`; a file is named by the digest of these bytes.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from verify.manifest.reviews import RECEIPT_SCHEMA, SCHEMA
from verify.model.claim import Absent, Claim, Count, NoExit, OnlyCall, Untouched, claim_kind
from verify.model.codec import canonical_json, to_json
from verify.model.review import Receipt, Record, ReviewedFold

Value = str | int | None | Sequence["Value"] | Mapping[str, "Value"]


def record_text(record: Record) -> bytes:
    """The bytes of a record; its `id`, `file`, `place` and `data` are not part of them."""
    document: dict[str, Value] = {
        "schema": SCHEMA,
        "kind": record.kind.value,
        "reviewer": f"{record.reviewer.name} <{record.reviewer.email}>",
        "date": record.date,
        "decision": record.decision.value,
        "scope": record.scope,
        "base": {"tree": record.base_tree, "commit": record.base_commit},
        "follows": record.follows or None,
        "word": record.word or None,
        "folds": [_fold(each) for each in record.folds],
        "claims": [*record.claims, *(_claim(each) for each in record.runnable_claims)] or None,
        "conditions": [
            {"id": each.id, "kind": each.kind.value, "says": each.says, "legs": list(each.legs) or None}
            for each in record.conditions
        ]
        or None,
        "non_claims": list(record.non_claims) or None,
    }
    return _document(document)


def receipt_text(receipt: Receipt) -> bytes:
    """The bytes of a receipt."""
    return _document(
        {
            "schema": RECEIPT_SCHEMA,
            "review": receipt.review,
            "condition": receipt.condition,
            "leg": receipt.leg or None,
            "tree": receipt.tree,
            "commit": receipt.commit,
            "tests": receipt.tests,
            "failures": receipt.failures,
            "skipped": receipt.skipped,
            "source": receipt.source,
            "by": f"{receipt.by.name} <{receipt.by.email}>",
            "date": receipt.date,
            "statement": receipt.statement or None,
            "vouched": receipt.vouched or None,
        }
    )


def _fold(each: ReviewedFold) -> dict[str, Value]:
    certificate = each.certificate
    return {
        "fold": each.fold,
        "patch": each.change.patch,
        "identity": each.change.identity,
        "message": each.change.message,
        "before": each.change.before,
        "after": each.change.after,
        "of": each.of or None,
        "certificate": None if certificate is None else canonical_json(to_json(certificate)).decode().strip(),
    }


def _claim(claim: Claim) -> dict[str, Value]:
    told: dict[str, Value] = {"kind": claim_kind(claim).value, "says": claim.says}
    match claim:
        case OnlyCall():
            told |= {"file": _path(claim.file), "function": claim.function, "call": claim.call}
            told |= {"inside": claim.inside, "times": claim.times}
        case NoExit():
            told |= {"file": _path(claim.file), "function": claim.function, "start": claim.start, "end": claim.end}
            told |= {"exits": [kind.value for kind in claim.exits]}
        case Absent():
            told |= {"symbol": claim.symbol, "files": list(claim.files), "function": claim.function or None}
        case Untouched():
            told |= {"files": list(claim.files)}
        case Count():
            told |= {"file": _path(claim.file), "function": claim.function or None}
            told |= {"pattern": claim.pattern, "times": claim.times}
    return told


def _path(path: bytes) -> str:
    return path.decode("utf-8", "surrogateescape")


def _document(document: Mapping[str, Value]) -> bytes:
    return "".join(f"{line}\n" for line in _table(document)).encode("utf-8", "surrogateescape")


def _table(table: Mapping[str, Value]) -> Iterator[str]:
    for key, value in table.items():
        if value is None:
            continue
        match value:
            case str() | int():
                yield f"{key}: {_scalar(value)}"
            case Mapping():
                yield f"{key}:"
                yield from (f"  {line}" for line in _table(value))
            case _:
                yield f"{key}:"
                for item in value:
                    yield from (f"  {line}" for line in _item(item))


def _item(item: Value) -> Iterator[str]:
    if isinstance(item, Mapping):
        first, *rest = _table(item)
        yield f"- {first}"
        yield from (f"  {line}" for line in rest)
    else:
        assert isinstance(item, str | int)
        yield f"- {_scalar(item)}"


def _scalar(value: str | int) -> str:
    return str(value) if isinstance(value, int) else json.dumps(value, ensure_ascii=False)
