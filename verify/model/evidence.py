"""What was measured, and under which key: the same key never needs measuring twice.

A `Key` names everything that may change the outcome. `Evidence` is the record kept for it: an observation, who and
where it was made, and when. Observations are in `verify/model/observation.py`.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from verify.model.ids import ConfigName, ModelName, Sha256, TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildNeed:
    """A build that must have been made: one tree in one configuration."""

    tree: TreeId
    configuration: ConfigName


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way of running a built engine: a build and the environment variables that are set for it."""

    name: str
    build: BuildNeed
    env: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeNeed:
    """A measurement on built engines: a probe, the arms (measured in one session) and pinned settings.

    `model` is None for a probe that runs the engine's own programs and tests and loads no model.
    """

    probe: str
    model: ModelName | None
    arms: tuple[Arm, ...]
    settings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbiNeed:
    """A comparison of the binary interfaces of two builds of one configuration."""

    below: BuildNeed
    build: BuildNeed


Need = BuildNeed | ProbeNeed | AbiNeed


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """Names an observation by content: `kind` is `build` or the probe's name; each part is text that identifies it.

    Parts of a build: tree, recipe, toolchain, machine. Of a probe: the arms' build digests and environment, recipe,
    model, settings, hardware. `digest` is the SHA-256 of the canonical JSON of kind and parts.
    """

    kind: str
    parts: tuple[tuple[str, str], ...]
    digest: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One record: the key, what was observed (JSON value, decoded by the observation's own codec), and its making."""

    key: Key
    observation: Mapping[str, object]
    made_by: str
    made_on: str
    made_at: str
    seconds: float
