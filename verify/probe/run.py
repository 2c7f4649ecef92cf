"""Meets a probe need: the key that names its outcome, and the session that makes it.

Takes built engines, model files and a folder for logs; gives the observation. The key holds everything that may
change it: each arm's build and environment, the probe's recipe, the model, every setting, and the hardware class
(times depend on the processor, token ids on the architecture); and the form of the observation, so that a record of
an older form is never asked for.
"""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from verify.evidence import make_key
from verify.model.codec import canonical_json, shape_of
from verify.model.evidence import BuildNeed, Key, ProbeNeed
from verify.model.ids import ModelName, Sha256
from verify.model.observation import RunObservation
from verify.model.progress import Progress
from verify.model.session import (
    CheckpointResumeSettings,
    TokenSettings,
    WarmBehindColdSettings,
    read_settings,
)
from verify.probe import checkpoint_resume, tokens, warm_behind_cold
from verify.probe.engine import BuiltEngine, Limits, ModelFile, check_model, check_system
from verify.probe.identity import SYSTEM_FOLDERS
from verify.probe.machine import Machine
from verify.probe.session import Bench

_SESSION = "1"
"""Version of what all probes share: how a server is started, asked and ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One probe: its recipe's version, whether times matter, and how it is run from a need's settings."""

    recipe: str
    timed: bool
    run: Callable[[Bench, tuple[tuple[str, str], ...]], RunObservation]


PROBES: Mapping[str, Probe] = {
    "tokens": Probe(
        recipe=tokens.RECIPE,
        timed=False,
        run=lambda bench, settings: tokens.run_tokens(bench, read_settings(TokenSettings, settings)),
    ),
    "warm-behind-cold": Probe(
        recipe=warm_behind_cold.RECIPE,
        timed=True,
        run=lambda bench, settings: warm_behind_cold.run_warm_behind_cold(
            bench, read_settings(WarmBehindColdSettings, settings)
        ),
    ),
    "checkpoint-resume": Probe(
        recipe=checkpoint_resume.RECIPE,
        timed=True,
        run=lambda bench, settings: checkpoint_resume.run_checkpoint_resume(
            bench, read_settings(CheckpointResumeSettings, settings)
        ),
    ),
}


def probe_key(
    *, need: ProbeNeed, builds: Mapping[BuildNeed, Sha256], models: Mapping[ModelName, Sha256], machine: Machine
) -> Key:
    """The key of a need; `builds` are `build_identity` values, `models` the pinned digests."""
    probe = PROBES[need.probe]
    parts = {
        "form": sha256(canonical_json(shape_of(RunObservation))).hexdigest()[:16],
        "recipe": f"{_SESSION}.{probe.recipe}",
        "model": models[need.model],
        "hardware": f"{machine.architecture}, {machine.processor}" if probe.timed else machine.architecture,
    }
    for number, arm in enumerate(need.arms):
        parts[f"arm.{number}"] = (
            canonical_json([arm.name, builds[arm.build], list(map(list, arm.env))]).decode().strip()
        )
    parts |= {f"setting.{name}": value for name, value in need.settings}
    return make_key(need.probe, parts)


def run_probe(
    *,
    need: ProbeNeed,
    builds: Mapping[BuildNeed, BuiltEngine],
    models: Mapping[ModelName, ModelFile],
    scratch: Path,
    progress: Progress,
    limits: Limits | None = None,
    system: tuple[Path, ...] = SYSTEM_FOLDERS,
    keep_logs: bool = False,
) -> RunObservation:
    """Measure what the need asks for; `EnvironmentFault` where it cannot be.

    Each session has a folder of its own under `scratch`, so that two at once do not mix their logs. It is removed
    when all went well; a fault names the log in it.
    """
    model = models[need.model]
    with progress.stage(f"probe {need.probe} on {need.model}") as stage:
        stage.tell("check the model")
        check_system()
        check_model(model)
        scratch.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{need.probe}-{need.model}-", dir=scratch)).resolve()
        bench = Bench(
            arms=tuple((arm, builds[arm.build]) for arm in need.arms),
            model=model,
            scratch=folder,
            limits=limits or Limits(),
            stage=stage,
            system=system,
        )
        run = PROBES[need.probe].run(bench, need.settings)
        peak = max(arm.peak_kib for arm in run.arms)
        if not keep_logs:
            shutil.rmtree(folder, ignore_errors=True)
        stage.outcome(f"{len(run.arms)} arms, {run.rounds} rounds, peak {peak // 1024} MiB")
    return run
