"""What a built engine says of its own configuration: how the probe `config-dump` is run and what it sees."""

from dataclasses import dataclass

from verify.model.observation import LoadedFile
from verify.model.session import ServerSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDumpSettings:
    """Of CMake's cache the options whose names match `kept`, of the server's properties those named in `properties`."""

    server: ServerSettings
    kept: str
    properties: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDumpArm:
    """One arm: options in CMake's cache, features that the running engine reports of itself, and its properties.

    A feature is `BACKEND.NAME`, as `CPU.AVX2`. Each is a name and a value, by name; what is not there was not said.
    """

    arm: str
    options: tuple[tuple[str, str], ...]
    features: tuple[tuple[str, str], ...]
    properties: tuple[tuple[str, str], ...]
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigDumpObservation:
    """Every arm, in the order of the need."""

    arms: tuple[ConfigDumpArm, ...]
    seconds: float
