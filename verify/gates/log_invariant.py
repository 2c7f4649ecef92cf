"""Log invariant: a line of the engine's log comes so often on one arm, and never where it must not.

With a `switch` the arms are the tip with the switch off and on, without one upstream and the tip. The line must come
between `on_min` and `on_max` times on the last arm and at most `off_max` times on the first. Counts of lines say what
an engine did and not how fast, so both bounds can be exact. Where an arm wrote no log at all nothing was shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from verify.gates.answers import unmet, unusable
from verify.gates.case import Case
from verify.gates.exercise import (
    Exercise,
    checkpoint_resume_session,
    no_such_arm,
    switch_arms,
    tokens_session,
    warm_behind_cold_session,
)
from verify.gates.kind import Kind, Scope
from verify.gates.own_tests import no_tree, reference_and_own
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import ArmObservation, RunObservation
from verify.model.session import Mark
from verify.model.verdict import Failed, Outcome, Passed

_MOST = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """`line` is looked for in the log of what `exercise` does; `prompts` are for the exercise `tokens`."""

    line: str = field(metadata={"pattern": True})
    exercise: Exercise
    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    switch: str = field(default="", metadata={"refers": "switch"})
    on_min: int = field(default=1, metadata={"min": 0, "max": _MOST, "about": "on the last arm, so many at least"})
    on_max: int = field(default=_MOST, metadata={"min": 0, "max": _MOST, "about": "and so many at most"})
    off_max: int = field(default=0, metadata={"min": 0, "max": _MOST, "about": "so many at most on the first arm"})
    prompts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.on_min > self.on_max:
            raise ValueError(f"`on_min` {self.on_min} is more than `on_max` {self.on_max}")
        if (self.exercise is Exercise.TOKENS) != bool(self.prompts):
            raise ValueError("`prompts` and the exercise `tokens` go together")


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The session that exercises the feature on both arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """The line comes as often as it must where it must, and not elsewhere."""
    need = _need(params, case)
    if need is None:
        return unmet(no_such_arm(case, params.switch) if params.switch else no_tree(case))
    if reasons := unusable(need, case):
        return unmet(reasons)
    first, last = case.seen(need, RunObservation).arms
    findings = (*_logged(first), *_logged(last), *_last(params, last), *_first(params, first))
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    return Passed(summary=f"lines with `{last.arm}`: {_count(last)}, with `{first.arm}`: {_count(first)}")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    if params.switch:
        arms = switch_arms(case, params.switch, params.configuration)
    else:
        arms = reference_and_own(case, params.configuration)
    if arms is None:
        return None
    marks = (Mark(name="line", pattern=params.line), Mark(name="any", pattern=r"\S"))
    match params.exercise:
        case Exercise.TOKENS:
            return tokens_session(
                model=params.model,
                arms=arms,
                prompts=params.prompts,
                tokens=32,
                probabilities=0,
                context=1024,
                marks=marks,
            )
        case Exercise.WARM_BEHIND_COLD:
            return warm_behind_cold_session(model=params.model, arms=arms, marks=marks)
        case Exercise.CHECKPOINT_RESUME:
            return checkpoint_resume_session(model=params.model, arms=arms, marks=marks)
        case _:
            assert_never(params.exercise)


def _count(arm: ArmObservation) -> int:
    return sum(arm.mark("line"))


def _logged(arm: ArmObservation) -> Iterator[Finding]:
    if not sum(arm.mark("any")):
        yield Diagnostic(code="log-empty", message=f"arm `{arm.arm}` wrote no log, so no line can be missed in it")


def _last(params: Params, arm: ArmObservation) -> Iterator[Finding]:
    count = _count(arm)
    if count < params.on_min:
        yield Diagnostic(
            code="log-line-missing",
            message=f"arm `{arm.arm}`: the line comes {count} times, {params.on_min} are the least",
            notes=(f"pattern: {params.line}", f"exercised by: {params.exercise}"),
        )
    if count > params.on_max:
        yield Diagnostic(
            code="log-line-too-often",
            message=f"arm `{arm.arm}`: the line comes {count} times, {params.on_max} are the most",
            notes=(f"pattern: {params.line}", f"exercised by: {params.exercise}"),
        )


def _first(params: Params, arm: ArmObservation) -> Iterator[Finding]:
    count = _count(arm)
    if count > params.off_max:
        yield Diagnostic(
            code="log-line-unasked",
            message=f"arm `{arm.arm}`: the line comes {count} times, {params.off_max} are the most there",
            notes=(f"pattern: {params.line}", f"exercised by: {params.exercise}"),
        )


KIND = Kind(
    name="log-invariant",
    about="a line of the log comes as often as declared on one arm, and not on the other",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
