"""deviations.json: the accepted deviations as a program without YAML reads them, and whether waivers rest on them.

The member is there only where something is accepted. Whatever the verdict calls waived must be covered by one of
them that stands for this very release.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from verify.bundle.document import read_document, render_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import finding
from verify.bundle.layout import DEVIATIONS, VERDICT
from verify.model.codec import CodecError
from verify.model.deviation import Deviation, Standing, ended_by, newest_day
from verify.model.diagnostic import Diagnostic
from verify.model.ids import ReleaseName
from verify.model.verdict import Failed, Waived
from verify.waive import numbers_of

SCHEMA = "stackproof/bundle-deviations/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleDeviations:
    """The document."""

    schema: str
    accepted: tuple[Deviation, ...]


def render_deviations(accepted: tuple[Deviation, ...]) -> bytes:
    """The document's bytes."""
    return render_document(BundleDeviations(schema=SCHEMA, accepted=accepted))


def check_waivers(bundle: Bundle) -> Iterator[Diagnostic]:
    """Every waived finding is covered by a deviation that stands, and the verdict names those that cover it."""
    try:
        accepted = _accepted(bundle)
    except CodecError as error:
        yield finding("bundle-document-unreadable", f"`{DEVIATIONS}` cannot be read: {error}", DEVIATIONS)
        return
    standing = _standing(bundle)
    for deviation in accepted:
        if why := ended_by(deviation, standing):
            message = f"deviation {deviation.number} does not stand for this release: {why}"
            yield finding("bundle-waiver-unfounded", message, DEVIATIONS)
    for result in bundle.verdict.results:
        match result.outcome:
            case Waived(findings=found, deviation=named):
                by = {each for each in accepted for one in found if each.covers(result.gate, one)}
                if not found or named != numbers_of(by):
                    message = (
                        f"gate `{result.gate}` is waived by deviation {named}, and {numbers_of(by) or 'none'} covers it"
                    )
                    yield finding("bundle-waiver-unfounded", message, VERDICT)
            case Failed(accepted=found):
                pass
            case _:
                continue
        for one in found:
            if not any(each.covers(result.gate, one) for each in accepted):
                message = f"gate `{result.gate}`: no deviation covers what is waived: {one.message}"
                yield finding("bundle-waiver-unfounded", message, VERDICT)


def _accepted(bundle: Bundle) -> tuple[Deviation, ...]:
    data = bundle.data(DEVIATIONS)
    if data is None:
        return ()
    document = read_document(BundleDeviations, data)
    if document.schema != SCHEMA:
        raise CodecError(f"its schema is {document.schema!r:.80}, expected {SCHEMA!r}")
    return document.accepted


def _standing(bundle: Bundle) -> Standing:
    release = bundle.release
    return Standing(
        release=ReleaseName(release.name),
        parent=None if release.parent is None else ReleaseName(release.parent),
        base_tree=release.base_tree,
        upstream_commit=release.upstream_commit,
        day=newest_day(fold.date for _, fold in bundle.stack.folds()),
    )
