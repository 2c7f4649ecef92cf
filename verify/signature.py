"""Signatures of ssh keys over evidence and releases, made and checked by `ssh-keygen -Y`; the one door to it.

A signature is believed when it was made over these very bytes, in our namespace (so that a signature on a git commit
or a mail is none on evidence), by the key that release.json gives its signer. What is wrong is told apart, since an
altered file and a stranger's key ask for different things.
"""

import base64
import binascii
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault, Fault, InputFault, Place
from verify.model.trust import Signer

NAMESPACE = "stackproof-evidence"
RELEASE_NAMESPACE = "stackproof-release"
"""For statements about a release."""

REVIEW_NAMESPACE = "stackproof-review"
"""For records of reviews and receipts."""

_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_MAGIC = b"SSHSIG"
_KEPT = ("PATH", "HOME", "TMPDIR", "SSH_AUTH_SOCK", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "DISPLAY", "TERM")


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureParts:
    """What a signature says of itself: the public key as ssh writes it, and its namespace."""

    key: str
    namespace: str


def sign(data: bytes, key: Path, *, namespace: str = NAMESPACE) -> bytes:
    """The signature of `data` by a private key, or by an agent where `key` is the public one."""
    ended = _run("sign", "-n", namespace, "-f", str(key), data=data, ask=True)
    if ended.returncode:
        raise EnvironmentFault(
            Diagnostic(
                code="signing-failed",
                message=f"ssh-keygen did not sign with {key}",
                place=Place(file=str(key)),
                notes=(_told(ended),),
                help=f"ssh-keygen -Y sign -n {namespace} -f {key} FILE",
            )
        )
    return ended.stdout


def check_signature(data: bytes, signature: bytes, signer: Signer, *, file: str, namespace: str = NAMESPACE) -> None:
    """Raise unless the signer of release.json signed these bytes for this use; `file` names them in messages."""
    parts = read_signature(signature, file=file, namespace=namespace)
    if parts.namespace != namespace:
        raise _refused(
            "signature-namespace",
            f"the signature on {file} was made for another use",
            file,
            (f"made for: {parts.namespace:.80}", f"expected: {namespace}"),
            f"ssh-keygen -Y sign -n {namespace} -f KEY {file}",
        )
    if parts.key != signer.key:
        raise _refused(
            "signature-other-key",
            f"{file} was signed by another key than that of `{signer.name}`",
            file,
            (f"signed by: {parts.key}", f"release.json: {signer.key}"),
            "ask its signer; where he has a new key, write it under `policy` in release.json",
        )
    with tempfile.TemporaryDirectory(prefix="stackproof-signature-") as folder:
        allowed, made = Path(folder) / "allowed", Path(folder) / "signature"
        allowed.write_text(f'{signer.name} namespaces="{namespace}" {signer.key}\n', encoding="utf-8")
        made.write_bytes(signature)
        ended = _run("verify", "-n", namespace, "-f", str(allowed), "-I", signer.name, "-s", str(made), data=data)
    if ended.returncode:
        raise _refused(
            "signature-wrong",
            f"the signature on {file} is not over these bytes",
            file,
            (_told(ended), "the file was altered after it was signed, or the signature is another file's"),
            "get both files again from whoever made them",
        )


def read_signature(signature: bytes, *, file: str, namespace: str = NAMESPACE) -> SignatureParts:
    """Key and namespace out of an armoured signature (OpenSSH's PROTOCOL.sshsig)."""
    try:
        return _parts(signature.decode("ascii").strip().splitlines())
    except (ValueError, IndexError, StopIteration, binascii.Error) as error:
        raise _refused(
            "signature-unreadable",
            f"the signature on {file} is none: {error or 'it ends too early'}",
            file,
            (),
            f"ssh-keygen -Y sign -n {namespace} -f KEY {file}",
        ) from error


def _parts(lines: list[str]) -> SignatureParts:
    if lines[0] != _BEGIN or lines[-1] != _END:
        raise ValueError("it has no frame")
    blob = base64.b64decode("".join(lines[1:-1]), validate=True)
    if blob[:6] != _MAGIC or blob[6:10] != b"\0\0\0\1":
        raise ValueError("it is of another version")
    fields = _fields(blob[10:])
    key, namespace = next(fields), next(fields)
    kind = next(_fields(key)).decode("ascii")
    return SignatureParts(key=f"{kind} {base64.b64encode(key).decode()}", namespace=namespace.decode("utf-8"))


def _fields(blob: bytes) -> Iterator[bytes]:
    """Texts with their length before them, in four bytes."""
    while blob:
        end = 4 + int.from_bytes(blob[:4], "big")
        if end > len(blob):
            raise ValueError("it is cut off")
        yield blob[4:end]
        blob = blob[end:]


def _run(what: str, *arguments: str, data: bytes, ask: bool = False) -> "subprocess.CompletedProcess[bytes]":
    program = shutil.which("ssh-keygen")
    if program is None:
        raise EnvironmentFault(
            Diagnostic(
                code="ssh-keygen-missing",
                message="ssh-keygen is not installed, or not on PATH",
                notes=("signatures on evidence are made and checked by it",),
                help="apt-get install openssh-client",
            )
        )
    kept = _KEPT if ask else ("PATH",)
    return subprocess.run(
        [program, "-Y", what, *arguments],
        input=data,
        env={name: os.environ[name] for name in kept if name in os.environ} | {"LC_ALL": "C"},
        capture_output=True,
        check=False,
    )


def _told(ended: "subprocess.CompletedProcess[bytes]") -> str:
    said = (ended.stderr or ended.stdout).decode("utf-8", errors="replace").strip()
    return f"ssh-keygen: {said.splitlines()[-1] if said else f'ended with {ended.returncode}'}"


def _refused(code: str, message: str, file: str, notes: tuple[str, ...], step: str) -> Fault:
    return InputFault(Diagnostic(code=code, message=message, place=Place(file=file), notes=notes, help=step))
