"""The sessions that gates ask for, with every setting pinned; shared by the kinds, not a gate itself.

A switch's effect is shown by the same session that its own scenario measures, so both are made here.
"""

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


def switch_arms(case: Case, switch: str, configuration: ConfigName) -> tuple[Arm, Arm] | None:
    """The two arms of a switch on its block's own build, off first: ratios are of the last arm to the first.

    None where the declaring block has no such switch, or no tree because the stack is stuck below it. A gate that
    outlived its block runs both on the tip.
    """
    if case.block is None and case.outlived is not None:
        tip, gone = case.tip_tree(), case.outlived
        if tip is None or gone.switch != switch:
            return None
        build = BuildNeed(tree=tip, configuration=configuration)
        return Arm(name="off", build=build, env=((gone.switch, gone.off),)), Arm(name="on", build=build)
    block = case.declared_block()
    declared = next((each for each in block.switches if each.name == switch), None) if block else None
    tree = case.block_tree(block.name) if block else None
    if declared is None or tree is None:
        return None
    build = BuildNeed(tree=tree, configuration=configuration)
    return Arm(name="off", build=build, env=((declared.name, declared.off),)), Arm(name="on", build=build)


def timed_arms(case: Case, switch: str, configuration: ConfigName) -> tuple[Arm, ...] | None:
    """The two arms of a switch behind upstream at the same base, so that off is compared with that as well.

    A gate that outlived its block has no upstream arm: upstream has the feature itself.
    """
    arms = switch_arms(case, switch, configuration)
    if arms is None or case.block is None:
        return arms
    return Arm(name="upstream", build=BuildNeed(tree=case.base_tree, configuration=configuration)), *arms


def lower_tree(case: Case) -> TreeId | None:
    """The tree below the declaring block; upstream's for a gate that outlived its block."""
    if case.block is not None:
        return case.below(case.block)
    return case.base_tree if case.outlived is not None else None


def no_such_arm(case: Case, switch: str) -> tuple[Diagnostic]:
    """The reason where `switch_arms` gives none."""
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
