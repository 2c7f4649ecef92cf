"""Checks who signed the statements of a bundle: a DSSE envelope each, by an ssh key or a plain ed25519 key.

A signature over a statement binds every member, since the release statement names all others by their digest. The
key is believed when the list of signers that the reader gives has it; without such a list it is only told. ssh
signatures are checked by ssh-keygen, plain ones by openssl; where the program is missing nothing is decided.
Format: DSSE 1.0; what is signed is its pre-authentication encoding.
"""

import base64
import binascii
import hashlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verify.bundle.document import load_document, print_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import SIGNATURES, STATEMENTS, signature_member
from verify.bundle.statements import PAYLOAD_TYPE
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault, Place
from verify.model.trust import Role, Signer
from verify.model.verdict import Outcome, Undecided
from verify.signature import RELEASE_NAMESPACE, check_signature, read_signature

_KEY_TYPE = "ssh-ed25519"
_SPKI = bytes.fromhex("302a300506032b6570032100")
"""What stands before the 32 bytes of an ed25519 key in its DER form (RFC 8410)."""


def encoding(payload: bytes) -> bytes:
    """What is signed: type and payload with their lengths (DSSE, PAE)."""
    kind = PAYLOAD_TYPE.encode()
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(payload), payload)


def render_envelope(payload: bytes, *, key: str, signature: bytes) -> bytes:
    """The envelope of one signature; `key` is the public key as ssh writes it, type and text."""
    return print_document(
        {
            "payload": base64.b64encode(payload).decode(),
            "payloadType": PAYLOAD_TYPE,
            "signatures": [{"keyid": key, "sig": base64.b64encode(signature).decode()}],
        }
    )


def read_signers(file: Path) -> tuple[Signer, ...]:
    """The list of signers, as ssh writes one (`allowed_signers`): a name and a public key a line, without options."""
    found = []
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputFault(
            Diagnostic(
                code="signers-unreadable",
                message=f"the list of signers cannot be read: {error}",
                place=Place(file=str(file)),
                help="python -m verify BUNDLE --signers FILE",
            )
        ) from error
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) < len(("name", "type", "key")) or "=" in words[1]:
            raise InputFault(
                Diagnostic(
                    code="signers-unreadable",
                    message="a line of the list of signers is not a name, a key's type and the key",
                    place=Place(file=str(file), line=number),
                    notes=("options are not taken",),
                    help="write `NAME ssh-ed25519 AAAA...`, as in the key's .pub file",
                )
            )
        found.append(Signer(name=words[0], role=Role.MAINTAINER, key=f"{words[1]} {words[2]}"))
    return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Envelope:
    payload: bytes
    key: str
    signature: bytes


def check_signatures(bundle: Bundle, signers: tuple[Signer, ...] | None) -> Outcome | None:
    """Every statement is signed, over these very bytes, by one key; None where nothing is signed and nobody asked.

    With `signers` the bundle must be signed, by one of them.
    """
    stated = sorted(name for name in bundle.files if name.startswith(f"{STATEMENTS}/"))
    signed = {name for name in bundle.files if name.startswith(f"{SIGNATURES}/")}
    if not signed and signers is None:
        return None
    findings = [
        finding("bundle-file-unknown", f"`{name}` signs no statement of this bundle", name)
        for name in sorted(signed - {signature_member(each) for each in stated})
    ]
    keys: dict[str, None] = {}
    for statement in stated:
        name = signature_member(statement)
        try:
            envelope = _read(bundle, name)
            findings += _differs(bundle, statement, envelope)
            _check(envelope, signers, name)
            keys[envelope.key] = None
        except CodecError as error:
            findings.append(finding("bundle-signature-wrong", f"`{name}`: {error}", name))
        except InputFault as fault:
            findings += fault.diagnostics
        except EnvironmentFault as fault:
            if not findings:
                return Undecided(summary=fault.diagnostics[0].message, reasons=fault.diagnostics)
    if len(keys) > 1:
        findings.append(finding("bundle-signature-wrong", "the statements are signed by several keys", SIGNATURES))
    return ruled(findings, "; ".join(_told(key, signers) for key in keys))


def _told(key: str, signers: tuple[Signer, ...] | None) -> str:
    who = next((each.name for each in signers or () if each.key == key), "")
    return f"signed by {who}, {key}" if who else f"signed by {key}; whose key that is was not asked"


def _read(bundle: Bundle, name: str) -> _Envelope:
    data = bundle.data(name)
    if data is None:
        raise CodecError("it is missing, so that the statement is not signed")
    value: Any = load_document(data)
    try:
        (one,) = value["signatures"]
        envelope = _Envelope(
            payload=base64.b64decode(value["payload"], validate=True),
            key=str(one["keyid"]),
            signature=base64.b64decode(one["sig"], validate=True),
        )
    except (KeyError, TypeError, ValueError, binascii.Error) as error:
        raise CodecError("it is no envelope with one signature") from error
    if render_envelope(envelope.payload, key=envelope.key, signature=envelope.signature) != data:
        raise CodecError("it is not in the one spelling that it has")
    return envelope


def _differs(bundle: Bundle, statement: str, envelope: _Envelope) -> Iterator[Diagnostic]:
    met, expected = hashlib.sha256(envelope.payload).hexdigest(), bundle.files[statement].sha256
    if met != expected:
        message = f"`{signature_member(statement)}` signs another text than `{statement}`"
        yield differs("bundle-signature-wrong", message, signature_member(statement), met=met, expected=expected)


def _check(envelope: _Envelope, signers: tuple[Signer, ...] | None, name: str) -> None:
    allowed = None if signers is None else {each.key for each in signers}
    if allowed is not None and envelope.key not in allowed:
        raise InputFault(
            finding("bundle-signer-unknown", f"`{name}` is signed by a key that is none of the signers'", name,
                    f"met       {envelope.key}")
        )  # fmt: skip
    data = encoding(envelope.payload)
    if envelope.signature.startswith(b"-----BEGIN SSH SIGNATURE"):
        parts = read_signature(envelope.signature, file=name, namespace=RELEASE_NAMESPACE)
        if parts.key != envelope.key:
            raise CodecError("it was made by another key than it says")
        signer = Signer(name="signer", role=Role.MAINTAINER, key=envelope.key)
        check_signature(data, envelope.signature, signer, file=name, namespace=RELEASE_NAMESPACE)
    else:
        _check_plain(data, envelope, name)


def _check_plain(data: bytes, envelope: _Envelope, name: str) -> None:
    """A plain ed25519 signature, by openssl."""
    kind, _, text = envelope.key.partition(" ")
    try:
        blob = base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error) as error:
        raise CodecError("its key cannot be read") from error
    if kind != _KEY_TYPE or len(blob) != 51:
        raise CodecError("its key is not an ed25519 key")
    openssl = shutil.which("openssl")
    if openssl is None:
        raise EnvironmentFault(
            Diagnostic(
                code="openssl-missing",
                message="openssl is not installed, so that a plain ed25519 signature cannot be checked",
                help="apt-get install openssl",
            )
        )
    with tempfile.TemporaryDirectory(prefix="stackproof-signature-") as folder:
        files = {"key.der": _SPKI + blob[-32:], "data": data, "signature": envelope.signature}
        for file, content in files.items():
            (Path(folder) / file).write_bytes(content)
        done = subprocess.run(
            [openssl, "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key.der", "-rawin", "-in", "data",
             "-sigfile", "signature"],
            cwd=folder, capture_output=True, check=False, env={"LC_ALL": "C"},
        )  # fmt: skip
    if done.returncode != 0:
        raise InputFault(finding("bundle-signature-wrong", f"`{name}` is not signed over these bytes", name))
