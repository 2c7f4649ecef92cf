"""The binaries of a configuration: what was built of the tip, tried once as a stranger would have it.

Takes the folder of the kept build and what release.json says of it. What is packed is what the build's record lists;
before anything is sealed the archive is unpacked somewhere else and its programs are run there with nothing set.
"""

import shlex
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from builder.seal.archive import unpack_to
from verify.bundle.builds import given_away
from verify.bundle.tarball import Entry
from verify.model.artifact import BinariesDecl
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault, Place
from verify.model.ids import RepoPath
from verify.model.patch import Mode

_SECONDS = 60
_ELF = b"\x7fELF"


def binary_entries(folder: Path, declared: BinariesDecl) -> tuple[Entry, ...]:
    """The programs and libraries of a kept build in `bin/`, and the links that name them."""
    found: list[Entry] = []
    for path in sorted((folder / "bin").iterdir()):
        if given_away(path.name, declared):
            where = RepoPath(b"bin/" + path.name.encode())
            if not path.is_symlink():
                found.append(Entry(path=where, mode=Mode.EXECUTABLE, data=path.read_bytes()))
            elif given_away(path.resolve().name, declared):
                found.append(Entry(path=where, mode=Mode.SYMLINK, data=path.readlink().name.encode()))
    return tuple(found)


def try_binaries(archive: bytes, declared: BinariesDecl, *, top: str, seconds: int) -> None:
    """Unpack the archive elsewhere, see that nothing of it is missing, and run what release.json asks for."""
    with tempfile.TemporaryDirectory(prefix="stackproof-smoke-") as scratch:
        unpack_to(archive, Path(scratch), seconds=seconds)
        folder = Path(scratch) / top
        for path in sorted((folder / "bin").iterdir()):
            if not path.is_symlink() and path.read_bytes()[:4] == _ELF:
                _refuse_missing(path, declared)
        for line in declared.smoke:
            _run(folder / "bin", shlex.split(line), line, declared)


def libraries_of(program: Path) -> dict[str, Path | None]:
    """What the system's loader would load for it, by the name that is asked for; None for what it does not find."""
    said = subprocess.run(
        ["ldd", str(program)], env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, capture_output=True, check=False
    ).stdout.decode("utf-8", "replace")
    found: dict[str, Path | None] = {}
    for line in said.splitlines():
        words = line.split()
        match words:
            case [name, "=>", "not", "found", *_]:
                found[name] = None
            case [name, "=>", path, *_] if path.startswith("/"):
                found[name] = Path(path)
            case [path, address] if path.startswith("/") and address.startswith("("):
                found[path] = Path(path)
            case _:
                continue
    return found


def _refuse_missing(path: Path, declared: BinariesDecl) -> None:
    missing = sorted(name for name, where in libraries_of(path).items() if where is None)
    if missing:
        raise InputFault(
            Diagnostic(
                code="binaries-incomplete",
                message=f"{path.name} of the binaries of `{declared.configuration}` needs what is not packed",
                place=Place(file="release.json"),
                notes=tuple(f"not found: {name}" for name in missing),
                help=f"leave fewer names out in `without` of `{declared.configuration}`, or build what is missing",
            )
        )


def _run(folder: Path, words: Sequence[str], line: str, declared: BinariesDecl) -> None:
    program = folder / words[0]
    if program.parent != folder or not program.is_file():
        raise _smoke(line, declared, f"there is no program `{words[0]}` in the archive")
    with tempfile.TemporaryDirectory(prefix="stackproof-empty-") as empty:
        try:
            done = subprocess.run(
                [str(program), *words[1:]],
                cwd=empty,
                env={},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=_SECONDS,
                check=False,
            )
        except subprocess.TimeoutExpired as error:
            raise _smoke(line, declared, f"it did not end within {_SECONDS} seconds") from error
        except OSError as error:
            raise EnvironmentFault(
                Diagnostic(
                    code="smoke-not-run",
                    message=f"`{line}` could not be started: {error.strerror}",
                    notes=("binaries are tried on the machine that packs them",),
                    help="seal on a machine that can run what was built",
                )
            ) from error
    if done.returncode != 0:
        last = done.stdout.decode("utf-8", "replace").strip().splitlines()[-3:]
        raise _smoke(line, declared, f"it ended with {done.returncode}", *last)


def _smoke(line: str, declared: BinariesDecl, *notes: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="smoke-failed",
            message=f"`{line}` does not run from the unpacked binaries of `{declared.configuration}`",
            place=Place(file="release.json"),
            notes=notes,
            help=f"correct `smoke` of `{declared.configuration}` in release.json, or what it starts",
        )
    )
