"""Probe `state`: a state is saved, put into a fresh context and saved again, and both go on alike or not.

The live context and the restored one read the very same tokens one at a time, so that their logits can be compared
bit by bit at every position.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from verify.model.library import StateArm, StateObservation, StateOutcome, StateScenario, StateSettings
from verify.probe.bindings.process import Ran, on_each_arm
from verify.probe.bindings.rows import distance, rows_of_steps
from verify.probe.bindings.script import WHOLE, Close, Decode, Open, Remove, Restore, Save, Script, Step
from verify.probe.session import Bench

RECIPE = "1"
_TURN = 8
"""Tokens that a sequence is read for before the next one's turn, where the memory is to have holes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """Where the steps of one saved state are in the script."""

    scenario: str
    sequence: int
    save: int
    restore: int
    again: int
    live: tuple[int, ...]
    restored: tuple[int, ...]


def run_state(bench: Bench, settings: StateSettings) -> StateObservation:
    """All scenarios in one process an arm."""
    started = time.monotonic()
    script, kept = state_script(settings)
    arms = tuple(
        StateArm(
            arm=arm.name,
            outcomes=tuple(_outcome(each, ran) for each in kept),
            loaded=ran.loaded,
            peak_kib=ran.peak_kib,
        )
        for arm, ran in on_each_arm(bench, script, name="state")
    )
    return StateObservation(arms=arms, seconds=round(time.monotonic() - started, 3))


def state_script(settings: StateSettings) -> tuple[Script, tuple[_Kept, ...]]:
    """The steps of every scenario, and where each saved state's are."""
    steps: list[Step] = []
    kept: list[_Kept] = []
    for scenario in settings.scenarios:
        kept += _scenario(settings, scenario, steps)
    return Script(prompts=settings.prompts, repack=settings.repack, steps=tuple(steps)), tuple(kept)


def _scenario(settings: StateSettings, scenario: StateScenario, steps: list[Step]) -> Iterator[_Kept]:
    live, fresh = f"{scenario.name}-live", f"{scenario.name}-fresh"
    slots = scenario.sequences * (2 if scenario.fragmented else 1)
    context = replace(settings.context, sequences=slots, unified=scenario.unified)
    names = [settings.prompts[each % len(settings.prompts)].name for each in range(slots)]
    kept = range(0, slots, 2) if scenario.fragmented else range(slots)

    def put(step: Step) -> int:
        steps.append(step)
        return len(steps) - 1

    def go_on(name: str, sequence: int) -> int:
        return put(
            Decode(
                context=name,
                prompt=names[sequence],
                start=settings.read,
                stop=settings.read + settings.go_on,
                sequences=(sequence,),
                width=1,
            )
        )

    put(Open(context=live, settings=context))
    turn = _TURN if scenario.fragmented else settings.read
    for start in range(0, settings.read, turn):
        for each in range(slots):
            stop = min(start + turn, settings.read)
            put(
                Decode(
                    context=live,
                    prompt=names[each],
                    start=start,
                    stop=stop,
                    sequences=(each,),
                    width=context.batch,
                    keep=False,
                )
            )
    if scenario.fragmented:
        for each in range(1, slots, 2):
            put(Remove(context=live, sequence=each))
    wanted = (WHOLE,) if scenario.whole else tuple(kept)
    saves = [
        put(Save(context=live, sequence=each, state=f"{scenario.name}-{index}")) for index, each in enumerate(wanted)
    ]
    lives = {each: go_on(live, each) for each in kept}
    put(Close(context=live))
    put(Open(context=fresh, settings=context))
    if scenario.used:
        put(Decode(context=fresh, prompt=names[0], stop=_TURN, sequences=(0,), width=context.batch, keep=False))
        put(Remove(context=fresh, sequence=0))
    restores = [
        put(Restore(context=fresh, sequence=each, state=f"{scenario.name}-{index}"))
        for index, each in enumerate(wanted)
    ]
    agains = [
        put(Save(context=fresh, sequence=each, state=f"{scenario.name}-again")) for index, each in enumerate(wanted)
    ]
    after = {each: go_on(fresh, each) for each in kept}
    put(Close(context=fresh))
    for index, each in enumerate(wanted):
        of = tuple(kept) if each == WHOLE else (each,)
        yield _Kept(
            scenario=scenario.name,
            sequence=each,
            save=saves[index],
            restore=restores[index],
            again=agains[index],
            live=tuple(lives[one] for one in of),
            restored=tuple(after[one] for one in of),
        )


def _outcome(kept: _Kept, ran: Ran) -> StateOutcome:
    done, rows = ran.played.done, rows_of_steps(ran.rows, ran.played)
    apart = distance([rows[at] for at in kept.live], [rows[at] for at in kept.restored])
    return StateOutcome(
        scenario=kept.scenario,
        sequence=kept.sequence,
        size=done[kept.save].size,
        saved=done[kept.save].sha256,
        again=done[kept.again].sha256,
        refused=done[kept.restore].refused,
        rows=apart.rows,
        differ=apart.differ,
        first=apart.first,
        difference=apart.difference,
        same_top=apart.same_top,
    )
