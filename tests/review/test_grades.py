"""The grader on the labelled pairs: made and labelled before it, by rules that know nothing of it."""

from collections import Counter

import pytest

from tests.pairs.generate import pairs
from tests.pairs.pair import Label, Pair
from tests.review.pairs import graded
from verify.model.review import Grade
from verify.review.grades import Graded

CARRIES = {Grade.SAME_TREE, Grade.SAME_BLOBS, Grade.SAME_FUNCTIONS, Grade.MESSAGE_ONLY}
Both = tuple[Pair, Graded]


@pytest.fixture(scope="module")
def every() -> tuple[Both, ...]:
    return tuple((pair, graded(pair)) for pair in pairs())


def named(every: tuple[Both, ...], label: Label, *, carried: bool) -> list[str]:
    return [pair.name for pair, each in every if pair.label is label and (each.grade in CARRIES) is carried]


def test_nothing_that_is_owed_carries(every: tuple[Both, ...]) -> None:
    assert named(every, Label.OWED, carried=True) == []


def test_nothing_that_is_the_same_is_read_again(every: tuple[Both, ...]) -> None:
    assert named(every, Label.SAME, carried=False) == []


def test_pure_moves_carry(every: tuple[Both, ...]) -> None:
    carried = len(named(every, Label.MOVED, carried=True))
    assert carried >= 0.95 * (carried + len(named(every, Label.MOVED, carried=False)))


def test_what_does_not_carry_says_why(every: tuple[Both, ...]) -> None:
    assert [pair.name for pair, each in every if each.grade not in CARRIES and not each.reasons] == []


def test_there_are_enough_pairs_of_every_label(every: tuple[Both, ...]) -> None:
    count = Counter(pair.label for pair, _ in every)
    assert count.total() >= 200
    assert min(count[Label.OWED], count[Label.SAME], count[Label.MOVED]) >= 40
