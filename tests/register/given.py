"""An accepted deviation as tests begin with: one prompt of the good release's golden gate."""

from dataclasses import replace
from typing import Any

from verify.model.block import Person
from verify.model.deviation import Deviation, Trigger, Until
from verify.model.ids import GateName

OWNER = Person(name="Grace Hopper", email="grace@navy.mil")


def accepted(**fields: Any) -> Deviation:
    """The first prompt may differ, as far as nothing else is said."""
    given = Deviation(
        number=1,
        gate=GateName("golden"),
        finding="golden-differs",
        names=("prompt-0",),
        reason="upstream rounds otherwise",
        evidence=("seen on two machines",),
        owner=OWNER,
        since="2026-11-01",
        until=Until(trigger=Trigger.PASSES, value=""),
    )
    return replace(given, **fields)
