"""Warm behind cold: a short request to a warm slot need not wait for a long cold prompt in another."""

from dataclasses import dataclass, field

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.evidence import Need
from verify.model.ids import ConfigName, ModelName
from verify.model.verdict import Outcome, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Ratios are on over off, of paired rounds; both bounds of their interval count.

    `warm_ratio_max` and `cold_ratio_max` bound the time to the first token of the short and of the long request.
    `seen` is the log line of the feature: required with the switch on, forbidden with it off and with a unified KV
    cache (there the order stays as it was).
    """

    switch: str = field(metadata={"refers": "switch"})
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    seen: str = field(metadata={"pattern": True})
    cold_tokens: int = field(default=1500, metadata={"min": 16, "max": 131072})
    warm_tokens: int = field(default=32, metadata={"min": 4, "max": 4096})
    generate: int = field(default=16, metadata={"min": 1, "max": 512})
    batch: int = field(default=128, metadata={"min": 8, "max": 4096})
    rounds: int = field(default=5, metadata={"min": 3, "max": 100})
    rounds_max: int = field(default=15, metadata={"min": 3, "max": 200})
    precision: float = field(default=0.08, metadata={"min": 0.001, "max": 1.0})
    warm_ratio_max: float = field(default=0.667, metadata={"min": 0.01, "max": 10.0})
    cold_ratio_max: float = field(default=1.10, metadata={"min": 0.01, "max": 10.0})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """What must have been measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Judge it."""
    del params, case
    return Undecided(summary="this kind has no rule yet", reasons=())


KIND = Kind(
    name="warm-behind-cold",
    about="a short warm request behind a long cold one gets its first token sooner, at no cost and with equal text",
    scope=Scope.BLOCK,
    standing=False,
    params=Params,
    needs=needs,
    check=check,
)
