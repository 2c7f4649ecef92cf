"""Starts a program in bounds and gives a handle that ends it whole: `with confined(...) as program`.

Takes a command with its whole environment, a folder, three streams and `Bounds`; gives `Confined`, which looks like the
standard library's Popen as far as callers need. Between us and the program stands `warden.py`; the process that forks
wardens is started once and goes with us. What the system cannot forbid is said by `Confined.room` and, before anything
runs, by `confinement()`.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any

from verify.sandbox.bounds import Bound, Bounds, Breach, Confinement, Ended

WARDEN = Path(__file__).with_name("warden.py")
_START_SECONDS = 60.0
_END_SECONDS = 15.0

Stream = int | IO[Any] | None


class _House:
    """The process that forks wardens, one for each process of ours that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._owner = 0
        self._socket: socket.socket | None = None

    def send(self, descriptors: Sequence[int]) -> None:
        """Have a warden forked that gets these."""
        with self._lock:
            if self._socket is None or self._owner != os.getpid():
                self._socket, self._owner = self._open(), os.getpid()
            try:
                socket.send_fds(self._socket, [b"w"], descriptors)
            except (BrokenPipeError, ConnectionResetError):  # it was ended from outside
                self._socket = self._open()
                socket.send_fds(self._socket, [b"w"], descriptors)

    @staticmethod
    def _open() -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            subprocess.Popen(
                [sys.executable, "-I", "-S", "-B", WARDEN, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                cwd="/",
                env={},
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        return ours


_HOUSE = _House()


class Confined:
    """A program that runs, or has ended.

    `pid` is the program's own, as this process sees it; `room` says what the system forbids it.
    """

    def __init__(self, streams: "_Streams", control: socket.socket, events: int) -> None:
        self._control, self._events = control, events
        self._pending = b""
        self._dialling, self._hearing = threading.Lock(), threading.Lock()
        self._warden = 0
        self.pid = 0
        self.room = Confinement(network="", processes="")
        self.ended: Ended | None = None
        self.stdin, self.stdout, self.stderr = streams.ours

    @property
    def returncode(self) -> int | None:
        """The exit status, negative for a signal; None while it runs, as far as was looked."""
        return None if self.ended is None else self.ended.status

    def poll(self) -> int | None:
        """Look whether it has ended."""
        return self._await(0.0)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for its end; `subprocess.TimeoutExpired` where it does not come in time."""
        status = self._await(timeout)
        if status is None:
            raise subprocess.TimeoutExpired("the program", timeout or 0.0)
        return status

    def terminate(self) -> None:
        """Ask the program to end."""
        self._say(b"signal %d" % signal.SIGTERM)

    def dial(self, port: int, seconds: float) -> socket.socket:
        """A connection to a port of the run's own loopback; `OSError` where nobody listens."""
        if self.room.network:
            return socket.create_connection(("127.0.0.1", port), timeout=seconds)
        with self._dialling:
            self._say(b"dial %d" % port)
            self._control.settimeout(seconds)
            try:
                said, descriptors, _, _ = socket.recv_fds(self._control, 64, 1)
            finally:
                self._control.settimeout(None)
        if not descriptors:
            number = int(said or b"0")
            raise OSError(number, os.strerror(number) if number else "the program is gone")
        made = socket.socket(fileno=descriptors[0])
        made.settimeout(seconds)
        return made

    def end(self) -> Ended:
        """End the program and everything it started; nothing is left when this returns."""
        with contextlib.suppress(OSError):
            self._control.shutdown(socket.SHUT_RDWR)
        if not self._gone(_END_SECONDS) and self._warden:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._warden, signal.SIGKILL)
            self._gone(_END_SECONDS)
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        self._control.close()
        if self._events >= 0:
            os.close(self._events)
            self._events = -1
        self.ended = self.ended or Ended(status=-signal.SIGKILL, cpu_seconds=0.0, peak_kib=0)
        return self.ended

    def _gone(self, seconds: float) -> bool:
        """Wait until the warden has closed its end, all that it held having ended; what it tells meanwhile is kept."""
        deadline = time.monotonic() + seconds
        while self._events >= 0:
            if not select.select([self._events], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return False
            part = os.read(self._events, 1 << 16)
            self._pending += part
            if not part:
                if b"\n" in self._pending and self.ended is None:
                    self._await(0.0)
                return True
        return True

    def started(self) -> None:
        """Wait until it runs; `OSError` as Popen would raise it where it cannot."""
        event = self._event(_START_SECONDS)
        if event is None or not ("running" in event or "refused" in event):
            raise OSError(0, "its warden did not start it")
        if "refused" in event:
            raise OSError(event["refused"], os.strerror(event["refused"]))
        self.pid, self._warden = event["running"], event["warden"]
        self.room = Confinement(network=event["network"], processes=event["processes"])

    def _say(self, request: bytes) -> None:
        with contextlib.suppress(OSError):
            self._control.sendall(request)

    def _await(self, seconds: float | None) -> int | None:
        with self._hearing:
            if self.ended is None and self._events >= 0:
                event = self._event(seconds)
                if event is not None:
                    self.ended = _ended(event)
        return self.returncode

    def _event(self, seconds: float | None) -> dict[str, Any] | None:
        """The next thing the warden tells; None where nothing comes in time. A warden that is gone told the worst."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while b"\n" not in self._pending:
            left = None if deadline is None else max(0.0, deadline - time.monotonic())
            if not select.select([self._events], [], [], left)[0]:
                return None
            part = os.read(self._events, 1 << 16)
            if not part:
                return {"ended": -signal.SIGKILL, "cpu_seconds": 0.0, "peak_kib": 0}
            self._pending += part
        line, _, self._pending = self._pending.partition(b"\n")
        event: dict[str, Any] = json.loads(line)
        return event


def _ended(event: Mapping[str, Any]) -> Ended:
    breach = event.get("breach")
    return Ended(
        status=event["ended"],
        cpu_seconds=event["cpu_seconds"],
        peak_kib=event["peak_kib"] // (1024 if sys.platform == "darwin" else 1),
        left=tuple(event.get("left", ())),
        outside=event.get("outside", 0),
        breach=breach and Breach(bound=Bound(breach["bound"]), met=breach["met"], allowed=breach["allowed"]),
    )


class _Streams:
    """The program's three streams, as Popen takes them: its own ends, and ours of those that are pipes."""

    def __init__(self, stdin: Stream, stdout: Stream, stderr: Stream) -> None:
        self.theirs: list[int] = []
        self._to_close: list[int] = []
        self.ours: tuple[IO[bytes] | None, IO[bytes] | None, IO[bytes] | None] = (
            self._made(stdin, 0),
            self._made(stdout, 1),
            self._made(stderr, 2),
        )

    def _made(self, stream: Stream, number: int) -> IO[bytes] | None:
        ours = None
        if stream == subprocess.PIPE:
            out, into = os.pipe()
            theirs, kept = (out, into) if number == 0 else (into, out)
            ours = open(kept, "wb" if number == 0 else "rb")  # noqa: SIM115, PTH123 - a descriptor, for as long as we live
            self._to_close.append(theirs)
        elif stream == subprocess.STDOUT:
            theirs = self.theirs[1]
        elif stream == subprocess.DEVNULL:
            theirs = os.open(os.devnull, os.O_RDWR)
            self._to_close.append(theirs)
        else:
            theirs = number if stream is None else stream if isinstance(stream, int) else stream.fileno()
        self.theirs.append(theirs)
        return ours

    def close(self) -> None:
        """Let go of the program's ends."""
        for descriptor in self._to_close:
            os.close(descriptor)


def start(
    command: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.DEVNULL,
    stderr: Stream = subprocess.DEVNULL,
    umask: int = 0o022,
) -> Confined:
    """Start it; the caller must call `end`. `OSError` where the program cannot be run."""
    streams = _Streams(stdin, stdout, stderr)
    ours, theirs = socket.socketpair()
    told, tells = os.pipe()
    program = Confined(streams, ours, told)
    try:
        try:
            _HOUSE.send([*streams.theirs, theirs.fileno(), tells])
        finally:
            theirs.close()
            os.close(tells)
            streams.close()
        ours.sendall(_asked(command, folder, environment, bounds, umask))
        program.started()
    except BaseException:
        program.end()
        raise
    return program


def _asked(
    command: Sequence[str | Path], folder: Path, environment: Mapping[str, str], bounds: Bounds, umask: int
) -> bytes:
    asked = {
        "command": [str(part) for part in command],
        "folder": str(folder),
        "environment": dict(environment),
        "umask": umask,
        "network": bounds.network,
        "seconds": bounds.seconds,
        "memory": bounds.memory_bytes,
        "processes": bounds.processes,
        "limits": {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": bounds.file_bytes,
            "RLIMIT_NOFILE": bounds.open_files,
            **({"RLIMIT_DATA": bounds.memory_bytes} if sys.platform == "linux" else {}),
        },
    }
    return json.dumps(asked).encode() + b"\n"


@contextmanager
def confined(
    command: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str],
    bounds: Bounds,
    stdin: Stream = subprocess.DEVNULL,
    stdout: Stream = subprocess.DEVNULL,
    stderr: Stream = subprocess.DEVNULL,
) -> Iterator[Confined]:
    """Start it, hand it out, and end it whole however this is left."""
    program = start(
        command, folder=folder, environment=environment, bounds=bounds, stdin=stdin, stdout=stdout, stderr=stderr
    )
    try:
        yield program
    finally:
        program.end()


def most_memory() -> int:
    """Three quarters of the machine's memory, in bytes."""
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4


@cache
def confinement() -> Confinement:
    """What this system forbids confined programs; found out by running one that does nothing."""
    with confined(
        [sys.executable, "-I", "-S", "-c", ""], folder=Path("/"), environment={}, bounds=Bounds(seconds=_START_SECONDS)
    ) as program:
        program.wait()
        return program.room
