"""What every process under measurement is kept in: a clean environment, bounds, and an end with us.

The environment holds what the engine needs to start and what the arm says, nothing of ours. The bounds are set in the
child before it becomes the engine.
"""

import ctypes
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import Arm

_PR_SET_PDEATHSIG = 1
_RESERVED = ("PATH", "HOME", "TMPDIR", "LC_ALL")


def clean_environment(arm: Arm, libraries: Path, home: Path) -> dict[str, str]:
    """The variables of an arm's process; raises where the arm sets one that decides what is run and not how."""
    for name, _ in arm.env:
        if name in _RESERVED or name.startswith(("LD_", "DYLD_", "PYTHON")):
            raise EnvironmentFault(
                Diagnostic(
                    code="arm-environment",
                    message=f"arm `{arm.name}` sets `{name}`, which decides what is run and not how",
                    help="use another name for the switch",
                )
            )
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": str(home),
        "TMPDIR": str(home),
        "LC_ALL": "C",
        "LD_LIBRARY_PATH": str(libraries),
        "GGML_NO_BACKTRACE": "1",
        **dict(arm.env),
    }


def bounded(*, file_bytes: int, address_bytes: int | None = None) -> Callable[[], None]:
    """What the child does before it becomes the engine: die with us, leave no core, write and take only so much."""
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    def bound() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (file_bytes, file_bytes))
        if address_bytes is not None:
            resource.setrlimit(resource.RLIMIT_AS, (address_bytes, address_bytes))

    return bound
