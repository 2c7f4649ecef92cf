"""What a server keeps while it serves: how the probe `served-memory` is run and what it sees."""

from dataclasses import dataclass

from verify.model.observation import LoadedFile
from verify.model.session import Drawn, ServerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMemorySettings:
    """The same requests `cycles` times on one server: a prompt, its continuation, a branch off it, one in another slot.

    `fresh` is how many new tokens the continuation and the branch have.
    """

    server: ServerSettings
    drawn: Drawn
    cycles: int
    prompt: int
    fresh: int
    generate: int
    seed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMemoryArm:
    """One arm's anonymous memory after each cycle, its largest resident size, and how many tokens came in all."""

    arm: str
    anonymous_kib: tuple[int, ...]
    peak_kib: int
    tokens: int
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedMemoryObservation:
    """Every arm in the order of the need."""

    arms: tuple[ServedMemoryArm, ...]
    seconds: float
