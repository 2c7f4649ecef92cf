"""What a well-behaved engine shows of slots that are saved and come back."""

from dataclasses import replace

from tests.gates.good import answer, arm_run
from verify.model.evidence import Arm, ProbeNeed
from verify.model.ids import Sha256
from verify.model.observation import Answer
from verify.model.session import read_settings
from verify.model.slot_files import (
    Damage,
    Refusal,
    SlotAction,
    SlotFile,
    SlotFilesArm,
    SlotFilesObservation,
    SlotFilesSettings,
)

_FILE = (SlotFile(suffix="", sha256=Sha256("3" * 64), size=99),)
_MORE = (SlotFile(suffix="", sha256=Sha256("4" * 64), size=199),)


def good_slot_files(need: ProbeNeed) -> SlotFilesObservation:
    """A restored slot goes on as the live one with the switch on (or without one); below and off read it all again."""
    asked = read_settings(SlotFilesSettings, need.settings)
    return SlotFilesObservation(arms=tuple(_arm(arm, asked, need.arms[0]) for arm in need.arms), seconds=1.0)


def _arm(arm: Arm, asked: SlotFilesSettings, first: Arm) -> SlotFilesArm:
    keeps = arm.name in ("on", "tip")
    live = tuple(_answer(request, asked, 500) for request in ("again", "further", "branch"))
    resumed = live if keeps else tuple(_answer(each.request, asked, 0) for each in live)
    done = SlotAction(done=True, tokens=600, said="")
    run = arm_run(arm, live, ())
    return SlotFilesArm(
        arm=arm.name,
        save=done,
        files=_MORE if keeps else _FILE,
        restore=done,
        saved_again=_MORE if keeps else _FILE,
        live=live,
        resumed=resumed,
        refusals=tuple(
            Refusal(
                damage=damage,
                suffix="",
                restore=SlotAction(done=False, tokens=0, said="no slot"),
                after=live[0],
                broke="",
            )
            for damage in Damage
        ),
        older=None if arm == first else done,
        from_older=() if arm == first else (live[0],),
        marks=(),
        loaded=run.loaded,
        command=run.command,
        peak_kib=run.peak_kib,
    )


def _answer(request: str, asked: SlotFilesSettings, cached: int) -> Answer:
    made = answer(request, 0, asked.generate, candidates=asked.probabilities)
    return replace(made, prompt_tokens=600, cached_tokens=cached)
