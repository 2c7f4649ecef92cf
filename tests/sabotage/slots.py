"""Slots that do not come back from their files, or only seem to; files that are taken although they are none."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.gates.good import probe_of
from tests.sabotage.ways import Way, broken, other_token, unknown, unprobed
from verify.gates.case import Case
from verify.model.observation import Answer
from verify.model.slot_files import Refusal, SlotAction, SlotFilesArm, SlotFilesObservation

Edit = Callable[[SlotFilesArm], SlotFilesArm]
SWITCHED, RELEASED = "cache-slot-files", "slot-files"


def slots(gate: str, arm: str, edit: Edit) -> Way:
    """One arm of a gate's session went otherwise."""

    def way(case: Case) -> Case:
        need = probe_of(case, gate)
        seen = case.seen(need, SlotFilesObservation)
        arms = tuple(edit(each) if each.arm == arm else each for each in seen.arms)
        recorded = replace(case.probes[need], observation=replace(seen, arms=arms))
        return replace(case, probes={**case.probes, need: recorded})

    return way


def having(**fields: Any) -> Edit:
    """Other fields."""
    return lambda arm: replace(arm, **fields)


def refusing(**fields: Any) -> Edit:
    """The first damage ended otherwise."""

    def edit(arm: SlotFilesArm) -> SlotFilesArm:
        first: Refusal = replace(arm.refusals[0], **fields)
        return replace(arm, refusals=(first, *arm.refusals[1:]))

    return edit


def resuming(edit: Callable[[Answer], Answer]) -> Edit:
    """The last resumed answer is another."""
    return lambda arm: replace(arm, resumed=(*arm.resumed[:-1], edit(arm.resumed[-1])))


def all_live(edit: Callable[[Answer], Answer]) -> Edit:
    """Every answer is another, live and resumed alike."""
    return lambda arm: replace(arm, live=tuple(map(edit, arm.live)), resumed=tuple(map(edit, arm.resumed)))


def forgotten(each: Answer) -> Answer:
    """The prompt was read again, with equal text."""
    return replace(each, cached_tokens=0)


def surer(by: float) -> Callable[[Answer], Answer]:
    """Every candidate of the answer lies higher by so much."""

    def edit(each: Answer) -> Answer:
        higher = tuple(tuple(replace(one, logprob=one.logprob + by) for one in step) for step in each.candidates)
        return replace(each, candidates=higher)

    return edit


NOT_DONE = SlotAction(done=False, tokens=0, said="no space")
TAKEN = SlotAction(done=True, tokens=600, said="")

SABOTAGES = (
    broken(
        "the slot does not come back", RELEASED, "slot-not-restored", slots(RELEASED, "tip", having(restore=NOT_DONE))
    ),
    broken(
        "fewer tokens come back than were saved",
        RELEASED,
        "slot-not-restored",
        slots(RELEASED, "tip", having(restore=replace(TAKEN, tokens=599))),
    ),
    broken("a restore is only reported", RELEASED, "slot-read-again", slots(RELEASED, "tip", resuming(forgotten))),
    broken(
        "a restored slot says something else",
        RELEASED,
        "slot-text-differs",
        slots(RELEASED, "tip", resuming(other_token)),
    ),
    broken(
        "a restored slot is as good as certain of the same tokens",
        RELEASED,
        "slot-text-differs",
        slots(RELEASED, "tip", resuming(surer(0.001))),
    ),
    broken(
        "probabilities lie farther apart than cells that moved explain",
        SWITCHED,
        "slot-text-differs",
        slots(SWITCHED, "on", resuming(surer(0.02))),
    ),
    broken(
        "a slot whose cells moved says something else",
        SWITCHED,
        "slot-text-differs",
        slots(SWITCHED, "on", resuming(other_token)),
    ),
    broken(
        "a restored slot gives another file",
        RELEASED,
        "slot-file-differs",
        slots(RELEASED, "tip", having(saved_again=())),
    ),
    broken("a damage is not tried", RELEASED, "slot-damage-untried", slots(RELEASED, "tip", having(refusals=()))),
    broken(
        "the engine breaks down over a file",
        RELEASED,
        "slot-file-breaks-engine",
        slots(RELEASED, "tip", refusing(restore=None, after=None, broke="SIGABRT")),
    ),
    broken(
        "a damaged file is taken", RELEASED, "slot-file-not-refused", slots(RELEASED, "tip", refusing(restore=TAKEN))
    ),
    broken(
        "a slot is lost over a bad file",
        RELEASED,
        "slot-read-again",
        slots(
            RELEASED,
            "tip",
            lambda arm: replace(
                arm, refusals=(replace(arm.refusals[0], after=forgotten(arm.live[0])), *arm.refusals[1:])
            ),
        ),
    ),
    broken(
        "an older file does not load",
        RELEASED,
        "older-slot-file-refused",
        slots(RELEASED, "tip", having(older=NOT_DONE)),
    ),
    broken(
        "answers are cut short",
        RELEASED,
        "answer-cut-short",
        slots(RELEASED, "tip", all_live(lambda each: replace(each, ids=()))),
    ),
    broken(
        "even the live slot reuses nothing",
        RELEASED,
        "scenario-without-effect",
        slots(RELEASED, "tip", all_live(forgotten)),
    ),
    broken(
        "the tip says something else all along",
        RELEASED,
        "on-arm-differs",
        slots(RELEASED, "tip", all_live(other_token)),
    ),
    broken(
        "the tip's live slot is surer than declared",
        RELEASED,
        "on-arm-differs",
        slots(RELEASED, "tip", all_live(surer(0.001))),
    ),
    broken("the off arm writes another file", SWITCHED, "off-arm-differs", slots(SWITCHED, "off", having(files=()))),
    broken(
        "with the switch off nothing is wrong either",
        SWITCHED,
        "scenario-without-effect",
        lambda case: slots(SWITCHED, "off", lambda arm: replace(arm, resumed=arm.live))(
            slots(SWITCHED, "below", lambda arm: replace(arm, resumed=arm.live))(case)
        ),
    ),
    unknown("slot files were not tried", RELEASED, "not-probed", unprobed(RELEASED)),
    unknown("a request is missing", RELEASED, "session-incomplete", slots(RELEASED, "tip", having(resumed=()))),
)
