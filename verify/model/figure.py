"""What a gate measured, as figures to be shown: ratios with their interval and bound, and amounts side by side.

A kind makes them of the very evidence that it judges, by the functions that it judges with, so that a page cannot show
another number than the one that decided. They decide nothing themselves.
"""

from dataclasses import dataclass

from verify.model.interval import Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """One ratio against the most that it may be.

    `of` names it (`on/off`), `by` what it was read by (a clock, a count). `interval` is None where there is none. A
    `strict` reading must lie within the bound with its whole interval, another one must only not lie beyond it whole.
    """

    what: str
    of: str
    by: str
    interval: Interval | None
    bound: float
    strict: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """One arm's figure; `bad` marks a run that is known to be wrong, by which the comparison is calibrated."""

    name: str
    value: float
    bad: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """The same thing measured of several arms; `most`, `least` and `equals` bound the last one, where there is a bound.

    `equals` names the arm whose very figure it must have.
    """

    what: str
    unit: str
    amounts: tuple[Amount, ...]
    most: float | None = None
    least: float | None = None
    equals: str = ""


Figure = Reading | Amounts
