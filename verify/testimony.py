"""A testimony: records of evidence that somebody measured elsewhere and signed, as one canonical JSON document.

It names its signer, the role that he measured in, and the hardware where that matters; every record in it says the
same. What the signature is worth is asked in `verify/signature.py`; whose counts, in the release's policy.
"""

import json
from dataclasses import dataclass
from hashlib import sha256

from verify.evidence import parse_evidence, render_evidence
from verify.model.codec import CodecError, canonical_json
from verify.model.evidence import Evidence
from verify.model.ids import ReleaseName, Sha256, TreeId, is_name, is_object_id
from verify.model.trust import Role

SCHEMA = "stackproof/testimony/1"

_FIELDS = {"schema", "signer", "role", "hardware", "release", "tip_tree", "records"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Testimony:
    """Records by one signer; `hardware` is empty for any machine, `release` and `tip_tree` are what they are of."""

    signer: str
    role: Role
    hardware: str
    release: ReleaseName
    tip_tree: TreeId
    records: tuple[Evidence, ...]

    def made_by(self) -> str:
        """What each of its records must say of who made it."""
        return witness_of(self.role, self.signer)


def witness_of(role: Role, signer: str) -> str:
    """A signer as records name him."""
    return f"{role} {signer}"


def render_testimony(testimony: Testimony) -> bytes:
    """The document's bytes: what is signed."""
    return canonical_json(
        {
            "schema": SCHEMA,
            "signer": testimony.signer,
            "role": testimony.role.value,
            "hardware": testimony.hardware,
            "release": testimony.release,
            "tip_tree": testimony.tip_tree,
            "records": [json.loads(render_evidence(each)) for each in testimony.records],
        }
    )


def parse_testimony(data: bytes) -> Testimony:
    """The document; `CodecError` says why it is none."""
    try:
        value = json.loads(data)
        canonical = canonical_json(value)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"it is not JSON: {error}") from error
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        raise CodecError("it does not have exactly the fields of a testimony")
    if canonical != data:
        raise CodecError("its bytes are not in canonical form")
    words = [value[name] for name in _FIELDS - {"records"}]
    if value["schema"] != SCHEMA or not all(isinstance(word, str) for word in words):
        raise CodecError(f"its schema is {value['schema']!r:.80}, expected {SCHEMA!r}, and every field text")
    if not is_name(value["signer"]) or not is_object_id(value["tip_tree"]):
        raise CodecError("its signer is no name, or its tip no tree")
    if value["role"] not in {role.value for role in Role} or not isinstance(value["records"], list):
        raise CodecError("its role is unknown, or its records are no list")
    testimony = Testimony(
        signer=value["signer"],
        role=Role(value["role"]),
        hardware=value["hardware"],
        release=ReleaseName(value["release"]),
        tip_tree=TreeId(value["tip_tree"]),
        records=tuple(parse_evidence(canonical_json(each)) for each in value["records"]),
    )
    for record in testimony.records:
        if record.made_by != testimony.made_by():
            raise CodecError(f"record {record.key.digest} says that `{record.made_by:.80}` made it")
    if not testimony.records:
        raise CodecError("it has no record")
    return testimony


def digest_of_testimony(data: bytes) -> Sha256:
    """Names a testimony by its bytes."""
    return Sha256(sha256(data).hexdigest())
