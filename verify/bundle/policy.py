"""Whose measurements release.json counts, as far as a bundle is held to it: every record must be by one of them."""

from collections.abc import Iterator

from verify.bundle.document import load_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import finding
from verify.bundle.layout import RELEASE
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Evidence
from verify.model.trust import OUR_POLICY, role_of


def check_witness(bundle: Bundle, name: str, record: Evidence) -> Iterator[Diagnostic]:
    """The record in the member `name` was made by somebody whose measurements count."""
    counts = _counts(bundle)
    if role_of(record.made_by).value not in counts:
        message = f"`{name}` was made by `{record.made_by}`, and only {', '.join(sorted(counts))} count"
        yield finding("bundle-evidence-not-counted", message, name)


def _counts(bundle: Bundle) -> frozenset[str]:
    found: object = load_document(bundle.data(RELEASE) or b"{}")
    for name in ("policy", "evidence", "counts"):
        found = found.get(name) if isinstance(found, dict) else None
    if found is None:
        return frozenset(role.value for role in OUR_POLICY.counts)
    if not isinstance(found, list):
        raise CodecError("`counts` is not a list")
    return frozenset(str(each) for each in found) - {"contributor"}
