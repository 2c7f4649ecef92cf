"""Of release.json: the hardware that gates may ask for, and the policy that says whose measurements count."""

import re

from verify.manifest.scalars import choice, line, matching
from verify.manifest.value import Value
from verify.model.trust import OUR_POLICY, EvidencePolicy, Hardware, Role, Signer

# One key without options: an option could name a command, a comment is of no use.
KEY = re.compile(
    r"(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-ssh-ed25519@openssh\.com) [A-Za-z0-9+/]+={0,2}"
)


def read_hardware(value: Value) -> tuple[Hardware, ...]:
    """Every named machine."""
    return value.named(lambda title, about: Hardware(name=title, about=line(about)), of="hardware")


def read_policy(value: Value) -> EvidencePolicy:
    """`policy`: so far that of evidence alone."""
    fields = value.fields(of="`policy`")
    policy = fields.optional("evidence", _evidence, OUR_POLICY)
    fields.close()
    return policy


def _evidence(value: Value) -> EvidencePolicy:
    fields = value.fields(of="the policy of evidence")
    policy = EvidencePolicy(
        counts=fields.optional(
            "counts",
            lambda roles: roles.listing(lambda role: choice(role, Role), of="role", least=1),
            OUR_POLICY.counts,
        ),
        signers=fields.optional("signers", lambda table: table.named(_signer, of="signer"), ()),
    )
    fields.close()
    if Role.CONTRIBUTOR in policy.counts:
        value.wrong(
            "contributor-counts",
            "what contributors measure is a claim and cannot count as evidence",
            notes=("who may say that a release holds is a maintainer, or a machine of theirs",),
            step="give that signer the role `maintainer` or `ci`, or leave `contributor` out of `counts`",
        )
    return policy


def _signer(title: str, value: Value) -> Signer:
    fields = value.fields()
    role = fields.get("role", lambda field: choice(field, Role))
    signer = Signer(
        name=title,
        role=role,
        key=fields.get(
            "key", lambda field: matching(field, KEY, wanted="a public key as ssh writes it", code="bad-signer-key")
        ),
    )
    fields.close()
    if role is Role.LOCAL:
        value.wrong(
            "signer-local",
            f"{value.what} cannot be `local`: who signs is somebody",
            step="give it the role `ci`, `maintainer` or `contributor`",
        )
    return signer
