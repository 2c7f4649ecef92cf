"""The sessions that gates ask for, with every setting pinned; shared by the kinds, not a gate itself.

A switch's effect is shown by the same session that its own scenario measures, so both are made here.
"""

from enum import StrEnum

from verify.gates.case import Case
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName, TreeId
from verify.model.session import (
    CheckpointResumeSettings,
    Drawn,
    Mark,
    Rounds,
    ServerSettings,
    TokenSettings,
    WarmBehindColdSettings,
    settings_of,
)

ONCE = Rounds(least=1, most=1, precision=1.0)
SEED = 1


class Exercise(StrEnum):
    """Which session exercises the feature, so that its log line can be seen."""

    TOKENS = "tokens"
    WARM_BEHIND_COLD = "warm-behind-cold"
    CHECKPOINT_RESUME = "checkpoint-resume"


def switch_arms(case: Case, switch: str, configuration: ConfigName) -> tuple[Arm, Arm] | None:
    """The two arms of a switch on the tip, which is what ships, off first: ratios are of the last arm to the first.

    A later block may undo what an earlier one does, so an effect on the block's own build would show nothing of the
    release. None where the declaring block has no such switch, or there is no tip because the stack is stuck.
    """
    tip, declared = case.tip_tree(), _declared_switch(case, switch)
    return None if tip is None or declared is None else _off_on(tip, declared, configuration)


def own_arms(case: Case, switch: str, configuration: ConfigName) -> tuple[Arm, Arm, Arm] | None:
    """The build below a block and its own build with the switch off and on; None as for `switch_arms`.

    A gate that outlived its block compares the tip with upstream.
    """
    if case.block is not None:
        below, own = case.below(case.block), case.block_tree(case.block)
    else:
        below, own = case.base_tree, case.tip_tree()
    declared = _declared_switch(case, switch)
    if below is None or own is None or declared is None:
        return None
    lower = Arm(name="below", build=BuildNeed(tree=below, configuration=configuration))
    return (lower, *_off_on(own, declared, configuration))


def _declared_switch(case: Case, switch: str) -> tuple[str, str] | None:
    """A switch's name and its value for off, by its block or by what outlived it."""
    if case.block is None and case.outlived is not None:
        return (switch, case.outlived.off) if case.outlived.switch == switch else None
    block = case.declared_block()
    return next(((each.name, each.off) for each in block.switches if each.name == switch), None) if block else None


def _off_on(tree: TreeId, switch: tuple[str, str], configuration: ConfigName) -> tuple[Arm, Arm]:
    build = BuildNeed(tree=tree, configuration=configuration)
    return Arm(name="off", build=build, env=(switch,)), Arm(name="on", build=build)


def timed_arms(case: Case, switch: str, configuration: ConfigName) -> tuple[Arm, ...] | None:
    """The two arms of a switch behind upstream at the same base, so that off is compared with that as well.

    A gate that outlived its block has no upstream arm: upstream has the feature itself.
    """
    arms = switch_arms(case, switch, configuration)
    if arms is None or case.block is None:
        return arms
    return Arm(name="upstream", build=BuildNeed(tree=case.base_tree, configuration=configuration)), *arms


def no_such_arm(case: Case, switch: str) -> tuple[Diagnostic]:
    """The reason where `switch_arms` or `own_arms` gives none."""
    reason = Diagnostic(
        code="no-such-arm",
        message=f"block `{case.block}` has no switch `{switch}`, or no tree to run it on",
        help="declare the gate in the block.yaml of the block that declares the switch",
    )
    return (reason,)


def tokens_session(
    *,
    model: ModelName,
    arms: tuple[Arm, ...],
    prompts: tuple[str, ...],
    tokens: int,
    probabilities: int,
    context: int,
    marks: tuple[Mark, ...] = (),
) -> ProbeNeed:
    """Greedy completions of `prompts`, one after the other on one slot."""
    settings = TokenSettings(
        server=ServerSettings(context=context),
        prompts=prompts,
        tokens=tokens,
        probabilities=probabilities,
        seed=SEED,
        marks=marks,
    )
    return ProbeNeed(probe="tokens", model=model, arms=arms, settings=settings_of(settings))


def warm_behind_cold_session(
    *,
    model: ModelName,
    arms: tuple[Arm, ...],
    cold: int = 6144,
    history: int = 200,
    warm: int = 64,
    generate: int = 16,
    batch: int = 512,
    rounds: Rounds = ONCE,
    unified: bool = False,
    marks: tuple[Mark, ...] = (),
) -> ProbeNeed:
    """A conversation goes on in one slot while the other reads a long prompt."""
    slot = max(cold, history + warm) + 2 * generate + 64
    settings = WarmBehindColdSettings(
        server=ServerSettings(context=2 * slot, slots=2, batch=batch, microbatch=min(batch, 512), unified=unified),
        drawn=Drawn(seed=SEED),
        cold=cold,
        history=history,
        warm=warm,
        generate=generate,
        rounds=rounds,
        marks=marks,
    )
    return ProbeNeed(probe="warm-behind-cold", model=model, arms=arms, settings=settings_of(settings))


def checkpoint_resume_session(
    *,
    model: ModelName,
    arms: tuple[Arm, ...],
    prompt: int = 600,
    resumes: int = 3,
    generate: int = 224,
    batch: int = 128,
    rounds: Rounds = ONCE,
    marks: tuple[Mark, ...] = (),
) -> ProbeNeed:
    """A prompt comes back, its slot having gone on past what the model's memory can step back over."""
    settings = CheckpointResumeSettings(
        server=ServerSettings(context=prompt + 2 * generate + 64, batch=batch, microbatch=min(batch, 512)),
        drawn=Drawn(seed=SEED),
        prompt=prompt,
        resumes=resumes,
        generate=generate,
        rounds=rounds,
        marks=marks,
    )
    return ProbeNeed(probe="checkpoint-resume", model=model, arms=arms, settings=settings_of(settings))
