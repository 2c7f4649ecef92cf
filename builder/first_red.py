"""Which step turned a light red: a binary search that asks as little as it can. Pure.

Steps are numbered from 0; the last is known to be red. A step may be dark, when nothing can be said there; then its
neighbours are asked, and where only dark ones lie between green and red the answer is a range. What is known from
the start is used first, and red below the last green is told and not hidden: then more than one step changed things.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Light(StrEnum):
    """What a step shows."""

    GREEN = "green"
    RED = "red"
    DARK = "dark"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Green at `green`, red at `red`, dark between them where these are no neighbours; `earlier` are reds before."""

    green: int
    red: int
    earlier: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NeverGreen:
    """No step below is green: `red` is the first red one, and whatever lies below it is dark."""

    red: int


def first_red(last: int, look: Callable[[int], Light], known: Mapping[int, Light]) -> Turn | NeverGreen:
    """Where the light turned red for good; `last` is red, and `look` is asked for each step at most once."""
    seen = {step: light for step, light in known.items() if 0 <= step < last}

    def light(step: int) -> Light:
        if step not in seen:
            seen[step] = look(step)
        return seen[step]

    red = last
    green = _below(Light.GREEN, red, seen)
    if green is None:
        green = next((step for step in range(last) if light(step) is not Light.DARK), None)
        if green is None or seen[green] is Light.RED:
            # the lowest step that shows anything is red
            return NeverGreen(red=last if green is None else green)
    red = min([step for step, shown in seen.items() if step > green and shown is Light.RED], default=last)
    while (step := _between(green, red, seen)) is not None:
        match light(step):
            case Light.RED:
                red = step
            case Light.GREEN:
                green = step
            case Light.DARK:
                pass
    earlier = tuple(sorted(step for step, shown in seen.items() if step < green and shown is Light.RED))
    return Turn(green=green, red=red, earlier=earlier)


def _below(light: Light, end: int, seen: Mapping[int, Light]) -> int | None:
    """The last step below `end` that is known to show the light."""
    return max((step for step, shown in seen.items() if step < end and shown is light), default=None)


def _between(green: int, red: int, seen: Mapping[int, Light]) -> int | None:
    """The step nearest to the middle that is not known to be dark; None where there is nothing more to ask."""
    middle = (green + red) // 2
    open_steps = [step for step in range(green + 1, red) if step not in seen]
    return min(open_steps, key=lambda step: abs(step - middle), default=None)
