"""Every probe, by the name that a need asks for it with."""

from collections.abc import Mapping

from verify.model.command import CommandObservation, CommandSettings
from verify.model.config_dump import ConfigDumpObservation, ConfigDumpSettings
from verify.model.divergence import DivergenceObservation, DivergenceSettings
from verify.model.library import (
    LogitsObservation,
    LogitsSettings,
    MemoryObservation,
    MemorySettings,
    StateObservation,
    StateSettings,
    TraceObservation,
    TraceSettings,
)
from verify.model.observation import RunObservation
from verify.model.served_memory import ServedMemoryObservation, ServedMemorySettings
from verify.model.session import CheckpointResumeSettings, TokenSettings, WarmBehindColdSettings
from verify.model.slot_files import SlotFilesObservation, SlotFilesSettings
from verify.model.slot_switch import SlotSwitchSettings
from verify.model.speed import CountObservation, CountSettings, SpeedObservation, SpeedSettings
from verify.model.test_set import TestSetObservation, TestSetSettings
from verify.probe import (
    checkpoint_resume,
    command,
    config_dump,
    counts,
    divergence,
    served_memory,
    slot_files,
    slot_switch,
    speed,
    test_set,
    tokens,
    warm_behind_cold,
)
from verify.probe.bindings import logits, memory, state, trace
from verify.probe.probe import AnyProbe, Probe


def _told_of_run(run: RunObservation) -> str:
    peak = max(arm.peak_kib for arm in run.arms)
    return f"{len(run.arms)} arms, {run.rounds} rounds, peak {peak // 1024} MiB"


PROBES: Mapping[str, AnyProbe] = {
    "tokens": Probe(
        recipe=tokens.RECIPE,
        timed=False,
        settings=TokenSettings,
        observation=RunObservation,
        run=tokens.run_tokens,
        told=_told_of_run,
    ),
    "warm-behind-cold": Probe(
        recipe=warm_behind_cold.RECIPE,
        timed=True,
        settings=WarmBehindColdSettings,
        observation=RunObservation,
        run=warm_behind_cold.run_warm_behind_cold,
        told=_told_of_run,
    ),
    "checkpoint-resume": Probe(
        recipe=checkpoint_resume.RECIPE,
        timed=True,
        settings=CheckpointResumeSettings,
        observation=RunObservation,
        run=checkpoint_resume.run_checkpoint_resume,
        told=_told_of_run,
    ),
    "slot-switch": Probe(
        recipe=slot_switch.RECIPE,
        timed=True,
        settings=SlotSwitchSettings,
        observation=RunObservation,
        run=slot_switch.run_slot_switch,
        told=_told_of_run,
    ),
    "test-set": Probe(
        recipe=test_set.RECIPE,
        timed=False,
        settings=TestSetSettings,
        observation=TestSetObservation,
        run=test_set.run_test_set,
        told=lambda seen: ", ".join(f"{arm.arm} {len(arm.tests)} tests" for arm in seen.arms),
    ),
    "config-dump": Probe(
        recipe=config_dump.RECIPE,
        timed=False,
        settings=ConfigDumpSettings,
        observation=ConfigDumpObservation,
        run=config_dump.run_config_dump,
        told=lambda seen: ", ".join(f"{arm.arm} {len(arm.options)} options" for arm in seen.arms),
    ),
    "command": Probe(
        recipe=command.RECIPE,
        timed=False,
        settings=CommandSettings,
        observation=CommandObservation,
        run=command.run_command,
        told=lambda seen: ", ".join(f"{arm.arm} status {arm.status}" for arm in seen.arms),
    ),
    "slot-files": Probe(
        recipe=slot_files.RECIPE,
        timed=False,
        settings=SlotFilesSettings,
        observation=SlotFilesObservation,
        run=slot_files.run_slot_files,
        told=lambda seen: f"{len(seen.arms)} arms, {sum(len(arm.refusals) for arm in seen.arms)} bad files",
    ),
    "counts": Probe(
        recipe=counts.RECIPE,
        timed=False,
        settings=CountSettings,
        observation=CountObservation,
        run=counts.run_counts,
        told=lambda seen: f"{len(seen.arms)} arms, {seen.tool}",
        tool=counts.counting_tool,
    ),
    "speed": Probe(
        recipe=speed.RECIPE,
        timed=True,
        settings=SpeedSettings,
        observation=SpeedObservation,
        run=speed.run_speed,
        told=lambda seen: f"{len(seen.arms)} arms, {seen.rounds} rounds",
    ),
    "divergence": Probe(
        recipe=divergence.RECIPE,
        timed=False,
        settings=DivergenceSettings,
        observation=DivergenceObservation,
        run=divergence.run_divergence,
        told=lambda seen: f"{len(seen.arms)} arms, {len(seen.calibrations)} calibrations",
    ),
    "logits": Probe(
        recipe=logits.RECIPE,
        timed=False,
        settings=LogitsSettings,
        observation=LogitsObservation,
        run=logits.run_logits,
        told=lambda seen: f"{len(seen.runs)} runs, {sum(len(each.rows) for each in seen.runs[0].prompts)} rows each",
        by_bindings=True,
    ),
    "state": Probe(
        recipe=state.RECIPE,
        timed=False,
        settings=StateSettings,
        observation=StateObservation,
        run=state.run_state,
        told=lambda seen: f"{len(seen.arms)} arms, {len(seen.arms[0].outcomes)} states each",
        by_bindings=True,
    ),
    "memory": Probe(
        recipe=memory.RECIPE,
        timed=True,
        settings=MemorySettings,
        observation=MemoryObservation,
        run=memory.run_memory,
        told=lambda seen: ", ".join(f"{arm.arm} {arm.peak_kib // 1024} MiB" for arm in seen.arms),
        by_bindings=True,
    ),
    "served-memory": Probe(
        recipe=served_memory.RECIPE,
        timed=True,
        settings=ServedMemorySettings,
        observation=ServedMemoryObservation,
        run=served_memory.run_served_memory,
        told=lambda seen: ", ".join(f"{arm.arm} {arm.anonymous_kib[-1] // 1024} MiB" for arm in seen.arms),
    ),
    "trace": Probe(
        recipe=trace.RECIPE,
        timed=False,
        settings=TraceSettings,
        observation=TraceObservation,
        run=trace.run_trace,
        told=lambda seen: f"{seen.compared} operations, {seen.differ} differ",
        by_bindings=True,
    ),
}
