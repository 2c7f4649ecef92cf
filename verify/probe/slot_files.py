"""Probe `slot-files`: a slot is saved, the server ends, and another one goes on from the file.

Each live answer comes from a server of its own, which has read the prompt and then goes on from what its slot holds;
the first one saves that slot. Another server restores the file before each of the same requests. Then, again in a
server of its own, a slot that holds the prompt is told to restore a file that is damaged or is no slot's: an engine may
break down over it, and that is an observation. The last server, not on the first arm, restores the file that the first
arm saved: that arm's engine may be an older one.
"""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import Arm
from verify.model.observation import Answer, LoadedFile, MarkCount
from verify.model.slot_files import (
    Damage,
    Refusal,
    SlotFile,
    SlotFilesArm,
    SlotFilesObservation,
    SlotFilesSettings,
)
from verify.probe.blame import blamed
from verify.probe.engine import BuiltEngine, file_sha256
from verify.probe.identity import loaded_files
from verify.probe.llama import Ask, server_options
from verify.probe.marks import count_marks
from verify.probe.server import Logs, RunningServer, ended, serve
from verify.probe.session import Bench

RECIPE = "1"
_SAVED = "saved"
_SAVED_AGAIN = "again"
_OLDER = "older"
_SLOT = 0


@dataclass(slots=True, kw_only=True)
class _Arm:
    """One arm while it is run: its engine, its folder of slot files, and what is known of all its servers."""

    arm: Arm
    engine: BuiltEngine
    folder: Path
    loaded: dict[LoadedFile, None] = field(default_factory=dict)
    marks: list[MarkCount] = field(default_factory=list)
    peak_kib: int = 0
    servers: int = 0

    def files(self, name: str) -> tuple[SlotFile, ...]:
        """The files of one save, the one that was asked for first."""
        return tuple(
            SlotFile(suffix=path.name[len(name) :], sha256=file_sha256(path), size=path.stat().st_size)
            for path in sorted(self.folder.glob(f"{name}*"))
        )


def run_slot_files(bench: Bench, settings: SlotFilesSettings) -> SlotFilesObservation:
    """Each arm once: what a file holds does not vary."""
    started = time.monotonic()
    done: list[SlotFilesArm] = []
    older: Path | None = None
    for arm, engine in bench.arms:
        folder = bench.scratch / f"slots-{arm.name}"
        folder.mkdir()
        with blamed(arm, done[0].arm if done else None):
            done.append(_one_arm(bench, settings, _Arm(arm=arm, engine=engine, folder=folder), older))
        older = older or folder
    return SlotFilesObservation(arms=tuple(done), seconds=round(time.monotonic() - started, 3))


def _one_arm(bench: Bench, settings: SlotFilesSettings, run: _Arm, older: Path | None) -> SlotFilesArm:
    again = _again(settings)
    with _server(bench, settings, run, "live") as server:
        first = server.complete(again, round_number=0)
        save = server.slot("save", slot=_SLOT, filename=_SAVED)
        live = [server.complete(again, round_number=0)]
    files = run.files(_SAVED)
    others = (_further(settings, first.ids), _branch(settings))
    for ask in others:
        with _server(bench, settings, run, f"live-{ask.request}") as server:
            server.complete(again, round_number=0)
            live.append(server.complete(ask, round_number=0))
    resumed: list[Answer] = []
    with _server(bench, settings, run, "resumed") as server:
        restore = server.slot("restore", slot=_SLOT, filename=_SAVED)
        save_again = server.slot("save", slot=_SLOT, filename=_SAVED_AGAIN)
        resumed.append(server.complete(again, round_number=0))
        for ask in others:
            server.slot("restore", slot=_SLOT, filename=_SAVED)
            resumed.append(server.complete(ask, round_number=0))
    refusals = tuple(_refusals(bench, settings, run, files)) if save.done else ()
    old, from_old = None, tuple[Answer, ...]()
    if older is not None:
        for path in older.glob(f"{_SAVED}*"):
            shutil.copy(path, run.folder / path.name.replace(_SAVED, _OLDER, 1))
        with _server(bench, settings, run, "older") as server:
            old = server.slot("restore", slot=_SLOT, filename=_OLDER)
            from_old = (server.complete(again, round_number=0),)
    return SlotFilesArm(
        arm=run.arm.name,
        save=save,
        files=files,
        restore=restore,
        saved_again=run.files(_SAVED_AGAIN) if save_again.done else (),
        live=tuple(live),
        resumed=tuple(resumed),
        refusals=refusals,
        older=old,
        from_older=from_old,
        marks=tuple(run.marks),
        loaded=tuple(run.loaded),
        command=server_options(settings.server),
        peak_kib=run.peak_kib,
    )


@contextmanager
def _server(bench: Bench, settings: SlotFilesSettings, run: _Arm, part: str) -> Iterator[RunningServer]:
    """One of the arm's servers; what it had loaded, its marks and its size are kept."""
    bench.stage.tell(f"arm `{run.arm.name}`, {part}")
    logs = Logs(out=bench.scratch / f"{part}-{run.arm.name}.out", err=bench.scratch / f"{part}-{run.arm.name}.err")
    with serve(
        arm=run.arm,
        engine=run.engine,
        model=bench.model_file(),
        settings=settings.server,
        logs=logs,
        home=bench.scratch,
        limits=bench.limits,
        options=("--slot-save-path", str(run.folder)),
    ) as server:
        loaded = loaded_files(
            server.process.pid, folder=run.engine.program().parent, build=run.engine.observation, system=bench.system
        )
        run.loaded.update(dict.fromkeys(loaded))
        yield server
        if server.process.poll() is not None:
            raise ended(run.arm.name, server.process, logs, "after its last answer")
        run.peak_kib = max(run.peak_kib, server.peak_kib())
    run.marks += count_marks(settings.marks, logs.lines(), run.servers)
    run.servers += 1


def _again(settings: SlotFilesSettings) -> Ask:
    """The prompt itself: a memory that cannot step back has gone past its end by then."""
    return _ask(settings, "again", settings.drawn.ids(0, settings.prompt))


def _further(settings: SlotFilesSettings, answer: tuple[int, ...]) -> Ask:
    """The conversation goes on: prompt, the answer to it, and something new."""
    prompt, fresh = settings.drawn.ids(0, settings.prompt), settings.drawn.ids(1, settings.fresh)
    return _ask(settings, "further", prompt + answer + fresh)


def _branch(settings: SlotFilesSettings) -> Ask:
    """Another conversation with the same beginning."""
    prompt, fresh = settings.drawn.ids(0, settings.prompt), settings.drawn.ids(2, settings.fresh)
    return _ask(settings, "branch", prompt[: settings.branch] + fresh)


def _ask(settings: SlotFilesSettings, request: str, prompt: tuple[int, ...]) -> Ask:
    return Ask(
        request=request,
        prompt=prompt,
        tokens=settings.generate,
        slot=_SLOT,
        probabilities=settings.probabilities,
        seed=settings.seed,
        streamed=False,
    )


def _refusals(bench: Bench, settings: SlotFilesSettings, run: _Arm, files: tuple[SlotFile, ...]) -> Iterator[Refusal]:
    for damage in settings.damages:
        for file in files:
            name = f"{damage}{file.suffix}"
            for each in files:
                shutil.copy(run.folder / f"{_SAVED}{each.suffix}", run.folder / f"{name}{each.suffix}")
            _spoil(run.folder / f"{name}{file.suffix}", damage)
            restore, after, broke = None, None, ""
            try:
                with _server(bench, settings, run, name) as server:
                    server.complete(_again(settings), round_number=0)
                    restore = server.slot("restore", slot=_SLOT, filename=name)
                    after = server.complete(_again(settings), round_number=0)
            except EnvironmentFault as fault:
                if fault.diagnostics[0].code != "server-died":
                    raise
                broke = fault.diagnostics[0].message
            yield Refusal(damage=damage, suffix=file.suffix, restore=restore, after=after, broke=broke)


def _spoil(path: Path, damage: Damage) -> None:
    data = path.read_bytes()
    match damage:
        case Damage.MISSING:
            path.unlink()
        case Damage.EMPTY:
            path.write_bytes(b"")
        case Damage.HALF:
            path.write_bytes(data[: len(data) // 2])
        case Damage.TAIL:
            path.write_bytes(data[:-1])
        case Damage.HEAD:
            path.write_bytes(bytes(byte ^ 0x55 for byte in data[:4]) + data[4:])
        case Damage.FOREIGN:
            path.write_bytes((b"no slot of anyone's " * (len(data) // 20 + 1))[: len(data)])
