"""Plays a script on one arm's library in a process of its own, and says what that process really had loaded.

The child is a bare interpreter in a clean environment, kept in bounds, and ended with all that it started however this
ends. Its answer comes on one line of standard output; it then waits until it was looked at. What can go wrong has
names: `library-died`, `library-killed`, `library-silent`, `library-refused`, `answer-broken`, `bindings-do-not-fit`.
"""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import verify
from verify.model.codec import CodecError, from_json
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place
from verify.model.evidence import Arm
from verify.model.observation import LoadedFile
from verify.probe.bindings.script import Played, Script, write_script
from verify.probe.blame import blamed
from verify.probe.engine import BuiltEngine
from verify.probe.environment import clean_environment
from verify.probe.identity import loaded_files
from verify.probe.session import Bench
from verify.sandbox.confined import Confined, start
from verify.sandbox.told import breach_told

_BOOT = "import sys; sys.path.insert(0, sys.argv[1]); from verify.probe.bindings.child import main; main(sys.argv[2])"
_MAX_ANSWER = 64 << 20
_TAIL = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """One finished process: the answer, where its rows and traces are, what it had loaded, its largest size."""

    played: Played
    rows: Path
    traces: Path
    loaded: tuple[LoadedFile, ...]
    peak_kib: int


def on_each_arm(bench: Bench, script: Script, *, name: str) -> Iterator[tuple[Arm, Ran]]:
    """Play a script on one arm after the other."""
    for place, (arm, _) in enumerate(bench.arms):
        yield arm, blamed_run(bench, place, script, name=f"{name}-{place}")


def blamed_run(bench: Bench, place: int, script: Script, *, name: str) -> Ran:
    """Play a script on the arm at that place; once the first arm's went well, another one's fault is its own."""
    arm, engine = bench.arms[place]
    bench.stage.tell(f"{name} on arm `{arm.name}`")
    with blamed(arm, bench.arms[0][0].name if place else None):
        return run_script(script, name=name, arm=arm, engine=engine, bench=bench)


def run_script(script: Script, *, name: str, arm: Arm, engine: BuiltEngine, bench: Bench) -> Ran:
    """Play it; `name` is the folder under the bench's scratch that gets the rows, the traces and the log."""
    bindings, model, limits = bench.library_bindings(), bench.model_file(), bench.limits
    home = bench.scratch / name
    home.mkdir(parents=True)
    libraries = (engine.folder / "bin").absolute()
    rows, log, request = home / "rows", home / "log", home / "request.json"
    asked = {
        "adapter": str(bindings.adapter),
        "bindings": str(bindings.folder),
        "libraries": str(libraries),
        "model": str(model.path.absolute()),
        "rows": str(rows),
        "traces": str(home),
        "script": write_script(script),
    }
    request.write_text(json.dumps(asked), encoding="utf-8")
    environment = clean_environment(arm, libraries, home) | {"LLAMA_CPP_LIB_PATH": str(libraries)}
    with log.open("wb") as err:
        process = start(
            [*_python(), "-c", _BOOT, str(Path(verify.__file__).parent.parent), str(request)],
            folder=home,
            environment=environment,
            bounds=limits.bounds(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=err,
        )
    try:
        answer = _answer(process, arm, limits.start_seconds + limits.answer_seconds, log)
        played = _played(answer, arm, log)
        loaded = loaded_files(
            process.pid,
            folder=libraries,
            build=engine.observation,
            system=(*bench.system, Path(sys.base_prefix).resolve()),
        )
        peak = _peak_kib(process.pid)
    finally:
        process.end()  # the answer is in by then
    return Ran(played=played, rows=rows, traces=home, loaded=loaded, peak_kib=peak)


def _python() -> tuple[str, ...]:
    """The interpreter alone: no user's or installed packages, and nothing is written beside the bindings."""
    return sys.executable, "-I", "-S", "-B"


def _answer(process: Confined, arm: Arm, seconds: float, log: Path) -> bytes:
    assert process.stdout is not None
    deadline, gathered = time.monotonic() + seconds, bytearray()
    while not gathered.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not select.select([process.stdout], [], [], left)[0]:
            raise _fault("library-silent", f"arm `{arm.name}` did not answer within {seconds:.0f} s", log)
        part = os.read(process.stdout.fileno(), 1 << 16)
        if not part:
            raise _ended(process, arm, log)
        gathered += part
        if len(gathered) > _MAX_ANSWER:
            raise _fault("answer-broken", f"arm `{arm.name}` gave more than {_MAX_ANSWER} bytes of answer", log)
    return bytes(gathered)


def _played(answer: bytes, arm: Arm, log: Path) -> Played:
    try:
        said = json.loads(answer)
        if "unfit" in said:
            raise _unfit(arm, str(said["unfit"]), log)
        if "refused" in said:
            raise _fault("library-refused", f"arm `{arm.name}` refused step {said['step']}: {said['refused']}", log)
        return from_json(Played, said["played"])
    except (ValueError, KeyError, TypeError, CodecError) as error:
        raise _fault("answer-broken", f"what arm `{arm.name}` answered is no answer: {error}", log) from error


def _ended(process: Confined, arm: Arm, log: Path) -> EnvironmentFault:
    status, done = process.wait(), process.ended
    if done is not None and done.breach is not None:
        told = breach_told(done.breach, f"the process of arm `{arm.name}`")
        return EnvironmentFault(replace(told, place=Place(file=str(log))))
    if status == -signal.SIGKILL:
        return _fault("library-killed", f"the process of arm `{arm.name}` was killed from outside", log)
    how = f"by signal {signal.Signals(-status).name}" if status < 0 else f"with status {status}"
    return _fault("library-died", f"the library of arm `{arm.name}` ended its process {how}", log)


def _peak_kib(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    return 0


def _unfit(arm: Arm, why: str, log: Path) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="bindings-do-not-fit",
            message=f"the bindings do not fit the library of arm `{arm.name}`: {why}",
            place=Place(file=str(log)),
            notes=("nothing was computed: figures of such a pair would be garbage",),
            help="stackproof explain bindings-do-not-fit",
        )
    )


def _fault(code: str, message: str, log: Path) -> EnvironmentFault:
    try:
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()[-_TAIL:]
    except OSError:
        lines = []
    return EnvironmentFault(
        Diagnostic(
            code=code,
            message=message,
            place=Place(file=str(log)),
            notes=tuple(f"| {line}" for line in lines) or ("it wrote nothing",),
            help=f"less {log}",
        )
    )
