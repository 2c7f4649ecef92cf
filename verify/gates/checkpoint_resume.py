"""Checkpoint resume: a prompt that resumes from a checkpoint does not save the same state again."""

from dataclasses import dataclass, field

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.evidence import Need
from verify.model.ids import ConfigName, ModelName
from verify.model.verdict import Outcome, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`kept` is the log line of a checkpoint that was kept, `superseded` of one that was saved over the same position.

    Each of the `resumes` of a session must keep with the switch on (`kept_on`) and supersede with it off
    (`superseded_off`), never the other way round. `prompt_ratio_max` bounds on over off of the resumed prompts' time.
    """

    switch: str = field(metadata={"refers": "switch"})
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    kept: str = field(metadata={"pattern": True})
    superseded: str = field(metadata={"pattern": True})
    kept_on: int = field(default=3, metadata={"min": 1, "max": 1000})
    superseded_off: int = field(default=3, metadata={"min": 1, "max": 1000})
    prompt_tokens: int = field(default=1024, metadata={"min": 64, "max": 131072})
    resumes: int = field(default=3, metadata={"min": 1, "max": 100})
    generate: int = field(default=16, metadata={"min": 1, "max": 512})
    batch: int = field(default=256, metadata={"min": 8, "max": 4096})
    rounds: int = field(default=5, metadata={"min": 3, "max": 100})
    rounds_max: int = field(default=15, metadata={"min": 3, "max": 200})
    precision: float = field(default=0.08, metadata={"min": 0.001, "max": 1.0})
    prompt_ratio_max: float = field(default=1.05, metadata={"min": 0.01, "max": 10.0})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """What must have been measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Judge it."""
    del params, case
    return Undecided(summary="this kind has no rule yet", reasons=())


KIND = Kind(
    name="checkpoint-resume",
    about="resumed prompts keep their checkpoint with the switch on, give equal text and are not slower",
    scope=Scope.BLOCK,
    standing=False,
    params=Params,
    needs=needs,
    check=check,
)
