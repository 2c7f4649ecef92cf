"""Golden tokens: the tip gives token by token what upstream gives at the same base, and it is real text.

The golden is never a stored file: the upstream build at the same base is one arm of the very session that measures
the tip, so it cannot be stale, be made by the build under test, or hash anything but token ids.
"""

from dataclasses import dataclass, field

from verify.gates.answers import degenerate, differences, unmet, unusable
from verify.gates.case import Case
from verify.gates.exercise import tokens_session
from verify.gates.kind import Kind, Scope
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, BuildNeed, Need, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import RunObservation
from verify.model.verdict import Failed, Outcome, Passed, Undecided


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """Prompts are completed greedily, `tokens` each; fewer than `distinct` different tokens is degenerate text."""

    model: ModelName = field(metadata={"refers": "model"})
    configuration: ConfigName = field(metadata={"refers": "configuration"})
    prompts: tuple[str, ...]
    tokens: int = field(default=32, metadata={"min": 1, "max": 1024})
    distinct: int = field(default=8, metadata={"min": 2, "max": 1024})
    probabilities: int = field(
        default=0, metadata={"min": 0, "max": 20, "about": "most probable tokens compared at each step"}
    )
    context: int = field(default=1024, metadata={"min": 64, "max": 131072})


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """One session with upstream and the tip as its arms."""
    need = _need(params, case)
    return () if need is None else (need,)


def check(params: Params, case: Case) -> Outcome:
    """Equal token ids on both arms, and text on both."""
    if not any(prompt.strip() for prompt in params.prompts):
        return Failed(summary="no prompt is given", findings=(_no_prompts(),))
    need = _need(params, case)
    if need is None:
        reason = Diagnostic(code="stack-stuck", message="there is no tip to run: the stack is stuck")
        return Undecided(summary=reason.message, reasons=(reason,))
    if reasons := unusable(need, case):
        return unmet(reasons)
    run = case.seen(need, RunObservation)
    upstream, tip = run.arms
    requests = [f"prompt-{index}" for index in range(len(params.prompts))]
    findings: tuple[Finding, ...] = differences("golden-differs", upstream, tip, who=f"model `{params.model}`")
    for arm in run.arms:
        findings += degenerate(arm, requests, tokens=params.tokens, distinct=params.distinct)
    if findings:
        return Failed(summary=findings[0].message, findings=findings)
    count = sum(len(answer.ids) for answer in tip.answers)
    return Passed(summary=f"{count} tokens of {len(requests)} prompts equal upstream's at the same base")


def _need(params: Params, case: Case) -> ProbeNeed | None:
    tip = case.tip_tree()
    if tip is None:
        return None
    arms = tuple(
        Arm(name=name, build=BuildNeed(tree=tree, configuration=params.configuration))
        for name, tree in (("upstream", case.base_tree), ("tip", tip))
    )
    return tokens_session(
        model=params.model,
        arms=arms,
        prompts=params.prompts,
        tokens=params.tokens,
        probabilities=params.probabilities,
        context=params.context,
    )


def _no_prompts() -> Finding:
    return Diagnostic(
        code="no-cases",
        message="the gate has no prompt with any text, so it would compare nothing",
        help="give `prompts` at least one text",
    )


KIND = Kind(
    name="golden-tokens",
    about="token ids on the tip equal those of upstream at the same base, and the text is not degenerate",
    scope=Scope.RELEASE,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
