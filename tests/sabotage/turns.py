"""Conversations that are copied out and back all the same, that are lost on the way, or that say something else."""

from dataclasses import replace

from tests.sabotage.ways import (
    Run,
    all_arms,
    answers,
    broken,
    other_token,
    probed,
    timed,
    unknown,
    unprobed,
    without,
)
from verify.model.observation import ArmObservation, RunObservation

GATE = "cache-turns"
ROOMY, CROWDED = 0, 1


def marked(name: str, mark: str, count: int) -> Run:
    """Lines of one kind come so often in the log of one arm."""

    def edit(each: ArmObservation) -> ArmObservation:
        marks = tuple(replace(one, count=count) if one.name == mark else one for one in each.marks)
        return replace(each, marks=marks) if each.arm == name else each

    return all_arms(edit)


def saying(name: str, request: str) -> Run:
    """One answer of an arm has another token."""

    def edit(each: ArmObservation) -> ArmObservation:
        changed = tuple(other_token(one) if one.request == request else one for one in each.answers)
        return replace(each, answers=changed) if each.arm == name else each

    return all_arms(edit)


def no_rounds(run: RunObservation) -> RunObservation:
    """The session has no answers."""
    return replace(run, arms=tuple(replace(each, answers=()) for each in run.arms))


SABOTAGES = (
    broken(
        "turns take as long as without the block",
        GATE,
        "ratio-too-large",
        probed(GATE, timed("on", None, lambda _: 3.0)),
    ),
    broken(
        "turns take longer than upstream's with the switch off",
        GATE,
        "ratio-too-large",
        probed(GATE, timed("off", None, lambda _: 2.0)),
    ),
    broken(
        "a conversation is read again at its turn",
        GATE,
        "conversation-read-again",
        probed(GATE, answers("on", "other-2", cached_tokens=0)),
    ),
    broken(
        "a conversation is lost when there is room for one",
        GATE,
        "conversation-read-again",
        probed(GATE, answers("on", "one-end", cached_tokens=0), CROWDED),
    ),
    broken("the text is another one", GATE, "on-arm-differs", probed(GATE, saying("on", "one-end"))),
    broken(
        "the text is another one when there is room for one",
        GATE,
        "on-arm-differs",
        probed(GATE, saying("on", "other-end"), CROWDED),
    ),
    broken("the off arm says something else", GATE, "off-arm-differs", probed(GATE, saying("upstream", "one-end"))),
    broken("an answer is missing", GATE, "answer-cut-short", probed(GATE, without("one-end"))),
    broken("no slot is kept", GATE, "arm-without-effect", probed(GATE, marked("on", "kept", 0))),
    broken("no slot makes room", GATE, "arm-without-effect", probed(GATE, marked("on", "moved", 0), CROWDED)),
    broken("a slot is moved in vain", GATE, "effect-without-switch", probed(GATE, marked("on", "moved", 1))),
    broken("slots are kept all the same", GATE, "effect-without-switch", probed(GATE, marked("off", "kept", 1))),
    unknown("no turn was tried", GATE, "not-probed", unprobed(GATE)),
    unknown("nobody took a turn", GATE, "session-incomplete", probed(GATE, no_rounds)),
)
