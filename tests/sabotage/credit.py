"""Credit that is lost on the way."""

from dataclasses import replace

from tests.sabotage.ways import Way, broken, in_first_fold, unknown
from verify.gates.case import Case
from verify.model.block import Person

SUBMITTED = b"From: A <a@x.dev>\nSubject: [PATCH] rotate\n\nWhy.\n\nSigned-off-by: Ann Other <ann@x.dev>\n---\n"


def one_line_more(case: Case) -> Case:
    """The tip holds a line that no fold brought."""
    assert case.line_counts is not None
    return replace(case, line_counts={blob: count + (count > 2) for blob, count in case.line_counts.items()})


def uncounted(case: Case) -> Case:
    return replace(case, line_counts=None)


NOBODY: Way = in_first_fold(
    lambda fold: replace(fold, author=Person(name="Author not stated", email="author@not-stated"))
)

SABOTAGES = (
    broken("a line of the tip is nobody's", "attribution", "line-unaccounted", one_line_more),
    broken("a fold names no author", "attribution", "author-not-stated", NOBODY),
    broken(
        "a fold loses a sign-off",
        "attribution",
        "sign-off-lost",
        in_first_fold(lambda fold: replace(fold, source_bytes=SUBMITTED)),
    ),
    broken(
        "a fold loses a co-author",
        "attribution",
        "co-author-lost",
        in_first_fold(lambda fold: replace(fold, source_bytes=SUBMITTED.replace(b"Signed-off", b"Co-authored"))),
    ),
    unknown("nobody counted lines", "attribution", "lines-not-counted", uncounted),
)
