"""Laws of the interval of a paired ratio, and of the numbers that are drawn for it."""

from itertools import islice

from hypothesis import given, settings
from hypothesis import strategies as st

from verify.model.draw import drawn_numbers
from verify.model.interval import LEAST_PAIRS, Interval, ratio_interval

SECONDS = st.floats(min_value=1e-6, max_value=1e6, allow_nan=False)
PAIRS = st.lists(st.tuples(SECONDS, SECONDS), min_size=LEAST_PAIRS, max_size=12)
few = settings(max_examples=60, derandomize=True, deadline=None)


def interval(pairs: list[tuple[float, float]], seed: int = 1) -> Interval:
    found = ratio_interval(pairs, seed=seed, resamples=200)
    assert found is not None
    return found


@few
@given(PAIRS)
def test_the_estimate_lies_in_its_interval_and_that_within_the_ratios(pairs: list[tuple[float, float]]) -> None:
    found = interval(pairs)
    ratios = [over / under for over, under in pairs]
    assert min(ratios) <= found.low <= found.middle <= found.high <= max(ratios)


@few
@given(PAIRS, st.integers(min_value=0, max_value=1 << 70))
def test_the_same_pairs_and_seed_give_the_same_interval(pairs: list[tuple[float, float]], seed: int) -> None:
    assert interval(pairs, seed) == interval(pairs, seed)


@few
@given(PAIRS)
def test_an_arm_against_itself_is_exactly_one(pairs: list[tuple[float, float]]) -> None:
    found = interval([(under, under) for _, under in pairs])
    assert (found.low, found.middle, found.high) == (1.0, 1.0, 1.0)


@few
@given(PAIRS, st.integers(min_value=1, max_value=8))
def test_a_slower_arm_scales_the_interval(pairs: list[tuple[float, float]], power: int) -> None:
    found, slower = interval(pairs), interval([(over * 2**power, under) for over, under in pairs])
    assert slower == Interval(
        low=found.low * 2**power, middle=found.middle * 2**power, high=found.high * 2**power, pairs=found.pairs
    )


@few
@given(PAIRS, st.sampled_from([0.0, -1.0, float("nan"), float("inf")]))
def test_one_time_that_is_none_leaves_no_interval(pairs: list[tuple[float, float]], bad: float) -> None:
    assert ratio_interval([*pairs, (bad, 1.0)], seed=1) is None


@few
@given(st.lists(st.tuples(SECONDS, SECONDS), max_size=LEAST_PAIRS - 1))
def test_too_few_pairs_leave_no_interval(pairs: list[tuple[float, float]]) -> None:
    assert ratio_interval(pairs, seed=1) is None


def test_drawn_numbers_are_the_published_ones() -> None:
    assert list(islice(drawn_numbers(0), 3)) == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
