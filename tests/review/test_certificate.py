"""Certificates checked by other means than they were made with, on the labelled pairs."""

from dataclasses import replace

import pytest

from builder.review.check_again import merge_by_git
from tests.pairs.generate import pairs
from tests.pairs.pair import Label, Pair
from tests.review.pairs import both_changes, graded
from verify.model.review import Certificate, Grade
from verify.review.certificate import certificate_problems

CARRIES = {Grade.SAME_TREE, Grade.SAME_BLOBS, Grade.SAME_FUNCTIONS, Grade.MESSAGE_ONLY}


@pytest.fixture(scope="module")
def some() -> tuple[Pair, ...]:
    """Every second pair, so that each class is met."""
    return tuple(pairs())[::2]


def problems(pair: Pair, certificate: Certificate) -> tuple[str, ...]:
    changes = both_changes(pair)
    return certificate_problems(
        certificate, changes.reviewed, changes.present, differing=changes.differing(), merge=merge_by_git
    )


def test_what_carries_stands_a_second_look(some: tuple[Pair, ...]) -> None:
    made = [(pair, graded(pair)) for pair in some if pair.label in (Label.SAME, Label.MOVED)]
    assert [pair.name for pair, each in made if problems(pair, each.certificate)] == []


def test_a_certificate_that_claims_more_than_is_so_is_refused(some: tuple[Pair, ...]) -> None:
    """For what is owed because the change is another one or stands elsewhere; meanings are the grader's alone."""
    made = [(pair, graded(pair)) for pair in some if pair.label is Label.OWED]
    forged = [
        (pair, replace(each.certificate, grade=Grade.SAME_FUNCTIONS))
        for pair, each in made
        if each.grade is Grade.CHANGED
    ]
    assert len(forged) > 50
    assert [pair.name for pair, certificate in forged if not problems(pair, certificate)] == []
