"""Runs a build tool: its own process group, a clean environment, bounded in time, ended whole.

Takes a command, a prepared environment and a log file; gives how it ended and what it cost. Every line goes to the log
and to the caller as it comes. Ninja starts each compiler in a process group of its own, so a group alone would leave
compilers behind: every process started here carries a mark in its environment, by which `end_marked` finds them all
(also those that an earlier, killed run has left). Where processes can't be listed so, the group has to do.
"""

import contextlib
import os
import resource
import selectors
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from verify.model.diagnostic import Diagnostic, EnvironmentFault

MARK = "STACKPROOF_LANE"
"""The environment variable that marks the processes of a lane."""

LOG_LIMIT = 256 << 20
"""Bytes that a build may print."""

_LONGEST_LINE = 1 << 20
_GRACE_SECONDS = 3.0
_POLL_SECONDS = 0.1
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
    process = subprocess.Popen(
        command,
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        umask=0o022,
    )
    try:
        status, usage = _follow(process, log, on_line, seconds)
    finally:
        _end(process)
        if environment.get(MARK):
            end_marked(environment[MARK])
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
        cpu_seconds=usage.ru_utime + usage.ru_stime,
        wall_seconds=time.monotonic() - began,
        # macOS counts bytes here, Linux KiB
        peak_kib=usage.ru_maxrss // (1024 if os.uname().sysname == "Darwin" else 1),
    )


def _follow(
    process: "subprocess.Popen[bytes]",
    log: BinaryIO,
    on_line: Callable[[str], None],
    seconds: float,
) -> tuple[int, resource.struct_rusage]:
    assert process.stdout is not None
    deadline = time.monotonic() + seconds
    pending, size = b"", 0
    ended: tuple[int, resource.struct_rusage] | None = None
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
            if ended is None:
                ended = _reap(process)
                if ended is not None:
                    # a process that it left behind may hold the pipe open for ever
                    deadline = min(deadline, time.monotonic() + _LINGER_SECONDS)
            if time.monotonic() > deadline:
                break
    if pending:
        on_line(pending.decode("utf-8", errors="replace"))
    while ended is None and time.monotonic() <= deadline:
        ended = _reap(process)
        time.sleep(0 if ended else _POLL_SECONDS / 10)
    if ended is None:
        raise EnvironmentFault(
            Diagnostic(
                code="build-timed-out",
                message=f"the build had not ended after {seconds:.0f} s",
                notes=("a build that was cut short says nothing about the tree and is not recorded",),
                help="run the same command again; if the machine was busy, with less going on beside it",
            )
        )
    return ended


def _endless() -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="build-log-endless",
            message=f"the build printed more than {LOG_LIMIT >> 20} MiB and was ended",
            notes=("a build that was cut short says nothing about the tree and is not recorded",),
            help="read the log's last lines to see what prints so much, and make it quiet",
        )
    )


def _reap(process: "subprocess.Popen[bytes]") -> tuple[int, resource.struct_rusage] | None:
    """Collect the process with what it and its own children used; None while it runs."""
    pid, status, usage = os.wait4(process.pid, os.WNOHANG)
    if pid == 0:
        return None
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the process and its group; asked first, since Ninja then ends its compilers and removes half outputs."""
    if process.returncode is None:
        _signal_group(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE_SECONDS)
    _signal_group(process.pid, signal.SIGKILL)
    if process.returncode is None:
        process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _signal_group(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


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
