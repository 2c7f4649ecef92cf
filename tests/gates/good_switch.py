"""What a well-behaved server shows of two conversations that take turns."""

from dataclasses import replace

from tests.gates.good import answer, arm_run
from verify.model.evidence import Arm, ProbeNeed
from verify.model.observation import Answer, MarkCount, RunObservation
from verify.model.session import read_settings
from verify.model.slot_switch import SlotSwitchSettings


def good_slot_switch(need: ProbeNeed) -> RunObservation:
    """Without the switch a turn takes thrice as long; where there is room for one, it is also read again."""
    asked = read_settings(SlotSwitchSettings, need.settings)
    rounds = range(asked.rounds.least)
    arms = tuple(
        arm_run(
            arm,
            tuple(each for number in rounds for each in _round(asked, arm, number)),
            tuple(mark for number in rounds for mark in _marks(asked, arm, number)),
        )
        for arm in need.arms
    )
    return RunObservation(arms=arms, rounds=asked.rounds.least, seconds=1.0)


def _crowded(asked: SlotSwitchSettings) -> bool:
    return asked.server.context < 2 * asked.history


def _round(asked: SlotSwitchSettings, arm: Arm, number: int) -> tuple[Answer, ...]:
    on = arm.name == "on"
    seconds = (0.01 if on else 0.03) * (1 + 0.001 * number)
    found = []
    for turn in range(asked.turns + 2):
        held = asked.history + (turn - 1) * asked.fresh if turn and (on or not _crowded(asked)) else 0
        for who in ("one", "other"):
            last = turn == asked.turns + 1
            made = answer(f"{who}-{'end' if last else turn}", number, asked.generate if last else 1, seconds=seconds)
            found.append(replace(made, cached_tokens=held))
    return tuple(found)


def _marks(asked: SlotSwitchSettings, arm: Arm, number: int) -> tuple[MarkCount, ...]:
    on = int(arm.name == "on")
    counts = {"kept": 3 * on, "moved": 2 * on if _crowded(asked) else 0}
    return tuple(MarkCount(name=mark.name, round=number, count=counts[mark.name]) for mark in asked.marks)
