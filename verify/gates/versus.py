"""Upstream at the same base against the tip: the arms of every kind that compares figures, and what they rest on.

Shared by the kinds, not a gate itself. A figure is worth something only for an engine whose output is right, so each
such gate also needs the token ids and probabilities of the very same builds, and fails where they differ: nothing is
said about the speed of a wrong answer.
"""

from collections.abc import Iterable, Iterator

from verify.gates.answers import degenerate, differences, unusable
from verify.gates.case import Case
from verify.gates.exercise import tokens_session
from verify.gates.identity import foreign_libraries, session_incomplete
from verify.model.diagnostic import Diagnostic, Finding
from verify.model.evidence import Arm, BuildNeed, ProbeNeed
from verify.model.ids import ConfigName, ModelName
from verify.model.observation import LoadedFile, RunObservation

PROMPTS = (
    "Once upon a time, in a small village by the sea, there lived",
    "The three most important rules for writing clear documentation are:",
)
TOKENS, PROBABILITIES, DISTINCT, CONTEXT = 32, 5, 6, 1024


def versus_arms(case: Case, configuration: ConfigName) -> tuple[Arm, Arm] | None:
    """Upstream first, then the tip, or the block's own prefix for a gate of a block; None where there is no tree."""
    tree = case.tip_tree() if case.block is None else case.block_tree(case.block)
    if tree is None:
        return None
    upstream, tip = (BuildNeed(tree=each, configuration=configuration) for each in (case.base_tree, tree))
    return Arm(name="upstream", build=upstream), Arm(name="tip", build=tip)


def output_session(model: ModelName, arms: tuple[Arm, ...]) -> ProbeNeed:
    """The session by which the output of the same builds is known to be right."""
    return tokens_session(
        model=model, arms=arms, prompts=PROMPTS, tokens=TOKENS, probabilities=PROBABILITIES, context=CONTEXT
    )


def output_unusable(need: ProbeNeed, case: Case) -> tuple[Diagnostic, ...]:
    """Why it is not known whether the output is right."""
    return unusable(need, case)


def output_findings(need: ProbeNeed, case: Case) -> Iterator[Finding]:
    """Where the output of the tip is not upstream's, or is no text: figures of it are worth nothing."""
    run = case.seen(need, RunObservation)
    upstream, tip = run.arms
    wrong = differences("speed-of-wrong-output", upstream, tip, who=f"model `{need.model}`")
    requests = [f"prompt-{index}" for index in range(len(PROMPTS))]
    for arm in run.arms:
        wrong += degenerate(arm, requests, tokens=TOKENS, distinct=DISTINCT)
    yield from wrong


def arms_unusable(
    need: ProbeNeed, met: Iterable[tuple[str, tuple[LoadedFile, ...]]], case: Case
) -> tuple[Diagnostic, ...]:
    """Why a session's arms are not believed: others than were asked for, or files that are not their builds'."""
    arms = tuple(met)
    if tuple(name for name, _ in arms) != tuple(arm.name for arm in need.arms):
        return (session_incomplete(need, "it does not have the arms that were asked for"),)
    reasons: tuple[Diagnostic, ...] = ()
    for asked, (_, loaded) in zip(need.arms, arms, strict=True):
        reasons += foreign_libraries(need, asked, loaded, case)
    return reasons


def one_build(need: ProbeNeed, case: Case) -> Iterator[Finding]:
    """Arms whose builds hold the very same bytes: whatever is compared is compared with itself."""
    upstream, tip = (case.builds[arm.build].observation.artifacts for arm in need.arms)
    if need.arms[0].build == need.arms[1].build or {(each.name, each.sha256) for each in upstream} == {
        (each.name, each.sha256) for each in tip
    }:
        yield Diagnostic(
            code="arms-are-one-build",
            message="the builds of upstream and the tip hold the same bytes, so there is nothing to compare",
            notes=tuple(f"`{arm.name}`: tree {arm.build.tree}" for arm in need.arms),
            help="leave the gate out while the stack changes nothing that is built",
        )


def shared_files(upstream: Iterable[LoadedFile], tip: Iterable[LoadedFile]) -> str:
    """For people: how many of the engine's files that ran are upstream's byte for byte."""
    theirs = {(file.name, file.sha256) for file in upstream if file.built}
    ours = [(file.name, file.sha256) for file in tip if file.built]
    same = sum(file in theirs for file in ours)
    return f"{same} of {len(ours)} loaded files are upstream's byte for byte"
