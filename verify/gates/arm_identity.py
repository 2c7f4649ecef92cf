"""Arm identity: with its switch off a block is the block below it, and the switch does something."""

from dataclasses import dataclass, field
from enum import StrEnum

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.evidence import Need
from verify.model.ids import ConfigName, ModelName
from verify.model.verdict import Outcome, Undecided


class Exercise(StrEnum):
    """Which session exercises the feature, so that its log lines can be seen."""

    TOKENS = "tokens"
    WARM_BEHIND_COLD = "warm-behind-cold"
    CHECKPOINT_RESUME = "checkpoint-resume"


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`seen` is the log line that the feature writes under `exercise`: with the switch on, and never with it off."""

    switch: str = field(metadata={"refers": "switch"})
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompts: tuple[str, ...]
    exercise: Exercise
    seen: str = field(metadata={"pattern": True})
    exercise_model: ModelName = field(
        default=ModelName(""), metadata={"refers": "model", "about": "`model` when left out"}
    )
    tokens: int = field(default=32, metadata={"min": 1, "max": 1024})
    probabilities: int = field(default=5, metadata={"min": 0, "max": 20})
    context: int = field(default=1024, metadata={"min": 64, "max": 131072})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """What must have been measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Judge it."""
    del params, case
    return Undecided(summary="this kind has no rule yet", reasons=())


KIND = Kind(
    name="arm-identity",
    about="with its switch off a block gives the tokens of the block below, and the switch is seen to act",
    scope=Scope.BLOCK,
    standing=False,
    params=Params,
    needs=needs,
    check=check,
)
