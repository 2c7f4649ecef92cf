"""The environment of every process under measurement: what the engine needs to start and what the arm says, no more.

What else a process is kept in is in `verify/sandbox`.
"""

from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import Arm

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
