"""Arm identity: with its switch off a block is the block below it, and the switch does something.

Three arms complete the same prompts: the build below the block, the block's own build with the switch off, and with
it on. Off must equal below, token ids and probabilities. Equality alone would also be found where the feature was
compiled out or the switch is never read, so a second session exercises the feature on the tip, where a later block may
have undone it, and its log line must come with the switch on and must not come with it off.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import assert_never

from verify.gates.answers import differences, unmet, unusable
from verify.gates.case import Case
from verify.gates.exercise import (
    Exercise,
    checkpoint_resume_session,
    no_such_arm,
    own_arms,
    switch_arms,
    tokens_session,
    warm_behind_cold_session,
)
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import RunObservation
from verify.model.session import Mark
from verify.model.verdict import Failed, Outcome, Passed


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
    on_equals_off: bool = field(default=True, metadata={"about": "also require equal tokens with the switch on"})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """The session of three arms and the one that exercises the feature."""
    return _needs(params, case) or ()


def check(params: Params, case: Case) -> Outcome:
    """Off equals below, and the feature is seen with on alone."""
    if not any(prompt.strip() for prompt in params.prompts):
        finding = Diagnostic(code="no-cases", message="the gate has no prompt with any text, so it compares nothing")
        return Failed(summary=finding.message, findings=(finding,))
    both = _needs(params, case)
    if both is None:
        return unmet(no_such_arm(case, params.switch))
    identity, exercise = both
    if reasons := tuple(dict.fromkeys(unusable(identity, case) + unusable(exercise, case))):
        return unmet(reasons)
    findings = (
        *_equal(params, case.seen(identity, RunObservation)),
        *_effect(params, case.seen(exercise, RunObservation)),
    )
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    return Passed(summary=f"off equals the block below on {len(params.prompts)} prompts, and on is seen to act")


def _needs(params: Params, case: Case) -> tuple[ProbeNeed, ProbeNeed] | None:
    off_on = switch_arms(case, params.switch, params.configuration)
    own = own_arms(case, params.switch, params.configuration)
    if off_on is None or own is None:
        return None
    marks = (Mark(name="seen", pattern=params.seen),)
    by_tokens = marks if params.exercise is Exercise.TOKENS else ()
    identity = _tokens(params, own, by_tokens)
    model = params.exercise_model or params.model
    match params.exercise:
        case Exercise.TOKENS:
            return identity, identity if own[1:] == off_on else _tokens(params, off_on, marks)
        case Exercise.WARM_BEHIND_COLD:
            return identity, warm_behind_cold_session(model=model, arms=off_on, marks=marks)
        case Exercise.CHECKPOINT_RESUME:
            return identity, checkpoint_resume_session(model=model, arms=off_on, marks=marks)
        case _:
            assert_never(params.exercise)


def _tokens(params: Params, arms: tuple[Arm, ...], marks: tuple[Mark, ...]) -> ProbeNeed:
    return tokens_session(
        model=params.model,
        arms=arms,
        prompts=params.prompts,
        tokens=params.tokens,
        probabilities=params.probabilities,
        context=params.context,
        marks=marks,
    )


def _equal(params: Params, run: RunObservation) -> Iterator[Finding]:
    below, off, on = run.arms
    yield from differences("off-arm-differs", below, off, who=f"switch `{params.switch}`")
    if params.on_equals_off:
        yield from differences("on-arm-differs", off, on, who=f"switch `{params.switch}`")
    yield from (
        Diagnostic(code="no-tokens", message=f"arm `{arm.arm}` gave no token to `{answer.request}`")
        for arm in run.arms
        for answer in arm.answers
        if not answer.ids
    )


def _effect(params: Params, run: RunObservation) -> Iterator[Finding]:
    counts = {arm.arm: sum(arm.mark("seen")) for arm in run.arms}
    notes = (
        f"pattern: {params.seen}",
        *(f"lines seen with `{name}`: {count}" for name, count in counts.items()),
        f"exercised by: {params.exercise}",
    )
    if counts.get("on", 0) == 0:
        yield Diagnostic(
            code="arm-without-effect",
            message=f"switch `{params.switch}` is on and the feature is not seen to act",
            notes=(*notes, "the feature is compiled out, the switch is not read, or nothing exercised it"),
        )
    for name in counts.keys() - {"on"}:
        if counts[name]:
            yield Diagnostic(
                code="effect-without-switch",
                message=f"the feature of switch `{params.switch}` is seen on arm `{name}`, where it must not act",
                notes=notes,
            )


KIND = Kind(
    name="arm-identity",
    about="with its switch off a block gives the tokens of the block below, and the switch is seen to act",
    scope=Scope.BLOCK,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
