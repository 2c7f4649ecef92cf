"""What it costs to read and to write tokens: settings and observations of the probes that count and that time.

Counts are instructions, the same on every run; times are seconds by two clocks, paired round by round. Both come from
one fixed program, the engine's own bench, or from its server.
"""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.ids import Sha256
from verify.model.observation import LoadedFile
from verify.model.session import Drawn, Rounds


class Part(StrEnum):
    """The parts of a run that are told apart: getting ready, reading a prompt, writing tokens one by one."""

    LOAD = "load"
    PREFILL = "prefill"
    DECODE = "decode"


class Program(StrEnum):
    """What is run: the engine's bench, or requests to its server."""

    BENCH = "bench"
    SERVER = "server"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """So many tokens read and so many written, with everything pinned that decides what the engine computes."""

    prompt: int
    generate: int
    batch: int = 512
    microbatch: int = 512
    threads: int = 1
    flash_attention: bool = False
    repack: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSettings:
    """Instructions of the workload, counted `repeats` times an arm."""

    workload: Workload
    repeats: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """The instructions of one part, a figure for each repeat, and how many tokens it read or wrote."""

    part: Part
    tokens: int
    instructions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountArm:
    """One arm's counts, what it had loaded and how it was called."""

    arm: str
    counts: tuple[Count, ...]
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]

    def count(self, part: Part) -> Count | None:
        """The counts of a part."""
        return next((each for each in self.counts if each.part is part), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class CountObservation:
    """Every arm's counts, in the order of the need; `tool` names what counted, and as which processor."""

    tool: str
    arms: tuple[CountArm, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bound:
    """The most that a part may take: the ratio of the last arm to the first."""

    part: Part
    ratio: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedSettings:
    """The workload, timed in rounds until every bound is decided.

    A bound is decided when the whole interval of its ratio lies on one side of it. `rounds.precision` also ends it: a
    ratio that is known so well will not be decided by a few rounds more. `drawn` are the server's prompts.
    """

    program: Program
    workload: Workload
    rounds: Rounds
    bounds: tuple[Bound, ...]
    drawn: Drawn


@dataclass(frozen=True, slots=True, kw_only=True)
class Timed:
    """One part in one round: tokens, seconds by the wall's and by the processor's clock, and a digest of what came.

    `output` is empty where the program does not tell what it wrote.
    """

    part: Part
    round: int
    tokens: int
    seconds: float
    cpu_seconds: float
    output: Sha256 | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedArm:
    """One arm's times, what it had loaded and how it was called."""

    arm: str
    times: tuple[Timed, ...]
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]
    peak_kib: int

    def of(self, part: Part) -> tuple[Timed, ...]:
        """The times of a part, round by round."""
        return tuple(sorted((each for each in self.times if each.part is part), key=lambda each: each.round))


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeedObservation:
    """Every arm's times, in the order of the need."""

    arms: tuple[SpeedArm, ...]
    rounds: int
    seconds: float
