"""Of release.json: the hardware that gates may ask for, and the policy that says whose measurements count."""

import re
from dataclasses import dataclass

from verify.manifest.scalars import choice, flag, integer, line, matching
from verify.manifest.value import Value
from verify.model.review import OUR_REVIEWS, USUAL, Carries, Grade, ReviewPolicy
from verify.model.trust import OUR_POLICY, EvidencePolicy, Hardware, Role, Signer

# One key without options: an option could name a command, a comment is of no use.
KEY = re.compile(
    r"(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-ssh-ed25519@openssh\.com) [A-Za-z0-9+/]+={0,2}"
)


def read_hardware(value: Value) -> tuple[Hardware, ...]:
    """Every named machine."""
    return value.named(lambda title, about: Hardware(name=title, about=line(about)), of="hardware")


@dataclass(frozen=True, slots=True, kw_only=True)
class Policies:
    """Whose measurements count, and what is asked of reviews."""

    evidence: EvidencePolicy
    reviews: ReviewPolicy


OUR_POLICIES = Policies(evidence=OUR_POLICY, reviews=OUR_REVIEWS)


def read_policy(value: Value) -> Policies:
    """`policy`, of evidence and of reviews."""
    fields = value.fields(of="`policy`")
    policies = Policies(
        evidence=fields.optional("evidence", _evidence, OUR_POLICY),
        reviews=fields.optional("reviews", _reviews, OUR_REVIEWS),
    )
    fields.close()
    return policies


def _reviews(value: Value) -> ReviewPolicy:
    fields = value.fields(of="the policy of reviews")
    policy = ReviewPolicy(
        required=fields.optional("required", flag, OUR_REVIEWS.required),
        approvals=fields.optional("approvals", lambda field: integer(field, 1, 9), OUR_REVIEWS.approvals),
        signed=fields.optional("signed", flag, OUR_REVIEWS.signed),
        signers=fields.optional("signers", lambda table: table.named(_signer, of="signer"), ()),
        grades=fields.optional("grades", _grades, ()),
    )
    fields.close()
    if policy.signed and not policy.signers:
        value.wrong("review-signers", "reviews must be signed, and nobody is named who may sign")
    return policy


def _grades(value: Value) -> tuple[tuple[Grade, Carries], ...]:
    fields = value.fields(of="the grades")
    found = []
    for grade in Grade:
        asked = fields.optional(grade.value, lambda field: (choice(field, Carries), field), None)
        if asked is None:
            continue
        word, field = asked
        if STRICT.index(word) < STRICT.index(USUAL[grade]):
            field.wrong(
                "grade-too-lenient",
                f"what is `{grade}` cannot ask for less than `{USUAL[grade]}`",
                notes=("an approval that carries further than the proof would be on something nobody has read",),
            )
        found.append((grade, word))
    fields.close()
    return tuple(found)


STRICT = (Carries.BY_ITSELF, Carries.BY_WORD, Carries.BY_REVIEW)


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
