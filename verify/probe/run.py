"""Meets a probe need: the key that names its outcome, and the session that makes it.

Takes built engines, a model file where the probe has a model, and a folder for logs; gives the observation. The key
holds everything that may change it: each arm's build and environment, the probe's recipe, the model, every setting,
and the hardware class (times depend on the processor, token ids on the architecture); and the form of the
observation, so that a record of an older form is never asked for.
"""

import shutil
import tempfile
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from verify.evidence import make_key
from verify.model.codec import canonical_json, shape_of
from verify.model.evidence import BuildNeed, Key, ProbeNeed
from verify.model.ids import Sha256
from verify.model.observation import ProbeObservation, decode_observation
from verify.model.progress import Progress
from verify.model.session import read_settings
from verify.probe.engine import Bindings, BuiltEngine, Limits, ModelFile, check_model, check_system
from verify.probe.identity import SYSTEM_FOLDERS
from verify.probe.machine import Machine
from verify.probe.registry import PROBES
from verify.probe.session import Bench

_SESSION = "1"
"""Version of what all probes share: how a server is started, asked and ended."""


def probe_key(
    *,
    need: ProbeNeed,
    builds: Mapping[BuildNeed, Sha256],
    model: Sha256 | None,
    machine: Machine,
    bindings: Sha256 | None = None,
) -> Key:
    """The key of a need; `builds` are `build_identity` values, `model` and `bindings` digests where it has one.

    Raises `EnvironmentFault` where the tool that measures is not there.
    """
    probe = PROBES[need.probe]
    parts = asked_parts(need, builds, model)
    parts["hardware"] = f"{machine.architecture}, {machine.processor}" if probe.timed else machine.architecture
    if bindings is not None:
        parts["bindings"] = bindings
    if probe.tool is not None:
        parts["tool"] = probe.tool()
    return make_key(need.probe, parts)


def asked_parts(need: ProbeNeed, builds: Mapping[BuildNeed, Sha256], model: Sha256 | None) -> dict[str, str]:
    """The parts of a need's key that say what is asked, and not where and with which tool it is measured."""
    probe = PROBES[need.probe]
    parts = {
        "form": sha256(canonical_json(shape_of(probe.observation))).hexdigest()[:16],
        "recipe": f"{_SESSION}.{probe.recipe}",
        "model": model or "none",
    }
    for number, arm in enumerate(need.arms):
        parts[f"arm.{number}"] = (
            canonical_json([arm.name, builds[arm.build], list(map(list, arm.env))]).decode().strip()
        )
    return parts | {f"setting.{name}": value for name, value in need.settings}


def decode_probe(need: ProbeNeed, value: Mapping[str, object]) -> ProbeObservation:
    """What a record says that the need's probe saw; `CodecError` when it is not of that probe's form."""
    seen: ProbeObservation = decode_observation(PROBES[need.probe].observation, value)
    return seen


def probe_title(need: ProbeNeed) -> str:
    """The need in a few words."""
    return f"{need.probe} on {need.model}" if need.model is not None else need.probe


def run_probe(
    *,
    need: ProbeNeed,
    builds: Mapping[BuildNeed, BuiltEngine],
    model: ModelFile | None,
    scratch: Path,
    progress: Progress,
    limits: Limits | None = None,
    system: tuple[Path, ...] = SYSTEM_FOLDERS,
    keep_logs: bool = False,
    bindings: Bindings | None = None,
) -> ProbeObservation:
    """Measure what the need asks for; `EnvironmentFault` where it cannot be.

    Each session has a folder of its own under `scratch`, so that two at once do not mix their logs. It is removed
    when all went well; a fault names the log in it.
    """
    probe = PROBES[need.probe]
    with progress.stage(f"probe {probe_title(need)}") as stage:
        stage.tell("check the model")
        check_system()
        if model is not None:
            check_model(model)
        scratch.mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{need.probe}-{need.model or 'engine'}-", dir=scratch)).resolve()
        bench = Bench(
            arms=tuple((arm, builds[arm.build]) for arm in need.arms),
            model=model,
            scratch=folder,
            limits=limits or Limits(),
            stage=stage,
            system=system,
            bindings=bindings,
        )
        run: ProbeObservation = probe.run(bench, read_settings(probe.settings, need.settings))
        if not keep_logs:
            shutil.rmtree(folder, ignore_errors=True)
        stage.outcome(probe.told(run))
    return run
