"""Runs the engine's server for the length of a `with`: clean environment, in bounds, and never left behind.

Takes a built engine, a model and settings; gives a `RunningServer` that answers on a loopback of its own. Output goes
to two log files. The process and all that it started are ended however the `with` is left, also when we are killed.
What can go wrong has names: `server-not-starting`, `server-died`, `server-killed`, `server-silent`, `answer-broken`,
and those of a bound that it broke.
"""

import contextlib
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place, Severity
from verify.model.evidence import Arm
from verify.model.observation import Answer
from verify.model.session import ServerSettings
from verify.model.slot_files import SlotAction
from verify.probe.engine import BuiltEngine, Limits, ModelFile, check_program
from verify.probe.environment import clean_environment
from verify.probe.http import BrokenAnswer, NoAnswer, Refused, is_healthy
from verify.probe.llama import Ask, complete, server_options, slot_action
from verify.probe.port import listening_port
from verify.sandbox.bounds import Ended
from verify.sandbox.confined import Confined, start
from verify.sandbox.told import breach_told, conduct_told

_TAIL = 12
_CPU_CLOCK = 2  # with a process id, names the clock of what that process computed (see clock_getcpuclockid)


@dataclass(frozen=True, slots=True, kw_only=True)
class Logs:
    """Where a server's standard output and standard error go."""

    out: Path
    err: Path

    def lines(self) -> list[str]:
        """All lines of both."""
        return [line for path in (self.out, self.err) for line in _read(path).splitlines()]

    def tail(self) -> tuple[str, ...]:
        """The last lines of standard error, or of standard output where that is empty."""
        text = _read(self.err).strip() or _read(self.out).strip()
        return tuple(f"| {line}" for line in text.splitlines()[-_TAIL:])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningServer:
    """A server that said it is ready."""

    arm: str
    process: Confined
    port: int
    logs: Logs
    limits: Limits
    start_seconds: float

    def complete(
        self,
        ask: Ask,
        *,
        round_number: int,
        on_batch: Callable[[], None] | None = None,
        on_first: Callable[[], None] | None = None,
    ) -> Answer:
        """One completion; a server that dies, keeps silent or talks nonsense is a fault with its last lines."""
        with self._asked(ask.request):
            return complete(
                self.dial,
                ask,
                round_number=round_number,
                seconds=self.limits.answer_seconds,
                computed=self.computed_seconds,
                on_batch=on_batch,
                on_first=on_first,
            )

    def slot(self, action: str, *, slot: int, filename: str) -> SlotAction:
        """Save or restore a slot; whether the server did it is the answer, not answering at all is a fault."""
        with self._asked(f"{action} {filename}"):
            return slot_action(self.dial, action, slot=slot, filename=filename, seconds=self.limits.answer_seconds)

    @contextmanager
    def _asked(self, request: str) -> Iterator[None]:
        """Turns what may go wrong while a request is answered into a fault with the server's last lines."""
        try:
            yield
        except NoAnswer as error:
            raise self._fault("server-silent", f"did not answer `{request}`: {error}") from error
        except (BrokenAnswer, Refused) as error:
            if isinstance(error, BrokenAnswer):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self.process.wait(timeout=1)  # a dying server breaks its connections first
            if self.process.poll() is not None:
                raise ended(self.arm, self.process, self.logs, f"while answering `{request}`") from error
            raise self._fault(
                "answer-refused" if isinstance(error, Refused) else "answer-broken",
                f"gave no sound answer to `{request}`: {error}",
            ) from error

    def dial(self, seconds: float) -> socket.socket:
        """A connection to the server."""
        return self.process.dial(self.port, seconds)

    def _fault(self, code: str, what: str) -> EnvironmentFault:
        return _fault(code, f"the server of arm `{self.arm}` {what}", self.logs)

    def computed_seconds(self) -> float:
        """Processor seconds of the whole process so far; 0 when it is gone."""
        try:
            return time.clock_gettime(~self.process.pid << 3 | _CPU_CLOCK)
        except OSError:
            return 0.0

    def peak_kib(self) -> int:
        """The largest resident size so far."""
        return self._size_kib("VmHWM:")

    def anonymous_kib(self) -> int:
        """What it holds of its own at the moment: memory that is no file's."""
        return self._size_kib("RssAnon:")

    def _size_kib(self, name: str) -> int:
        for line in _read(Path(f"/proc/{self.process.pid}/status")).splitlines():
            if line.startswith(name):
                return int(line.split()[1])
        return 0


@contextmanager
def serve(
    *,
    arm: Arm,
    engine: BuiltEngine,
    model: ModelFile,
    settings: ServerSettings,
    logs: Logs,
    home: Path,
    limits: Limits,
    options: Sequence[str] = (),
) -> Iterator[RunningServer]:
    """Start the server, wait until it is ready, hand it out, end it; `options` come behind those of the settings."""
    program = check_program(engine).absolute()
    environment = clean_environment(arm, program.parent, home)
    started = time.monotonic()
    with logs.out.open("wb") as out, logs.err.open("wb") as err:
        try:
            process = start(
                [program, "-m", model.path.absolute(), *server_options(settings), *options],
                folder=home,
                environment=environment,
                bounds=limits.bounds(),
                stdout=out,
                stderr=err,
            )
        except OSError as error:
            raise _fault(
                "server-not-starting", f"the server of arm `{arm.name}` cannot be run: {error.strerror}", logs
            ) from error
    try:
        port = _wait_until_ready(arm.name, process, logs, limits)
        yield RunningServer(
            arm=arm.name,
            process=process,
            port=port,
            logs=logs,
            limits=limits,
            start_seconds=round(time.monotonic() - started, 3),
        )
        _let_log_settle(logs)
    finally:
        done = _end(process, limits)
    if done.outside:
        # what it measures may depend on what it finds there
        told = next(conduct_told(done, f"the server of arm `{arm.name}`"))
        raise EnvironmentFault(replace(told, severity=Severity.ERROR, place=Place(file=str(logs.err))))


def ended(arm: str, process: Confined, logs: Logs, when: str) -> EnvironmentFault:
    """The fault for a server that is gone: by its own doing, for a bound that it broke, or killed from outside."""
    status, done = process.wait(), process.ended
    if done is not None and done.breach is not None:
        told = breach_told(done.breach, f"the server of arm `{arm}`")
        return EnvironmentFault(replace(told, place=Place(file=str(logs.err)), notes=(*told.notes, *logs.tail())))
    if status == -signal.SIGKILL:
        return _fault("server-killed", f"the server of arm `{arm}` was killed from outside {when}", logs)
    how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return _fault("server-died", f"the server of arm `{arm}` ended {how} {when}", logs)


def _wait_until_ready(arm: str, process: Confined, logs: Logs, limits: Limits) -> int:
    deadline = time.monotonic() + limits.start_seconds
    while (left := deadline - time.monotonic()) > 0:
        if process.poll() is not None:
            status = process.returncode
            if status == -signal.SIGKILL:
                raise ended(arm, process, logs, "before it was ready")
            raise _fault("server-not-starting", f"the server of arm `{arm}` ended with status {status} at once", logs)
        port = listening_port(process.pid)
        if port is not None and is_healthy(partial(process.dial, port), min(left, 5.0)):
            return port
        time.sleep(0.01)
    raise _fault(
        "server-not-starting", f"the server of arm `{arm}` was not ready in {limits.start_seconds:.0f} s", logs
    )


def _let_log_settle(logs: Logs) -> None:
    """Wait until nothing more is written: the engine logs from a thread of its own, which the end would cut off."""
    size = -1
    for _ in range(50):
        now = sum(path.stat().st_size for path in (logs.out, logs.err))
        if now == size:
            return
        size = now
        time.sleep(0.03)


def _end(process: Confined, limits: Limits) -> Ended:
    """Ask, then insist: the server, and whatever it has started."""
    try:
        if process.poll() is None:
            process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=limits.stop_seconds)
    finally:
        done = process.end()
    return done


def _fault(code: str, message: str, logs: Logs) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code=code,
            message=message,
            place=Place(file=str(logs.err)),
            notes=logs.tail() or ("it wrote nothing",),
            help=f"less {logs.err}",
        )
    )


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
