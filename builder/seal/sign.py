"""Signs statements as DSSE envelopes: by ssh-keygen with an ssh key, or by securesystemslib with a plain ed25519 key.

The key's own file says which: OpenSSH's form (or a public key, for an agent) or PKCS #8. No key is kept or copied.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from verify.bundle.signatures import encoding, render_envelope
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault, Place
from verify.signature import RELEASE_NAMESPACE, read_signature, sign

_PLAIN = b"-----BEGIN PRIVATE KEY-----"
_TYPE = b"ssh-ed25519"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signed:
    key: str
    signature: bytes


def signer_of(key: Path) -> Callable[[bytes], bytes]:
    """Gives the function that puts a statement into a signed envelope."""
    try:
        start = key.read_bytes()[:64]
    except OSError as error:
        raise InputFault(
            Diagnostic(
                code="key-unreadable",
                message=f"the key {key} cannot be read: {error.strerror}",
                place=Place(file=str(key)),
                help="ssh-keygen -t ed25519 -f KEY",
            )
        ) from error
    by = _plain(key) if start.startswith(_PLAIN) else _by_ssh(key)

    def envelope(statement: bytes) -> bytes:
        made = by(encoding(statement))
        return render_envelope(statement, key=made.key, signature=made.signature)

    return envelope


def _by_ssh(key: Path) -> Callable[[bytes], _Signed]:
    def by(data: bytes) -> _Signed:
        signature = sign(data, key, namespace=RELEASE_NAMESPACE)
        return _Signed(key=read_signature(signature, file=str(key), namespace=RELEASE_NAMESPACE).key,
                       signature=signature)  # fmt: skip

    return by


def _plain(key: Path) -> Callable[[bytes], _Signed]:
    try:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key
        from securesystemslib.signer._crypto_signer import CryptoSigner
    except ImportError as error:
        raise EnvironmentFault(
            Diagnostic(
                code="signing-not-installed",
                message="a plain ed25519 key signs with securesystemslib, which is not installed",
                help="pip install 'stackproof[sign]', or sign with an ssh key",
            )
        ) from error
    private = load_pem_private_key(key.read_bytes(), None)
    public = private.public_key()
    if not isinstance(public, Ed25519PublicKey):
        raise InputFault(
            Diagnostic(
                code="key-unusable",
                message="a plain key must be an ed25519 key",
                place=Place(file=str(key)),
                help="openssl genpkey -algorithm ed25519 -out KEY",
            )
        )
    signer = CryptoSigner(private)
    raw = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    blob = b"".join(len(part).to_bytes(4, "big") + part for part in (_TYPE, raw))
    text = f"{_TYPE.decode()} {base64.b64encode(blob).decode()}"
    return lambda data: _Signed(key=text, signature=bytes.fromhex(signer.sign(data).signature))
