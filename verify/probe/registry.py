"""Every probe, by the name that a need asks for it with."""

from collections.abc import Mapping

from verify.model.observation import RunObservation
from verify.model.session import CheckpointResumeSettings, TokenSettings, WarmBehindColdSettings
from verify.model.slot_files import SlotFilesObservation, SlotFilesSettings
from verify.probe import checkpoint_resume, slot_files, tokens, warm_behind_cold
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
    "slot-files": Probe(
        recipe=slot_files.RECIPE,
        timed=False,
        settings=SlotFilesSettings,
        observation=SlotFilesObservation,
        run=slot_files.run_slot_files,
        told=lambda seen: f"{len(seen.arms)} arms, {sum(len(arm.refusals) for arm in seen.arms)} bad files",
    ),
}
