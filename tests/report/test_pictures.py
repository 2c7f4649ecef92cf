"""Pictures: whatever the numbers are, every mark lies within the picture, in the order of the numbers."""

from hypothesis import given
from hypothesis import strategies as some

from builder.report.measured import _bars, _intervals
from builder.report.spelled import amount, change, day, seconds, size
from verify.model.figure import Amount, Amounts, Reading
from verify.model.interval import Interval

RATIOS = some.floats(min_value=0.001, max_value=1000)


@given(some.lists(some.tuples(RATIOS, RATIOS, RATIOS, RATIOS), min_size=1, max_size=5))
def test_marks_lie_in_the_picture_and_keep_their_order(numbers: list[tuple[float, float, float, float]]) -> None:
    readings = []
    for *sides, bound in numbers:
        low, middle, high = sorted(sides)
        interval = Interval(low=low, middle=middle, high=high, pairs=6)
        readings.append(Reading(what="w", of="on/off", by="count", interval=interval, bound=bound))
    for drawn, reading in zip(_intervals(readings), readings, strict=True):
        assert 0 <= drawn.low <= drawn.middle <= drawn.high <= 100
        assert 0 <= drawn.bound <= 100
        assert reading.interval is not None
        assert (drawn.state == "failed") == (reading.interval.low > reading.bound)
        assert (drawn.state == "passed") == (reading.interval.high <= reading.bound)


def test_a_clock_that_is_judged_by_the_weaker_rule_is_told_by_it() -> None:
    across = Interval(low=0.9, middle=1.0, high=1.4, pairs=6)
    readings = [
        Reading(what="w", of="on/off", by="wall time", interval=across, bound=1.1, strict=strict)
        for strict in (True, False)
    ]
    assert [each.state for each in _intervals(readings)] == ["undecided", "passed"]
    assert "not wholly beyond the bound" in list(_intervals(readings))[1].words


def test_a_ratio_that_there_is_none_of_is_told_and_not_drawn() -> None:
    (drawn,) = _intervals([Reading(what="w", of="on/off", by="count", interval=None, bound=1.1)])
    assert (drawn.state, drawn.high) == ("failed", 0.0)
    assert "no ratio" in drawn.words


@given(
    some.lists(some.floats(min_value=-1, max_value=1e15), min_size=1, max_size=6), some.floats(0, 1e15) | some.none()
)
def test_bars_are_no_longer_than_the_picture(values: list[float], most: float | None) -> None:
    figure = Amounts(what="w", unit="", amounts=tuple(Amount(name="a", value=each) for each in values), most=most)
    for bar in _bars(figure).bars:
        assert 0 <= bar.width <= 100
        assert bar.bound is None or 0 <= bar.bound <= 100


def test_only_the_last_amount_has_the_bound_and_says_what_it_must_be() -> None:
    runs = (Amount(name="wrong", value=0.5, bad=True), Amount(name="again", value=0.0), Amount(name="tip", value=-0.0))
    bars = _bars(Amounts(what="KLD", unit="nats", amounts=runs, equals="again")).bars
    assert [bar.note for bar in bars] == ["known to be wrong", "", "must be that of again"]
    assert [bar.bad for bar in bars] == [True, False, False]
    assert bars[-1].value == "0.000000 nats"


def test_numbers_are_spelled_for_people() -> None:
    assert [seconds(each) for each in (0.049, 12.34, 185)] == ["0.05 s", "12.3 s", "3 min 05 s"]
    assert [size(each) for each in (10, 1536, 20 << 20, 3 << 30)] == ["10 B", "1.5 KiB", "20.0 MiB", "3.00 GiB"]
    assert [change(each) for each in (0, 4300, -512)] == ["same", "+4.2 KiB", "-512 B"]
    assert [amount(6, ""), amount(1234567, "KiB"), amount(-1e-9, "nats")] == ["6", "1,234,567 KiB", "0.000000 nats"]
    assert [day("@1796068338 +0000"), day("yesterday")] == ["2026-11-30", "yesterday"]
