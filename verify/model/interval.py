"""How well a paired ratio is known: the median of the pairs' ratios with a bootstrap interval, seeded and pure.

Two arms that were measured side by side, round by round, share what the machine did in that round, so the ratio is
taken within the round. The median and not the mean, since on a shared machine single rounds are far off. The same
pairs and seed give the same interval everywhere: the numbers are drawn by our own fixed rule.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from verify.model.draw import drawn_numbers

LEAST_PAIRS = 3
"""With fewer, an interval would look narrow because nothing was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A ratio: its lower bound, its estimate and its upper bound, from so many pairs."""

    low: float
    middle: float
    high: float
    pairs: int

    def width(self) -> float:
        """How far the bounds are apart."""
        return self.high - self.low

    def show(self) -> str:
        """For people: estimate and bounds."""
        return f"{self.middle:.3f} [{self.low:.3f}, {self.high:.3f}], {self.pairs} pairs"


def ratio_interval(
    pairs: Sequence[tuple[float, float]], *, seed: int, confidence: float = 0.95, resamples: int = 1000
) -> Interval | None:
    """The interval of first over second; None where there is none: too few pairs, or a time that is not > 0."""
    ratios = [over / under for over, under in pairs if _sound(over) and _sound(under)]
    if len(ratios) != len(pairs) or len(ratios) < LEAST_PAIRS:
        return None
    numbers = drawn_numbers(seed)
    count = len(ratios)
    medians = sorted(_median([ratios[next(numbers) % count] for _ in range(count)]) for _ in range(resamples))
    cut = int((1 - confidence) / 2 * resamples)
    return Interval(low=medians[cut], middle=_median(ratios), high=medians[-1 - cut], pairs=count)


def _sound(value: float) -> bool:
    return math.isfinite(value) and value > 0


def _median(values: list[float]) -> float:
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2
