"""The system's part of an image: the libraries that the engine loads, with the licences of the packages they are from.

Takes built programs and gives files for the image's root. Everything else of a system stays out: no shell, no package
manager, no user. Packages are those of Debian and its relatives, since an image without licences must not be made.
"""

import re
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from builder.seal.binaries import libraries_of
from verify.bundle.tarball import Entry
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import RepoPath, Sha256
from verify.model.patch import Mode

_COMMON = re.compile(rb"/usr/share/common-licenses/([A-Za-z0-9.+-]*[A-Za-z0-9])")


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemFile:
    """A library of the system: where it is asked for, the package it is from, and its digest."""

    path: str
    package: str
    version: str
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """The files of the layer, and what the libraries among them are."""

    entries: tuple[Entry, ...]
    files: tuple[SystemFile, ...]


def system_of(folder: Path) -> System:
    """What the programs and libraries in `folder` load from outside of it."""
    wanted: set[Path] = set()
    for path in sorted(folder.iterdir()):
        if not path.is_symlink():
            wanted |= {each for each in libraries_of(path).values() if each is not None}
    outside = sorted(each for each in wanted if folder.resolve() not in each.resolve().parents)
    entries: dict[RepoPath, Entry] = {}
    files = []
    for library in outside:
        package, version = _package_of(library)
        entry = _entry(library, library, Mode.EXECUTABLE)
        entries[entry.path] = entry
        files.append(SystemFile(path=str(library), package=package, version=version, sha256=Sha256(entry.sha256())))
    for licence in _licences({each.package for each in files}):
        entries[licence.path] = licence
    return System(entries=tuple(entries.values()), files=tuple(files))


def _entry(where: Path, source: Path, mode: Mode) -> Entry:
    return Entry(path=RepoPath(str(where).strip("/").encode()), mode=mode, data=source.resolve().read_bytes())


def _licences(packages: Iterable[str]) -> list[Entry]:
    found = []
    common: set[bytes] = set()
    for package in sorted(packages):
        path = Path("/usr/share/doc") / package.partition(":")[0] / "copyright"
        if not path.is_file():
            raise _no_licence(f"package {package} has no {path}")
        entry = _entry(path, path, Mode.FILE)
        found.append(entry)
        common |= set(_COMMON.findall(entry.data))
    for name in sorted(common):
        path = Path("/usr/share/common-licenses") / name.decode()
        if path.is_file():
            found.append(_entry(path, path, Mode.FILE))
    return found


def _package_of(library: Path) -> tuple[str, str]:
    """The package that a library is from, and its version."""
    names = {library, library.resolve(), Path("/usr") / str(library).lstrip("/")}
    names |= {Path("/") / each.relative_to("/usr") for each in names if each.is_relative_to("/usr")}
    for name in sorted(names):
        said = _ask("dpkg-query", "-S", str(name))
        if said:
            package = said.splitlines()[0].rpartition(": ")[0].split(",")[0]
            version = _ask("dpkg-query", "-W", "-f", "${Version}", package)
            return package, version
    raise _no_licence(f"{library} belongs to no package that dpkg knows")


def _ask(*command: str) -> str:
    try:
        done = subprocess.run(command, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C"}, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise _no_licence("dpkg-query is not installed") from error
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _no_licence(why: str) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="system-licence-unknown",
            message="the image would hold a library of the system whose licence is not known",
            notes=(why, "licences are those that Debian's packages install"),
            help="seal on Debian or Ubuntu, or leave `image` out of `artifacts` in release.json",
        )
    )
