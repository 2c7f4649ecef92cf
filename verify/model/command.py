"""A declared command on built engines: how the probe `command` runs it, and what it sees."""

from dataclasses import dataclass

from verify.model.ids import Sha256
from verify.model.observation import LoadedFile
from verify.model.session import Mark


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandSettings:
    """A program of the build and its arguments, where `{model}` stands for the model's file.

    `marks` are counted in the lines of both streams. `threads` is what OpenMP may use, `seconds` the most that one arm
    may take.
    """

    program: str
    arguments: tuple[str, ...]
    marks: tuple[Mark, ...]
    threads: int
    seconds: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandArm:
    """How the command ended on one arm: exit status (negative: the signal), lines by mark, its outputs by digest.

    Folders that differ from arm to arm are replaced in what is hashed and shown. `tail` is the end of standard error,
    or of standard output where that is empty.
    """

    arm: str
    status: int
    lines: int
    counts: tuple[tuple[str, int], ...]
    out: Sha256
    err: Sha256
    tail: tuple[str, ...]
    loaded: tuple[LoadedFile, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandObservation:
    """Every arm, in the order of the need."""

    arms: tuple[CommandArm, ...]
    seconds: float
