"""Content-keyed records of what was observed: each is written whole or not at all, and damage never goes unseen.

A record is one canonical JSON file that carries its key, the observation, its making, and the SHA-256 of all that.
It is used only when its bytes are the canonical ones, that digest fits, and its key is the key that was asked for;
anything else is reported (`evidence-damaged`) and counts as not measured. Two processes may use one folder: records
are written beside and renamed, and a reader sees the old one or the new one. What is in an observation is left to
its codec; what goes into a key is left to those who measure.
"""

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from verify.model.codec import CodecError, canonical_json, from_json
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place, Severity
from verify.model.evidence import Evidence, Key
from verify.model.ids import Sha256, is_name

SCHEMA = "stackproof/evidence/1"
_MAX_RECORD = 64 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """No usable record; `damage` says what is wrong with the one that is there."""

    damage: Diagnostic | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Making:
    """The flat fields of a record, read strictly."""

    made_by: str
    made_on: str
    made_at: str
    seconds: float


def make_key(kind: str, parts: Mapping[str, str]) -> Key:
    """The key of an observation: its kind and every part that may change the outcome."""
    if not is_name(kind):
        raise ValueError(f"`{kind}` cannot name a kind of evidence")
    digest = sha256(canonical_json({"kind": kind, "parts": dict(parts)})).hexdigest()
    return Key(kind=kind, parts=tuple(sorted(parts.items())), digest=Sha256(digest))


def render_evidence(evidence: Evidence) -> bytes:
    """The record's bytes: canonical JSON with its own digest."""
    body = _body(evidence)
    return canonical_json({**body, "sha256": sha256(canonical_json(body)).hexdigest()})


def parse_evidence(data: bytes) -> Evidence:
    """Read a record's bytes; `CodecError` says why they are not a sound record."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise CodecError(f"it is not JSON: {error}") from error
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        raise CodecError("it does not have exactly the fields of a record")
    if value["schema"] != SCHEMA:
        raise CodecError(f"its schema is {value['schema']!r:.80}, expected {SCHEMA!r}")
    body = {name: part for name, part in value.items() if name != "sha256"}
    met = sha256(_canonical(body)).hexdigest()
    if value["sha256"] != met:
        raise CodecError(f"its content has SHA-256 {met}, the record says {value['sha256']!r:.80}")
    if data != _canonical(value):
        raise CodecError("its bytes are not in canonical form")
    key = _read_key(value["key"])
    making = from_json(_Making, {name: value[name] for name in ("made_by", "made_on", "made_at", "seconds")})
    if not isinstance(value["observation"], dict):
        raise CodecError("its observation is not an object")
    return Evidence(
        key=key,
        observation=value["observation"],
        made_by=making.made_by,
        made_on=making.made_on,
        made_at=making.made_at,
        seconds=making.seconds,
    )


class EvidenceStore:
    """Records in a folder, by kind and key digest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, key: Key) -> Path:
        """Where the record of `key` is kept."""
        return self.folder / key.kind / key.digest[:2] / f"{key.digest}.json"

    def get(self, key: Key) -> Evidence | Unknown:
        """The record of `key`, if there is a sound one."""
        path = self.path(key)
        try:
            data = path.read_bytes() if path.stat().st_size <= _MAX_RECORD else b""
        except FileNotFoundError:
            return Unknown(damage=None)
        except OSError as error:
            return Unknown(damage=_damaged(path, f"it cannot be read: {error.strerror}"))
        try:
            evidence = parse_evidence(data)
        except CodecError as error:
            return Unknown(damage=_damaged(path, str(error)))
        if evidence.key != key:
            return Unknown(damage=_damaged(path, f"it is the record of {evidence.key.kind} {evidence.key.digest}"))
        return evidence

    def named(self, digest: Sha256) -> Evidence | Unknown:
        """The record whose key has this digest, of whatever kind it is."""
        for path in sorted(self.folder.glob(f"*/{digest[:2]}/{digest}.json")):
            try:
                key = parse_evidence(path.read_bytes()).key
            except (OSError, CodecError) as error:
                return Unknown(damage=_damaged(path, str(error)))
            return self.get(key)
        return Unknown(damage=None)

    def every(self, kind: str) -> Iterator[Evidence]:
        """Every sound record of a kind, by digest."""
        for path in sorted((self.folder / kind).glob("??/*.json")):
            try:
                yield parse_evidence(path.read_bytes())
            except (OSError, CodecError):
                continue

    def put(self, evidence: Evidence) -> None:
        """Keep a record, in place of an older one with the same key."""
        path = self.path(evidence.key)
        data = render_evidence(evidence)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_atomically(path, data)
        except OSError as error:
            raise EnvironmentFault(
                Diagnostic(
                    code="evidence-unwritable",
                    message=f"evidence of `{evidence.key.kind}` cannot be written: {error.strerror}",
                    place=Place(file=str(path)),
                    notes=("nothing that was there before is lost",),
                    help="free space or make the cache folder writable, then run the same command again",
                )
            ) from error


_FIELDS = frozenset({"schema", "key", "observation", "made_by", "made_on", "made_at", "seconds", "sha256"})


def _body(evidence: Evidence) -> dict[str, object]:
    key = evidence.key
    return {
        "schema": SCHEMA,
        "key": {"kind": key.kind, "parts": dict(key.parts), "digest": key.digest},
        "observation": evidence.observation,
        "made_by": evidence.made_by,
        "made_on": evidence.made_on,
        "made_at": evidence.made_at,
        "seconds": float(evidence.seconds),
    }


def _canonical(value: object) -> bytes:
    try:
        return canonical_json(value)
    except (ValueError, RecursionError) as error:
        # Not-a-number, lone surrogates and a depth that Python's reader only just lets through.
        raise CodecError(f"it has no canonical form: {error}") from error


def _read_key(value: object) -> Key:
    if not isinstance(value, dict) or value.keys() != {"kind", "parts", "digest"}:
        raise CodecError("its key does not have exactly kind, parts and digest")
    kind, parts = value["kind"], value["parts"]
    if not isinstance(kind, str) or not isinstance(parts, dict):
        raise CodecError("its key has no kind or no parts")
    if not is_name(kind) or not all(isinstance(part, str) for part in parts.values()):
        raise CodecError("its key's kind and parts are not plain text")
    key = make_key(kind, parts)
    if key.digest != value["digest"]:
        raise CodecError(f"its key's digest is {value['digest']!r:.80}, kind and parts give {key.digest}")
    return key


def _damaged(path: Path, why: str) -> Diagnostic:
    return Diagnostic(
        code="evidence-damaged",
        message=f"a record of evidence is not used: {why}",
        place=Place(file=str(path)),
        notes=("it counts as not measured and is written anew when it is measured again",),
        help=f"rm {path}",
        severity=Severity.WARNING,
    )


def _write_atomically(path: Path, data: bytes) -> None:
    """Write beside, sync, rename: a reader or a crash sees the old record or the new one, whole."""
    handle, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
