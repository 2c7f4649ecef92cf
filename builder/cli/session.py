"""One run of a command: where it looks, where it writes, and how it ends.

Every command is a function from a `Session` to an `Answer`; `run` calls it, turns faults, interruption and our own
defects into diagnostics, prints the answer once (text or one JSON document) and gives the exit status. Results go to
stdout, everything else to stderr.
"""

import json
import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from builder.cli.located import with_full_paths
from verify.model.diagnostic import Diagnostic, EnvironmentFault, ExitCode, Fault, InputFault, Place
from verify.model.progress import Progress, Silent

if TYPE_CHECKING:
    from builder.pipeline import Workshop


_SPECIAL = ":\"'$;`\\"
"""What shells, CMake's lists or Ninja's rules read as more than a letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a command has to say: lines for people, a JSON value for programs, diagnostics, and the exit status."""

    text: str
    data: Mapping[str, object]
    diagnostics: tuple[Diagnostic, ...] = ()
    exit: ExitCode = ExitCode.HOLDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What every command is given: the project's root, the cache root, and where to tell progress."""

    root: Path
    cache: Path
    offline: bool
    progress: Progress

    def workshop(self) -> "Workshop":
        """What the pipeline's stages work with."""
        from builder.pipeline import Workshop

        return Workshop(root=self.root, cache=self.cache, offline=self.offline, progress=self.progress)


def cache_root() -> Path:
    """Where downloads, objects, builds and evidence are kept: `$STACKPROOF_CACHE`, else the user's cache folder."""
    named = os.environ.get("STACKPROOF_CACHE")
    if named:
        return _buildable(Path(named).absolute())
    import platformdirs

    return _buildable(Path(platformdirs.user_cache_dir("stackproof")))


def _buildable(cache: Path) -> Path:
    """Refuse a place in which no build tool could work, or upstream would be blamed for it."""
    met = sorted({letter for letter in str(cache.resolve()) if letter in _SPECIAL or not letter.isprintable()})
    if met:
        raise InputFault(
            Diagnostic(
                code="cache-path-special",
                message=f"the cache's path has a character that build tools take for their own: {met[0]!r}",
                place=Place(file=str(cache)),
                notes=(f"STACKPROOF_CACHE={os.environ.get('STACKPROOF_CACHE', '')}",),
                help='export STACKPROOF_CACHE="$HOME/.cache/stackproof"',
            )
        )
    if os.path.lexists(cache) and not cache.is_dir():
        raise InputFault(
            Diagnostic(
                code="cache-not-a-folder",
                message=f"the cache is no folder: {cache}",
                place=Place(file=str(cache)),
                notes=(f"STACKPROOF_CACHE={os.environ.get('STACKPROOF_CACHE', '')}",),
                help='export STACKPROOF_CACHE="$HOME/.cache/stackproof"',
            )
        )
    return cache


def open_session(*, root: Path, quiet: bool, offline: bool) -> Session:
    """Make the session of one command; `quiet` tells no progress. What a killed run left is settled first."""
    from builder.cli.killed_run import go_on_with_killed_run

    go_on_with_killed_run(root.absolute())
    progress: Progress
    if quiet:
        progress = Silent()
    else:
        from builder.cli.progress import TerminalProgress

        progress = TerminalProgress(sys.stderr)
    return Session(root=root.absolute(), cache=cache_root(), offline=offline, progress=progress)


def run(
    command: str, body: Callable[[Session], Answer], *, root: Path, as_json: bool, offline: bool = False
) -> NoReturn:
    """Run one command and leave the process with its exit status; being told to end is like Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    _have_streams()

    def whole() -> Answer:
        quiet = as_json and not sys.stderr.isatty()
        session = open_session(root=root, quiet=quiet, offline=offline)
        try:
            answer = body(session)
        except OSError as error:
            raise EnvironmentFault(_refused(error, session.cache)) from error
        return replace(answer, diagnostics=with_full_paths(answer.diagnostics, session.cache))

    raise Ended(int(_say(command, _answer(whole), as_json=as_json)))


class Ended(SystemExit):
    """A command came to its end and has said what it had to say."""


def say_usage() -> None:
    """The document of a command line that was not understood, for programs that read stdout alone."""
    usage = Diagnostic(
        code="usage",
        message="the command line is not understood; what is wrong with it is on stderr",
        help="stackproof --help",
    )
    _say("usage", Answer(text="", data={}, diagnostics=(usage,), exit=ExitCode.CANNOT_JUDGE), as_json=True)


def _have_streams() -> None:
    """Whoever closed stdout or stderr does not want to read them; what is said goes nowhere then."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for the life of the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _answer(body: Callable[[], Answer]) -> Answer:
    try:
        return body()
    except Fault as fault:
        return Answer(text="", data={}, diagnostics=fault.diagnostics, exit=ExitCode.CANNOT_JUDGE)
    except KeyboardInterrupt:
        return Answer(text="", data={}, diagnostics=(_interrupted(),), exit=ExitCode.CANNOT_JUDGE)
    except OSError as error:
        return Answer(text="", data={}, diagnostics=(_refused(error),), exit=ExitCode.CANNOT_JUDGE)
    except Exception:  # noqa: BLE001 - the last line of defence: no traceback reaches a user
        return Answer(text="", data={}, diagnostics=(_defect(),), exit=ExitCode.OUR_DEFECT)


def _say(command: str, answer: Answer, *, as_json: bool) -> ExitCode:
    from verify.report.json import diagnostic_json
    from verify.report.terminal import print_diagnostics

    # A reader that went away (`| head`) is no error of ours.
    try:
        if as_json:
            document = {
                "schema": f"stackproof/{command}/1",
                "exit": int(answer.exit),
                **answer.data,
                "diagnostics": [diagnostic_json(each) for each in answer.diagnostics],
            }
            print(json.dumps(document, indent=2, ensure_ascii=True), flush=True)
        elif answer.text:
            print(answer.text, flush=True)
    except BrokenPipeError:
        _drop_output()
    except OSError as error:
        _drop_output()
        print_diagnostics((*answer.diagnostics, _unsaid(error)), sys.stderr)
        return ExitCode.CANNOT_JUDGE
    if not as_json:
        print_diagnostics(answer.diagnostics, sys.stderr)
    return answer.exit


def _drop_output() -> None:
    """Let what is left in the buffer go nowhere, or leaving the process would try, and fail, once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unsaid(error: OSError) -> Diagnostic:
    return Diagnostic(
        code="output-refused",
        message=f"the result could not be written to stdout: {error.strerror or error}",
        help="run the same command again with its output going where there is room",
    )


def _interrupted() -> Diagnostic:
    return Diagnostic(
        code="interrupted",
        message="interrupted; nothing half-made was kept",
        notes=("what had been finished is remembered and is not done again",),
        help="run the same command again to go on",
    )


def _refused(error: OSError, cache: Path | None = None) -> Diagnostic:
    from builder.disk import nearly_full

    full = nearly_full([cache]) if cache is not None else None
    if full is not None:
        return replace(full, notes=(*full.notes, f"the system says: {error.strerror or error}"))
    name = error.filename2 or error.filename
    path = os.fsdecode(name) if isinstance(name, str | bytes) else ""
    where = () if path or cache is None else (f"no file was named; the cache is {cache}",)
    return Diagnostic(
        code="system-refused",
        message=f"the system refused: {error.strerror or error}" + (f": {path}" if path else ""),
        place=Place(file=path) if path else None,
        notes=where,
        help="put that right (space, permissions, a missing file), then run the same command again",
    )


def _defect() -> Diagnostic:
    handle, name = tempfile.mkstemp(prefix="stackproof-defect-", suffix=".txt")
    with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as report:
        report.write(f"arguments: {sys.argv!r}\npython: {sys.version}\n\n{traceback.format_exc()}")
    return Diagnostic(
        code="our-defect",
        message="stackproof itself failed; this is a defect of ours, not of your project",
        notes=(f"details were written to {name}",),
        help="send that file with your report",
    )
