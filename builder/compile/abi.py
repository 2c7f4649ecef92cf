"""Binary interfaces of two builds, compared by libabigail's abidiff.

Takes two kept `bin` folders and gives what differs, library by library. Without debug information abidiff compares the
symbols that libraries export; with it also types. Where the tool is missing nothing is compared and nothing is said.
"""

import os
import shutil
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.observation import AbiObservation, LibraryChange

_ERROR, _USAGE, _CHANGED, _INCOMPATIBLE = 1, 2, 4, 8  # bits of its exit status
_SECONDS = 600
_LINES = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Abidiff:
    """The tool and what it says of itself."""

    program: str
    version: str


def find_abidiff(environ: Mapping[str, str] | None = None) -> Abidiff:
    """Find the tool; raises `EnvironmentFault` that names the package."""
    path = (os.environ if environ is None else environ).get("PATH", os.defpath)
    program = shutil.which("abidiff", path=path)
    if program is None:
        raise EnvironmentFault(
            Diagnostic(
                code="abidiff-missing",
                message="libabigail's `abidiff` is not installed, so binary interfaces are not compared",
                notes=(f"searched: {path}", "Fedora: dnf install libabigail"),
                help="apt-get install abigail-tools",
            )
        )
    said = subprocess.run([program, "--version"], capture_output=True, check=False, env=_clean(), timeout=_SECONDS)
    return Abidiff(program=program, version=said.stdout.decode(errors="replace").strip())


def compare_abi(tool: Abidiff, below: Path, build: Path) -> AbiObservation:
    """Every shared library of the two folders, by its versioned name."""
    began = time.monotonic()
    lower, upper = _libraries(below), _libraries(build)
    changes = []
    for name in sorted(lower.keys() | upper.keys()):
        if name not in lower or name not in upper:
            gone = name in lower
            report = "it is not built any more" if gone else "it is new"
            changes.append(LibraryChange(library=name, changed=True, incompatible=gone, report=(report,)))
        else:
            changes.append(_compare(tool, name, lower[name], upper[name]))
    return AbiObservation(tool=tool.version, libraries=tuple(changes), seconds=round(time.monotonic() - began, 3))


def _compare(tool: Abidiff, name: str, below: Path, build: Path) -> LibraryChange:
    if below.read_bytes() == build.read_bytes():
        return LibraryChange(library=name, changed=False, incompatible=False, report=())
    ended = subprocess.run(
        [tool.program, str(below), str(build)], capture_output=True, check=False, env=_clean(), timeout=_SECONDS
    )
    if ended.returncode < 0 or ended.returncode & (_ERROR | _USAGE):
        raise EnvironmentFault(
            Diagnostic(
                code="abidiff-failed",
                message=f"abidiff could not compare `{name}`: exit status {ended.returncode}",
                notes=tuple(ended.stderr.decode(errors="replace").strip().split("\n")[-5:]),
                help=f"abidiff {below} {build}",
            )
        )
    lines = [line.rstrip() for line in ended.stdout.decode(errors="replace").split("\n") if line.strip()]
    return LibraryChange(
        library=name,
        changed=bool(ended.returncode & _CHANGED),
        incompatible=bool(ended.returncode & _INCOMPATIBLE) or any("Removed" in line and _some(line) for line in lines),
        report=tuple(lines[:_LINES]),
    )


def _some(summary: str) -> bool:
    """Whether a summary line counts any removed symbol: `Functions changes summary: 1 Removed, 0 Changed, …`."""
    before = summary.split("Removed")[0].split()
    return bool(before) and before[-1].isdigit() and before[-1] != "0"


def _libraries(folder: Path) -> dict[str, Path]:
    """Shared libraries by their names without a version, so that a new version is compared with the old one."""
    found = {}
    for path in sorted(folder.iterdir()):
        if not path.is_symlink() and ".so" in path.name:
            found[path.name.split(".so")[0] + ".so"] = path
    return found


def _clean() -> dict[str, str]:
    return {"PATH": os.defpath, "LC_ALL": "C", "HOME": "/nonexistent"}
