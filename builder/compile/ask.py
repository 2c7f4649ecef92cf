"""Asks a tool something and waits for its answer, but not for ever.

Takes a command line and gives how it ended and what it said. A tool that says nothing within the limit is ended with
all that it started and told as a fault: whoever waits for it would never know what for.
"""

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault

ANSWER_SECONDS = 30.0
"""How long a tool may take to answer one question."""

KEPT = ("SDKROOT", "DEVELOPER_DIR", "HOME")
"""What a compiler is told of the caller's environment."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An answer: exit status, and what came on stdout and stderr."""

    status: int
    text: str
    errors: str


def ask(command: Sequence[str], *, path: Sequence[str], advice: str, folder: Path | None = None) -> Said:
    """Run a command in a clean environment; `OSError` where it cannot be run, a fault where it does not answer."""
    environment = {"PATH": os.pathsep.join(path), "LC_ALL": "C"}
    environment |= {name: os.environ[name] for name in KEPT if name in os.environ}
    if folder is not None:
        environment["TMPDIR"] = str(folder)
    process = subprocess.Popen(
        command,
        env=environment,
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    try:
        text, errors = process.communicate(timeout=ANSWER_SECONDS)
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(_silent(command, advice)) from None
    finally:
        if process.returncode is None:
            # a script is ended with what it waits for
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        for pipe in (process.stdout, process.stderr):
            if pipe is not None:
                pipe.close()
    return Said(
        status=process.returncode,
        text=text.decode(errors="replace"),
        errors=errors.decode(errors="replace"),
    )


def _silent(command: Sequence[str], advice: str) -> Diagnostic:
    return Diagnostic(
        code="compiler-silent",
        message=f"no answer after {ANSWER_SECONDS:.0f} s: `{shlex.join(command)}`",
        notes=("it was ended; nothing was built",),
        help=advice,
    )
