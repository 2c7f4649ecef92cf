"""Runs a build tool in bounds, with a clean environment and without a network, and ends it whole.

Takes a command, a prepared environment and a log file; gives how it ended and what it cost. Every line goes to the log
and to the caller as it comes. What a build did that it may not stands in the log's last lines. Every process started
here carries a mark in its environment as well, by which `end_marked` finds those that an earlier, killed run has left
where the system could not end them.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.sandbox.bounds import Bounds, Ended
from verify.sandbox.confined import Confined, most_memory, start
from verify.sandbox.told import breach_told, conduct_told

MARK = "STACKPROOF_LANE"
"""The environment variable that marks the processes of a lane."""

LOG_LIMIT = 256 << 20
"""Bytes that a build may print."""

_LONGEST_LINE = 1 << 20
_GRACE_SECONDS = 3.0
_POLL_SECONDS = 0.1
_PROCESSES = 4096
_LINGER_SECONDS = 1.0
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a command ended: its exit status, seconds of processor and clock, and its largest process in KiB."""

    status: int
    cpu_seconds: float
    wall_seconds: float
    peak_kib: int


def run(
    command: tuple[str, ...],
    *,
    folder: Path,
    environment: Mapping[str, str],
    log: BinaryIO,
    on_line: Callable[[str], None],
    seconds: float,
) -> Ran:
    """Run to the end; raises `EnvironmentFault` when it takes longer than `seconds` or is ended by a signal.

    Whatever ends this call early, Ctrl-C included, ends every process that it started.
    """
    began = time.monotonic()
    process = start(
        command,
        folder=folder,
        environment=environment,
        bounds=Bounds(
            seconds=seconds + _GRACE_SECONDS,
            memory_bytes=most_memory(),
            processes=_PROCESSES,
            network="CCACHE_REMOTE_STORAGE" in environment,
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        _follow(process, log, on_line, seconds)
    finally:
        ended = _end(process)
        if environment.get(MARK):
            end_marked(environment[MARK])
    who = f"`{Path(command[0]).name}`"
    for told in conduct_told(ended, who):
        log.write(f"stackproof: {told.message}\n".encode())
    if ended.breach is not None:
        raise EnvironmentFault(breach_told(ended.breach, who))
    status = ended.status
    if status < 0:
        raise EnvironmentFault(
            Diagnostic(
                code="build-killed",
                message=f"`{Path(command[0]).name}` was ended by {signal.Signals(-status).name}",
                notes=("a build that was cut short says nothing about the tree and is not recorded",),
                help="run the same command again; if memory was short, with less going on beside it",
            )
        )
    return Ran(
        status=status,
        cpu_seconds=ended.cpu_seconds,
        wall_seconds=time.monotonic() - began,
        peak_kib=ended.peak_kib,
    )


def _follow(process: Confined, log: BinaryIO, on_line: Callable[[str], None], seconds: float) -> None:
    assert process.stdout is not None
    deadline = time.monotonic() + seconds
    pending, size = b"", 0
    has_ended = False
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        is_open = True
        while is_open:
            if selector.select(_POLL_SECONDS):
                chunk = os.read(process.stdout.fileno(), 1 << 16)
                is_open = bool(chunk)
                log.write(chunk)
                size += len(chunk)
                if size > LOG_LIMIT:
                    raise _endless()
                *lines, pending = (pending + chunk).split(b"\n")
                if len(pending) > _LONGEST_LINE:
                    lines, pending = [*lines, pending], b""
                for line in lines:
                    on_line(line.decode("utf-8", errors="replace").rstrip("\r"))
            if not has_ended and process.poll() is not None:
                has_ended = True
                # a process that it left behind may hold the pipe open for ever
                deadline = min(deadline, time.monotonic() + _LINGER_SECONDS)
            if time.monotonic() > deadline:
                break
    if pending:
        on_line(pending.decode("utf-8", errors="replace"))
    try:
        process.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        raise EnvironmentFault(
            Diagnostic(
                code="build-timed-out",
                message=f"the build had not ended after {seconds:.0f} s",
                notes=("a build that was cut short says nothing about the tree and is not recorded",),
                help="run the same command again; if the machine was busy, with less going on beside it",
            )
        ) from None


def _endless() -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="build-log-endless",
            message=f"the build printed more than {LOG_LIMIT >> 20} MiB and was ended",
            notes=("a build that was cut short says nothing about the tree and is not recorded",),
            help="read the log's last lines to see what prints so much, and make it quiet",
        )
    )


def _end(process: Confined) -> Ended:
    """End it with all that it started; asked first, since Ninja then ends its compilers and removes half outputs."""
    if process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    return process.end()


def end_marked(mark: str) -> int:
    """End every process that carries this mark in its environment, and see them gone; gives how many (Linux)."""
    ended: set[int] = set()
    deadline = time.monotonic() + _GRACE_SECONDS
    # once is not enough: one may have started another meanwhile
    while found := _marked(f"{MARK}={mark}".encode()):
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        ended.update(found)
        if time.monotonic() > deadline:
            break
        time.sleep(_POLL_SECONDS / 10)
    return len(ended)


def _marked(wanted: bytes) -> list[int]:
    found = []
    for entry in _PROC.iterdir() if _PROC.is_dir() else ():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if wanted in (entry / "environ").read_bytes().split(b"\0"):
                    found.append(int(entry.name))
    return found
