"""What a build is made of: its objects with size, digest and compile time, and what its libraries export.

Objects are read in the lane right after a build and kept beside what was built; exported symbols are read from the
kept files by the compiler's `nm`. Neither is part of the build's observation: they explain it.
"""

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verify.model.codec import CodecError, canonical_json, from_json, to_json
from verify.model.ids import Sha256
from verify.probe.engine import file_sha256

NAME = "anatomy.json"
_MISSING = (OSError, ValueError, KeyError, CodecError)


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectFile:
    """One object: its name in the build, the source as the tree names it, and what the compiler took for it.

    `seconds` are on the clock; next to nothing where the object came from the compiler cache.
    """

    name: str
    source: str
    sha256: Sha256
    size: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Anatomy:
    """Every object of a build, by name."""

    objects: tuple[ObjectFile, ...]


def read_anatomy(*, build: Path, source: Path) -> Anatomy:
    """The objects of a build folder; empty where the build tool wrote none down."""
    try:
        commands = json.loads((build / "compile_commands.json").read_bytes())
    except (OSError, ValueError):
        return Anatomy(objects=())
    seconds = _seconds(build / ".ninja_log")
    found: dict[str, ObjectFile] = {}
    for command in commands:
        path = build / command.get("output", "")
        if not path.is_file() or not path.is_relative_to(build):
            continue  # of a target that was not asked for
        name = path.relative_to(build).as_posix()
        file = Path(command["file"])
        found[name] = ObjectFile(
            name=name,
            source=file.relative_to(source).as_posix() if file.is_relative_to(source) else file.name,
            sha256=file_sha256(path),
            size=path.stat().st_size,
            seconds=seconds.get(name, 0.0),
        )
    return Anatomy(objects=tuple(found[name] for name in sorted(found)))


def _seconds(log: Path) -> dict[str, float]:
    """Output → seconds, of Ninja's own log (start, end, time stamp, output, hash; times in ms)."""
    found: dict[str, float] = {}
    try:
        lines = log.read_text(errors="replace").split("\n")
    except OSError:
        return found
    for line in lines:
        fields = line.split("\t")
        if len(fields) == 5 and fields[0].isdigit() and fields[1].isdigit():
            found[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    return found


def render_anatomy(anatomy: Anatomy) -> bytes:
    """Its bytes, as kept beside a build."""
    return canonical_json(to_json(anatomy))


def kept_anatomy(folder: Path) -> Anatomy | None:
    """What was kept beside a build; None of a build that has none or a damaged one."""
    try:
        return from_json(Anatomy, json.loads((folder / NAME).read_bytes()))
    except _MISSING:
        return None


def exports(folder: Path, environ: Mapping[str, str]) -> dict[str, tuple[str, ...]] | None:
    """Library without version → the symbols that it exports, of a kept build; None without an `nm`."""
    nm = shutil.which("nm", path=environ.get("PATH"))
    if nm is None:
        return None
    found: dict[str, tuple[str, ...]] = {}
    for path in sorted((folder / "bin").iterdir()):
        if path.is_symlink() or ".so" not in path.name:
            continue
        ended = subprocess.run(
            [nm, "-D", "--defined-only", "--format=posix", str(path)],
            env={"PATH": environ.get("PATH", ""), "LC_ALL": "C"},
            capture_output=True,
            check=False,
        )
        lines = ended.stdout.decode(errors="replace").split("\n")
        found[path.name.split(".so")[0] + ".so"] = tuple(sorted({line.split(" ")[0] for line in lines if line}))
    return found
