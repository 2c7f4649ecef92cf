"""Golden tokens: the tip gives token by token what upstream gives at the same base, and it is real text."""

from dataclasses import dataclass, field

from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.evidence import Need
from verify.model.ids import ConfigName, ModelName
from verify.model.verdict import Outcome, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Prompts are completed greedily, `tokens` each; fewer than `distinct` different tokens is degenerate text."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompts: tuple[str, ...]
    tokens: int = field(default=32, metadata={"min": 1, "max": 1024})
    distinct: int = field(default=4, metadata={"min": 2, "max": 1024})
    probabilities: int = field(
        default=0, metadata={"min": 0, "max": 20, "about": "most probable tokens compared each step"}
    )
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
    name="golden-tokens",
    about="token ids on the tip equal those of upstream at the same base, and the text is not degenerate",
    scope=Scope.RELEASE,
    standing=False,
    params=Params,
    needs=needs,
    check=check,
)
