"""Checks the statements and the notes by printing them again from what they are made of."""

from collections.abc import Iterator
from typing import Any

from verify.bundle.document import load_document, read_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import NOTES, SINCE, STACK, STATEMENTS, statement_member
from verify.bundle.notes import SINCE_SCHEMA, Since, render_notes
from verify.bundle.reviews import BundleReviews, reviews_of
from verify.bundle.statements import Stated, is_stated, statements
from verify.diff.identity import change_identity
from verify.diff.parse import parse_canonical
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import Sha256
from verify.model.verdict import Outcome
from verify.model.wording import count


def check_statements(bundle: Bundle) -> Outcome:
    """Every statement is the one that documents, evidence and the other members' digests give; none is missing."""
    stated = Stated(
        release=bundle.release,
        stack=bundle.stack,
        verdict=bundle.verdict,
        records=bundle.records(),
        reviews=_reviews(bundle),
        digests={name: member.sha256 for name, member in bundle.files.items() if is_stated(name)},
    )
    expected = statements(stated)
    met = {name for name in bundle.files if name.startswith(f"{STATEMENTS}/")}
    findings: list[Diagnostic] = []
    for name in sorted(met | expected.keys()):
        if name not in expected:
            findings.append(finding("bundle-file-unknown", f"`{name}` has no place in this bundle", name))
        elif name not in met:
            findings.append(finding("bundle-statement-differs", f"`{name}` is missing", name))
        elif bundle.data(name) != expected[name]:
            findings += _differing(bundle, name, expected[name])
    return ruled(findings, f"{count(len(expected), 'statement')}, each as the other members give it")


def _reviews(bundle: Bundle) -> BundleReviews | None:
    try:
        return reviews_of(bundle)
    except CodecError:
        return None  # told by the check of the reviews


def _differing(bundle: Bundle, name: str, expected: bytes) -> list[Diagnostic]:
    """Each member that the release statement is not about, by its name; the first line where none can be told."""
    met = bundle.data(name) or b""
    strangers = list(_strangers(bundle, met)) if name == statement_member("release") else []
    notes: tuple[str, ...] = ()
    for number, (one, other) in enumerate(zip(expected.splitlines(), met.splitlines(), strict=False), start=1):
        if one != other:
            said, wanted = (line.decode("utf-8", "replace").strip()[:200] for line in (other, one))
            notes = (f"line {number} says  {said}", f"expected     {wanted}")
            break
    return [
        finding("bundle-statement-differs", f"`{name}` does not say what this release is", name, *notes),
        *strangers,
    ]


def _strangers(bundle: Bundle, statement: bytes) -> Iterator[Diagnostic]:
    try:
        value: Any = load_document(statement)
        stated = {each["name"]: each["digest"]["sha256"] for each in value["subject"]}
    except (CodecError, KeyError, TypeError):
        return
    there = {name: member.sha256 for name, member in bundle.files.items() if is_stated(name)}
    for name in sorted(there.keys() | stated.keys()):
        if there.get(name) != stated.get(name):
            message = f"`{name}` is not the file that the release states"
            met, expected = there.get(name, "nothing"), stated.get(name, "nothing")
            yield differs("bundle-member-differs", message, f"{name}", met=met, expected=expected)


def check_notes(bundle: Bundle) -> Outcome:
    """The notes tell of these folds and of everybody who made them."""
    try:
        since = _since(bundle)
        changes = {(block, fold.id): _change(bundle, fold.patch) for block, fold in bundle.stack.folds()}
    except CodecError as error:
        return ruled([finding("bundle-notes-differ", f"`{SINCE}` cannot be read: {error}", SINCE)], "")
    except InputFault as fault:
        return ruled(fault.diagnostics, "")
    expected = render_notes(stack=bundle.stack, verdict=bundle.verdict, since=since, changes=changes)
    if bundle.data(NOTES) != expected:
        message = f"`{NOTES}` does not say what `{STACK}` and the verdict say"
        return ruled([finding("bundle-notes-differ", message, NOTES)], "")
    return ruled([], f"{len(expected.splitlines())} lines, from the folds and the verdict")


def _since(bundle: Bundle) -> Since | None:
    if SINCE not in bundle.files:
        return None
    since = read_document(Since, bundle.data(SINCE) or b"")
    if since.schema != SINCE_SCHEMA or since.parent != bundle.stack.parent:
        raise CodecError("it is about another parent")
    return since


def _change(bundle: Bundle, patch: str) -> Sha256:
    return change_identity(parse_canonical(bundle.data(patch) or b"", file=patch))
