"""What a confined program may take, what the system could forbid it, and how it ended: values only."""

from dataclasses import dataclass, field
from enum import StrEnum

GIB = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Over all processes of a run: seconds, bytes of memory, processes; for each of them: open files, bytes of a file.

    Memory counts what is not shared with a file. A `network` is asked for where a run needs one (a compiler cache that
    machines share); else there is loopback alone, of the run's own.
    """

    seconds: float
    memory_bytes: int = 16 * GIB
    processes: int = 512
    open_files: int = 4096
    file_bytes: int = 4 * GIB
    network: bool = False


class Bound(StrEnum):
    """A bound that a run may break."""

    SECONDS = "seconds"
    MEMORY = "memory"
    PROCESSES = "processes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """A bound that was broken, so that the whole run was ended: what was met and what was allowed."""

    bound: Bound
    met: int
    allowed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Confinement:
    """What the system forbids a run; each is empty where it does, else the reason why it does not.

    `network`: nothing but the run's own loopback is reached. `processes`: the kernel itself ends whatever is left.
    """

    network: str
    processes: str

    def told(self) -> str:
        """In one line."""
        network = f"network not forbidden ({self.network})" if self.network else "no network"
        processes = f"processes found by descent ({self.processes})" if self.processes else "processes of its own"
        return f"{network}, {processes}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """How a run ended: exit status (negative: the signal), what it used, and what had to be done about it.

    `left` names the processes that were still there when the program ended, and were ended. `outside` counts attempts
    to reach another machine, where the system forbids them.
    """

    status: int
    cpu_seconds: float
    peak_kib: int
    left: tuple[str, ...] = field(default=())
    outside: int = 0
    breach: Breach | None = None
