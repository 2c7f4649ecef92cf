"""The policy of release.json, as far as a bundle is held to it: whose measurements count, and whose signatures."""

from collections.abc import Iterator

from verify.bundle.document import load_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import finding
from verify.bundle.layout import RELEASE
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Evidence
from verify.model.trust import OUR_POLICY, Role, Signer, role_of


def check_witness(bundle: Bundle, name: str, record: Evidence) -> Iterator[Diagnostic]:
    """The record in the member `name` was made by somebody whose measurements count."""
    counts = _counts(bundle)
    if role_of(record.made_by).value not in counts:
        message = f"`{name}` was made by `{record.made_by}`, and only {', '.join(sorted(counts))} count"
        yield finding("bundle-evidence-not-counted", message, name)


def signers_of(bundle: Bundle) -> tuple[Signer, ...]:
    """The signers that release.json names; their roles and keys were read strictly when the release was judged."""
    found = _policy(bundle, "signers")
    table = found if isinstance(found, dict) else {}
    try:
        return tuple(Signer(name=name, role=Role(each["role"]), key=str(each["key"])) for name, each in table.items())
    except (KeyError, TypeError, ValueError) as error:
        raise CodecError(f"`signers` cannot be read: {error}") from error


def _policy(bundle: Bundle, field: str) -> object:
    found: object = load_document(bundle.data(RELEASE) or b"{}")
    for name in ("policy", "evidence", field):
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _counts(bundle: Bundle) -> frozenset[str]:
    found = _policy(bundle, "counts")
    if found is None:
        return frozenset(role.value for role in OUR_POLICY.counts)
    if not isinstance(found, list):
        raise CodecError("`counts` is not a list")
    return frozenset(str(each) for each in found) - {"contributor"}
