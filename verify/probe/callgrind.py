"""Callgrind: the tool that counts instructions, its command line, and what its files mean.

It runs a program on a processor that it emulates, so that a count does not depend on what else the machine does: two
runs of llama.cpp's bench differ by some ten instructions in ten millions. The emulated processor has AVX2 where the
real one has, and never AVX-512; code for that dies there (`program-failed`, SIGILL).

Parts of a run are told apart at functions: a file of counts is written, and the counts begin anew, whenever one of them
is entered. Each file says what made it be written.
"""

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.probe.llama_bench import Unreadable

_PATH = ("/usr/local/bin", "/usr/bin", "/bin")
_LIBRARIES = ("/usr/libexec/valgrind", "/usr/lib/valgrind", "/usr/local/libexec/valgrind")
_TRIGGER = re.compile(r"^desc: Trigger: (.*)$", re.M)
_SUMMARY = re.compile(r"^summary: (\d+)$", re.M)
_EVENTS = re.compile(r"^events: (.*)$", re.M)
_BEFORE = "--dump-before="
_OUT = "counts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """The tool: its program, what it says of itself, and the folders with what it brings into a process."""

    program: Path
    version: str
    folders: tuple[Path, ...]

    def about(self, flags: str) -> str:
        """Names the tool and the processor that it emulates here, given the real one's features."""
        return f"{self.version}, emulating {'AVX2' if 'avx2' in flags.split() else 'no AVX2'}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """One file of counts: the function at whose entry it was written (empty for the end), and the instructions."""

    before: str
    instructions: int


def find_counter() -> Counter:
    """The system's valgrind; raises where there is none or it does not answer."""
    # where `valgrind` is a script that sets variables first, the program itself lies beside it
    found = (Path(folder) / name for folder in _PATH for name in ("valgrind.bin", "valgrind"))
    program = next((path for path in found if path.is_file()), None)
    if program is None:
        raise EnvironmentFault(
            Diagnostic(
                code="valgrind-missing",
                message="instructions are counted by valgrind, which is not installed",
                notes=(f"looked in {', '.join(_PATH)}",),
                help="apt-get install valgrind",
            )
        )
    try:
        said = subprocess.run([program, "--version"], capture_output=True, text=True, timeout=30, check=True, env={})
    except (OSError, subprocess.SubprocessError) as error:
        raise EnvironmentFault(
            Diagnostic(
                code="valgrind-missing",
                message=f"valgrind does not answer: {error}",
                help="apt-get install --reinstall valgrind",
            )
        ) from error
    return Counter(
        program=program,
        version=said.stdout.strip(),
        folders=(program, program.resolve(), *(Path(folder) for folder in _LIBRARIES)),
    )


def processor_flags() -> str:
    """The real processor's features, as the system lists them; empty where it does not."""
    try:
        described = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return next((line.partition(":")[2] for line in described.splitlines() if line.startswith("flags")), "")


def count_command(counter: Counter, folder: Path, functions: Sequence[str]) -> tuple[str, ...]:
    """What stands before the program's own command line; files of counts go to `folder`."""
    return (
        str(counter.program),
        "--tool=callgrind",
        "--vgdb=no",
        f"--callgrind-out-file={folder / _OUT}",
        *(f"{_BEFORE}{function}" for function in functions),
    )


def read_counts(folder: Path) -> tuple[Counted, ...]:
    """The files of counts in the order of their making; `Unreadable` where there are none or one is not whole."""
    last = folder / _OUT
    numbered = sorted(
        (path for path in folder.glob(f"{_OUT}.*") if path.suffix[1:].isdigit()), key=lambda path: int(path.suffix[1:])
    )
    if not last.is_file():
        raise Unreadable("no counts were written")
    return tuple(read_count(path.read_text(encoding="utf-8", errors="replace")) for path in (*numbered, last))


def read_count(text: str) -> Counted:
    """One file of counts."""
    events, triggers, sums = (pattern.findall(text) for pattern in (_EVENTS, _TRIGGER, _SUMMARY))
    if events != ["Ir"] or len(triggers) != 1 or len(sums) != 1:
        raise Unreadable(f"a file of counts has events {events}, triggers {triggers}, sums {sums}")
    trigger = str(triggers[0]).strip()
    if not trigger.startswith(_BEFORE) and trigger != "Program termination":
        raise Unreadable(f"counts were written for an unknown reason: {trigger!r:.80}")
    return Counted(
        before=trigger.removeprefix(_BEFORE) if trigger.startswith(_BEFORE) else "", instructions=int(sums[0])
    )


def phases(
    counts: Sequence[Counted], *, loaded: str, begins: str, ends: str, tests: int
) -> tuple[int, tuple[int, ...]]:
    """The instructions until `loaded` was first entered, and those of each of the `tests` from `begins` to `ends`."""
    at = next((index for index, each in enumerate(counts) if each.before == loaded), None)
    if at is None:
        raise Unreadable(f"`{loaded}` was never entered, so nobody knows where loading ends")
    found = tuple(
        each.instructions for before, each in pairwise(counts) if (before.before, each.before) == (begins, ends)
    )
    if len(found) != tests:
        raise Unreadable(f"{len(found)} stretches from `{begins}` to `{ends}` were counted, {tests} tests were run")
    return sum(each.instructions for each in counts[: at + 1]), found
