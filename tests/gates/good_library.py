"""What a well-behaved library shows: logits that no variant changes, states that come back, sizes, equal operations."""

from dataclasses import replace
from hashlib import sha256

from verify.model.evidence import Arm, ProbeNeed
from verify.model.ids import Sha256
from verify.model.library import (
    LogitsObservation,
    LogitsRun,
    LogitsSettings,
    MemoryArm,
    MemoryObservation,
    MemorySettings,
    PromptRows,
    Row,
    StateArm,
    StateObservation,
    StateOutcome,
    StateSettings,
    TraceArm,
    TraceObservation,
)
from verify.model.observation import LoadedFile
from verify.model.session import read_settings


def loaded(arm: Arm) -> tuple[LoadedFile, ...]:
    """The arm's own build, as `good_build` records it, and the system."""
    own = Sha256(sha256(f"program of {arm.build.tree}".encode()).hexdigest())
    return (
        LoadedFile(name="llama-server", sha256=own, built=True),
        LoadedFile(name="/lib/libc.so.6", sha256=Sha256("2" * 64), built=False),
    )


def row(prompt: str, at: int) -> Row:
    """A row of its own for each position."""
    digest = sha256(f"{prompt} {at}".encode()).hexdigest()
    return Row(sha256=digest, top=(at * 7) % 97, spread=12.5, difference=0.0, relative=0.0, finite=True)


def good_logits(need: ProbeNeed) -> LogitsObservation:
    """The same rows under every variant on every arm, save that without the block they are not uniform."""
    asked = read_settings(LogitsSettings, need.settings)
    runs = tuple(
        _logits(asked, arm, variant.name, uniform=arm.name not in ("below", "off") or number == 0)
        for arm in need.arms
        for number, variant in enumerate(asked.variants)
    )
    return LogitsObservation(vocabulary=97, runs=runs, seconds=1.0)


def _logits(asked: LogitsSettings, arm: Arm, variant: str, *, uniform: bool) -> LogitsRun:
    count = (12 if asked.keep_read else 0) + (len(asked.prompts[0].ids) - asked.read if asked.read else 0)
    prompts = []
    for prompt in asked.prompts:
        rows = tuple(row(prompt.name, at) for at in range(count + asked.generate))
        if not uniform:
            rows = tuple(replace(row(variant, at), difference=0.01, relative=1e-4) for at in range(len(rows)))
        prompts.append(
            PromptRows(prompt=prompt.name, ids=prompt.ids or (1, 2), generated=(5,) * asked.generate, rows=rows)
        )
    return LogitsRun(arm=arm.name, variant=variant, prompts=tuple(prompts), loaded=loaded(arm), peak_kib=1000)


def good_state(need: ProbeNeed) -> StateObservation:
    """Every state comes back; with holes in a shared cache the continuation moves a little."""
    asked = read_settings(StateSettings, need.settings)
    outcomes = []
    for scenario in asked.scenarios:
        for sequence in (-1,) if scenario.whole else range(scenario.sequences):
            moved = scenario.unified and scenario.fragmented
            digest = sha256(f"{scenario.name} {sequence}".encode()).hexdigest()
            outcomes.append(
                StateOutcome(
                    scenario=scenario.name,
                    sequence=sequence,
                    size=4096,
                    saved=digest,
                    again=digest,
                    refused="",
                    rows=asked.go_on,
                    differ=3 if moved else 0,
                    first=2 if moved else -1,
                    difference=0.004 if moved else 0.0,
                    same_top=asked.go_on,
                )
            )
    arms = tuple(
        StateArm(arm=arm.name, outcomes=tuple(outcomes), loaded=loaded(arm), peak_kib=1000) for arm in need.arms
    )
    return StateObservation(arms=arms, seconds=1.0)


def good_memory(need: ProbeNeed) -> MemoryObservation:
    """Both arms take the same, the tip a little more at its peak."""
    asked = read_settings(MemorySettings, need.settings)
    arms = tuple(
        MemoryArm(
            arm=arm.name,
            peak_kib=40_000 + 100 * number,
            resident_kib=tuple(38_000 + min(cycle, 2) * 100 for cycle in range(asked.cycles)),
            sequence_bytes=25_444,
            whole_bytes=25_445,
            cache_bytes=199_229,
            loaded=loaded(arm),
        )
        for number, arm in enumerate(need.arms)
    )
    return MemoryObservation(arms=arms, seconds=1.0)


def good_trace(need: ProbeNeed) -> TraceObservation:
    """Equal operations on both arms."""
    arms = tuple(
        TraceArm(arm=arm.name, operations=72, sha256="a" * 64, loaded=loaded(arm), peak_kib=1000) for arm in need.arms
    )
    return TraceObservation(arms=arms, compared=72, differ=0, first=(), lacking=(), seconds=1.0)
