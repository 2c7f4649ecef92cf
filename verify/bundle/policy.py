"""The policy of release.json, as far as a bundle is held to it: whose measurements count, whose signatures, and what is
asked of reviews."""

from collections.abc import Iterator

from verify.bundle.document import load_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import finding
from verify.bundle.layout import RELEASE
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Evidence
from verify.model.review import OUR_REVIEWS, ReviewPolicy
from verify.model.trust import OUR_POLICY, Role, Signer, role_of


def check_witness(bundle: Bundle, name: str, record: Evidence) -> Iterator[Diagnostic]:
    """The record in the member `name` was made by somebody whose measurements count."""
    counts = _counts(bundle)
    if role_of(record.made_by).value not in counts:
        message = f"`{name}` was made by `{record.made_by}`, and only {', '.join(sorted(counts))} count"
        yield finding("bundle-evidence-not-counted", message, name)


def signers_of(bundle: Bundle) -> tuple[Signer, ...]:
    """The signers that release.json names; their roles and keys were read strictly when the release was judged."""
    try:
        return _signers(_policy(bundle, "signers"))
    except (KeyError, TypeError, ValueError) as error:
        raise CodecError(f"`signers` cannot be read: {error}") from error


def review_policy_of(bundle: Bundle) -> ReviewPolicy:
    """What release.json asks of reviews; what its grades ask was judged when the standings were made."""
    signers = _policy(bundle, "signers", of="reviews")
    required, approvals, signed = (_policy(bundle, name, of="reviews") for name in ("required", "approvals", "signed"))
    try:
        return ReviewPolicy(
            required=required is True,
            approvals=approvals if isinstance(approvals, int) else OUR_REVIEWS.approvals,
            signed=signed is True,
            signers=_signers(signers),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CodecError(f"the policy of reviews in `{RELEASE}` cannot be read: {error}") from error


def _signers(found: object) -> tuple[Signer, ...]:
    table = found if isinstance(found, dict) else {}
    return tuple(Signer(name=name, role=Role(each["role"]), key=str(each["key"])) for name, each in table.items())


def _policy(bundle: Bundle, field: str, *, of: str = "evidence") -> object:
    found: object = load_document(bundle.data(RELEASE) or b"{}")
    for name in ("policy", of, field):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _counts(bundle: Bundle) -> frozenset[str]:
    found = _policy(bundle, "counts")
    if found is None:
        return frozenset(role.value for role in OUR_POLICY.counts)
    if not isinstance(found, list):
        raise CodecError("`counts` is not a list")
    return frozenset(str(each) for each in found) - {"contributor"}
