"""Probe `memory`: what a context, its cache and its states take, and whether all of it is given back."""

import time

from verify.model.library import MemoryArm, MemoryObservation, MemorySettings
from verify.probe.bindings.process import Ran, on_each_arm
from verify.probe.bindings.script import WHOLE, Close, Decode, Open, Save, Script, Step, Weigh
from verify.probe.session import Bench

RECIPE = "1"
_STEPS = 7
_OPENED, _SEQUENCE, _WHOLE, _RESIDENT = 0, 2, 3, 5


def run_memory(bench: Bench, settings: MemorySettings) -> MemoryObservation:
    """One process an arm."""
    started = time.monotonic()
    script = memory_script(settings)
    arms = tuple(_weighed(arm.name, settings, ran) for arm, ran in on_each_arm(bench, script, name="memory"))
    return MemoryObservation(arms=arms, seconds=round(time.monotonic() - started, 3))


def memory_script(settings: MemorySettings) -> Script:
    """The same steps once a cycle."""
    steps: list[Step] = []
    for cycle in range(settings.cycles):
        name = f"cycle-{cycle}"
        steps += (
            Open(context=name, settings=settings.context),
            Decode(context=name, prompt=settings.prompt.name, width=settings.context.batch, keep=False),
            Weigh(context=name, sequence=0),
            Weigh(context=name, sequence=WHOLE),
            Save(context=name, sequence=0, state="kept"),
            Weigh(context=name, sequence=0),
            Close(context=name),
        )
    return Script(prompts=(settings.prompt,), repack=settings.repack, steps=tuple(steps))


def _weighed(arm: str, settings: MemorySettings, ran: Ran) -> MemoryArm:
    cycles = [ran.played.done[at * _STEPS : (at + 1) * _STEPS] for at in range(settings.cycles)]
    return MemoryArm(
        arm=arm,
        peak_kib=ran.peak_kib,
        resident_kib=tuple(cycle[_RESIDENT].resident_kib for cycle in cycles),
        sequence_bytes=cycles[0][_SEQUENCE].size,
        whole_bytes=cycles[0][_WHOLE].size,
        cache_bytes=cycles[0][_OPENED].cache_bytes,
        loaded=ran.loaded,
    )
