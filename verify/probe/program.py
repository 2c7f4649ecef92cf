"""Runs one program of a build to its end: sealed environment, bounded, never left behind, and known by what it loaded.

Standard output and standard error go to two files and are never mixed: figures are read from the one, and what an
engine says beside them stands in the other. The lines of standard error are also kept with what the process had
computed when each came, so that the parts of a run can be told apart. What was loaded is looked at again and again
while the program runs, since it may be over in a tenth of a second.
"""

import contextlib
import os
import selectors
import signal
import subprocess
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place
from verify.model.evidence import Arm
from verify.model.observation import LoadedFile
from verify.probe.engine import BuiltEngine, Limits, check_program
from verify.probe.environment import clean_environment
from verify.probe.identity import identified, mapped_programs
from verify.sandbox.confined import Confined, start
from verify.sandbox.told import breach_told

_CPU_CLOCK = 2  # with a process id, names the clock of what that process computed (see clock_getcpuclockid)
_TAIL = 12
_LINES = 10_000
_OFTEN, _SELDOM, _AT_FIRST = 0.005, 0.1, 0.5
_LINGER = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of standard error, and the processor seconds of the process when it came."""

    text: str
    cpu_seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """What is to be run: a program of an arm's build with its options, behind a tool's own command where one is given.

    `name` names its two files of output in `folder`, which is also the current one.
    """

    arm: Arm
    engine: BuiltEngine
    program: str
    options: tuple[str, ...]
    folder: Path
    name: str
    behind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How it ended, with status 0: its output, what it had loaded, and seconds of the clock and of the processor."""

    out: str
    lines: tuple[Line, ...]
    loaded: tuple[LoadedFile, ...]
    seconds: float
    cpu_seconds: float
    peak_kib: int


def run_program(program: Program, *, limits: Limits, system: tuple[Path, ...]) -> Ran:
    """Run it; a fault where it cannot be run, fails, does not end, or was not what was built."""
    path = check_program(program.engine, program.program).absolute()
    out, err = (program.folder / f"{program.name}.{end}" for end in ("out", "err"))
    began = time.monotonic()
    with out.open("wb") as to_out, err.open("wb") as to_err:
        try:
            process = start(
                [*program.behind, path, *program.options],
                folder=program.folder,
                environment=clean_environment(program.arm, path.parent, program.folder),
                bounds=limits.bounds(),
                stdout=to_out,
                stderr=subprocess.PIPE,
            )
        except OSError as error:
            raise _fault(program, "program-not-starting", f"cannot be run: {error.strerror}") from error
        watch = _Watch(process, to_err)
        try:
            in_time = watch.until_end(began + limits.answer_seconds)
        finally:
            ended = process.end()
    if not in_time:
        raise _fault(program, "program-endless", f"had not ended after {limits.answer_seconds:.0f} s")
    if ended.breach is not None:
        told = breach_told(ended.breach, f"`{program.program}` of arm `{program.arm.name}`")
        raise EnvironmentFault(replace(told, place=Place(file=str(err))))
    if ended.status != 0:
        raise _ended(program, ended.status)
    loaded = identified(sorted(watch.mapped), folder=path.parent, build=program.engine.observation, system=system)
    return Ran(
        out=out.read_text(encoding="utf-8", errors="replace"),
        lines=tuple(watch.lines),
        loaded=loaded,
        seconds=round(time.monotonic() - began, 6),
        cpu_seconds=ended.cpu_seconds,
        peak_kib=ended.peak_kib,
    )


class _Watch:
    """Follows a process: its lines as they come, and what it has mapped."""

    def __init__(self, process: Confined, err: BinaryIO) -> None:
        self.lines: list[Line] = []
        self.mapped: set[Path] = set()
        self._process, self._err, self._pending = process, err, b""

    def until_end(self, deadline: float) -> bool:
        """Whether the process has ended by then."""
        began = time.monotonic()
        assert self._process.stderr is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stderr, selectors.EVENT_READ)
            while (now := time.monotonic()) < deadline:
                self._look()
                pause = _OFTEN if now - began < _AT_FIRST else _SELDOM
                if selector.get_map() and selector.select(pause):
                    if not self._read():
                        selector.unregister(self._process.stderr)
                elif not selector.get_map():
                    time.sleep(pause)
                if self._process.poll() is not None:
                    self._rest(selector)
                    return True
        return False

    def _look(self) -> None:
        with contextlib.suppress(OSError):
            self.mapped.update(mapped_programs(self._process.pid))

    def _read(self) -> bool:
        assert self._process.stderr is not None
        chunk = os.read(self._process.stderr.fileno(), 1 << 16)
        self._err.write(chunk)
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        computed = self._computed()
        for line in lines[: _LINES - len(self.lines)]:
            self.lines.append(Line(text=line.decode("utf-8", errors="replace").rstrip("\r"), cpu_seconds=computed))
        return bool(chunk)

    def _rest(self, selector: selectors.BaseSelector) -> None:
        # a process that it left behind may hold the pipe open for ever
        deadline = time.monotonic() + _LINGER
        while selector.get_map() and time.monotonic() < deadline and selector.select(_OFTEN) and self._read():
            pass

    def _computed(self) -> float:
        try:
            return time.clock_gettime(~self._process.pid << 3 | _CPU_CLOCK)
        except OSError:
            return self.lines[-1].cpu_seconds if self.lines else 0.0


def missed(program: Program) -> EnvironmentFault:
    """The fault for a program whose lines all came too late to tell the parts of its run apart: the machine's doing."""
    return _fault(program, "program-unwatched", "was over before anybody saw it begin")


def _ended(program: Program, status: int) -> EnvironmentFault:
    if status == -signal.SIGKILL:
        return _fault(program, "program-killed", "was killed from outside")
    how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return _fault(program, "program-failed", f"ended {how}")


def unreadable(program: Program, why: str) -> EnvironmentFault:
    """The fault for a program that ended well and whose output is not what it should be."""
    return _fault(program, "output-unreadable", f"ended well and gave what cannot be read: {why}")


def _fault(program: Program, code: str, what: str) -> EnvironmentFault:
    err, out = (program.folder / f"{program.name}.{end}" for end in ("err", "out"))
    text = _read(err).strip() or _read(out).strip()
    return EnvironmentFault(
        Diagnostic(
            code=code,
            message=f"`{program.program}` of arm `{program.arm.name}` {what}",
            place=Place(file=str(err)),
            notes=tuple(f"| {line[:200]}" for line in text.splitlines()[-_TAIL:]) or ("it wrote nothing",),
            help=f"less {err}",
        )
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
