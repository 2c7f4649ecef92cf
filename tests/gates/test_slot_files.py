"""How far a restored slot may be from the live one."""

from dataclasses import replace

import pytest

from tests.gates.good import answer
from verify.gates.answers import moved_difference
from verify.model.observation import Answer


@pytest.fixture
def live() -> Answer:
    return answer("further", 0, 4, candidates=3)


def moved(live: Answer, by: float) -> Answer:
    """The second step's first candidate lies elsewhere."""
    first, (best, *rest), *later = live.candidates
    return replace(live, candidates=(first, (replace(best, logprob=best.logprob + by), *rest), *later))


def test_the_largest_difference_of_a_candidate_counts(live: Answer) -> None:
    assert moved_difference(live, live) == 0
    assert moved_difference(live, moved(live, -0.25)) == pytest.approx(0.25)


def test_a_candidate_that_the_other_does_not_list_counts_from_the_last_one(live: Answer) -> None:
    first, (best, *rest, last), *later = live.candidates
    other = replace(live, candidates=(first, (best, *rest, replace(last, id=last.id + 1000)), *later))
    assert moved_difference(live, other) == 0


def test_other_tokens_are_no_matter_of_distance(live: Answer) -> None:
    assert moved_difference(live, replace(live, ids=(*live.ids[:-1], live.ids[-1] + 1))) is None
    assert moved_difference(live, replace(live, text="else")) is None
    assert moved_difference(live, replace(live, candidates=live.candidates[:-1])) is None
