"""Keeps what was built: every program and shared library, copied out of the lane under the build's key.

Takes a lane's build folder and gives `<cache>/builds/<digest>/` with `bin/`, `build.json` and what it was configured
with, complete or absent: it is filled beside its place and renamed. Before a stored build is used, every file's digest
is compared with the record; a damaged one counts as absent and is built again.
"""

import contextlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from builder.compile.anatomy import NAME, read_anatomy, render_anatomy
from builder.compile.configured import NAME as CONFIGURED
from builder.compile.configured import read_configured
from builder.compile.sources import remove_folder
from verify.model.codec import canonical_json, from_json, to_json
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import Key
from verify.model.ids import Sha256
from verify.model.observation import Artifact, BuildObservation
from verify.probe.engine import file_sha256

_SCHEMA = "stackproof/build/1"
_QUERY = Path(".cmake/api/v1/query/codemodel-v2")
_REPLY = Path(".cmake/api/v1/reply")
_WITHOUT_PRODUCT = ("UTILITY", "INTERFACE_LIBRARY")
_LINKED = ("EXECUTABLE", "SHARED_LIBRARY", "MODULE_LIBRARY")
_SETTLED_NS = 2_000_000_000
_DIGESTS: dict[tuple[Path, int, int, int, int, int], Sha256] = {}


def ask_for_targets(build: Path) -> None:
    """Let CMake write down what each target makes when it configures this folder."""
    (build / _QUERY).parent.mkdir(parents=True, exist_ok=True)
    (build / _QUERY).touch()


def built_files(build: Path) -> dict[str, Path]:
    """Name → file of every program and shared library that has been built, links to libraries included."""
    reply = build / _REPLY
    found: dict[str, Path] = {}
    for described in sorted(reply.glob("target-*.json")):
        target = json.loads(described.read_bytes())
        if target.get("type") not in _LINKED:
            continue
        for artifact in target.get("artifacts", ()):
            path = build / artifact["path"]
            # tools of the system that the build imports are targets, too
            if path.is_file() and path.resolve().is_relative_to(build.resolve()):
                for each in (path.resolve(), *_links_to(path)):
                    _add(found, each)
    return dict(sorted(found.items()))


def unmade(build: Path, targets: Iterable[str]) -> tuple[str, ...]:
    """What a build that says ok has not made: for each declared target, the first product that is not there.

    A target may have no product only where CMake says so (a utility, an interface). What CMake does not know by this
    name is a file of the build folder, or one of Ninja's own collections (`all`, `FOLDER/all`).
    """
    described = [json.loads(each.read_bytes()) for each in sorted((build / _REPLY).glob("target-*.json"))]
    return tuple(said for target in targets if (said := _unmade(build, target, described)))


def _unmade(build: Path, target: str, described: list[dict[str, Any]]) -> str:
    known = [each for each in described if target in (each.get("name"), each.get("nameOnDisk"))]
    if not known:
        is_there = target == "all" or target.endswith("/all") or (build / target).exists()
        return "" if is_there else f"target `{target}` has no product that CMake knows of"
    for each in known:
        products = [artifact["path"] for artifact in each.get("artifacts", ())]
        if not products and each.get("type") not in _WITHOUT_PRODUCT:
            return f"target `{target}` has no product that CMake knows of"
        for product in products:
            path = build / product
            if not path.is_file() or path.stat().st_size == 0:
                return f"target `{target}` was built and {product} is not there"
    return ""


def _add(found: dict[str, Path], path: Path) -> None:
    known = found.setdefault(path.name, path)
    if known.resolve() != path.resolve():
        raise EnvironmentFault(
            Diagnostic(
                code="build-name-clash",
                message=f"two built files are named `{path.name}`",
                notes=(str(known), str(path)),
                help="build them in two configurations, each with its own `targets` in release.json",
            )
        )


def _links_to(path: Path) -> list[Path]:
    """The names by which programs load a library: links beside it (`libx.so.0` → `libx.so.0.5.0`)."""
    real = path.resolve()
    return [entry for entry in path.parent.iterdir() if entry.is_symlink() and entry.resolve() == real]


def keep_build(*, build: Path, source: Path, folder: Path, key: Key, observation: BuildObservation) -> BuildObservation:
    """Copy what was built to `folder`; gives the observation with the artifacts. An older copy is replaced whole."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix=f".{folder.name[:16]}-", dir=folder.parent))
    try:
        part.chmod(0o755)
        kept = part / "bin"
        kept.mkdir()
        for name, path in built_files(build).items():
            if path.is_symlink():
                (kept / name).symlink_to(path.resolve().name)
            else:
                shutil.copy2(path, kept / name)
        whole = _with_artifacts(observation, kept)
        configured = canonical_json(to_json(read_configured(build=build, source=source)))
        (part / CONFIGURED).write_bytes(configured)
        body = {
            "schema": _SCHEMA,
            "key": to_json(key),
            "observation": to_json(whole),
            "configured": sha256(configured).hexdigest(),
        }
        (part / NAME).write_bytes(render_anatomy(read_anatomy(build=build, source=source)))
        (part / "build.json").write_bytes(canonical_json({**body, "sha256": _digest(body)}))
        _put(part, folder)
    finally:
        remove_folder(part)
    return whole


def _with_artifacts(observation: BuildObservation, kept: Path) -> BuildObservation:
    return replace(observation, artifacts=tuple(_artifacts(sorted(kept.iterdir()))))


def _artifacts(paths: Iterable[Path]) -> Iterable[Artifact]:
    for path in paths:
        if not path.is_symlink():
            state = path.stat()
            yield Artifact(name=path.name, sha256=_digest_of(path, state), size=state.st_size)


def _digest_of(path: Path, state: os.stat_result) -> Sha256:
    """A file's digest, asked of its bytes once a process for as long as the system knows of no change to it.

    A file that was changed a moment ago could be changed again within one tick of the file system's clock, so it is
    read each time, as git does with its index.
    """
    if time.time_ns() - max(state.st_ctime_ns, state.st_mtime_ns) < _SETTLED_NS:
        return file_sha256(path)
    seen = (path, state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
    if seen not in _DIGESTS:
        _DIGESTS[seen] = file_sha256(path)
    return _DIGESTS[seen]


def _put(part: Path, folder: Path) -> None:
    """Rename the finished copy into place; whatever is there steps aside first."""
    while True:
        try:
            part.rename(folder)
        except OSError:
            if not os.path.lexists(folder):
                raise
            aside = Path(tempfile.mkdtemp(prefix=f".{folder.name[:16]}-old-", dir=folder.parent))
            with contextlib.suppress(FileNotFoundError):
                folder.rename(aside / "old")
            remove_folder(aside)
        else:
            return


def _digest(body: dict[str, object]) -> str:
    return sha256(canonical_json(body)).hexdigest()


def damage_of(folder: Path, key: Key) -> str:
    """What is wrong with a stored build; empty where there is none, or a whole one."""
    if not folder.is_dir() or stored_build(folder, key) is not None:
        return ""
    try:
        value = json.loads((folder / "build.json").read_bytes())
        recorded = from_json(BuildObservation, value["observation"]).artifacts
        if "configured" not in value:
            return "it was kept without a description of its configuration"
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return "its record cannot be read"
    for artifact in recorded:
        path = folder / "bin" / artifact.name
        if not path.is_file():
            return f"bin/{artifact.name} is not there"
        if file_sha256(path) != artifact.sha256:
            return f"bin/{artifact.name} is not the file that was built"
    return "its record or its links are not as they were written"


def stored_build(folder: Path, key: Key) -> BuildObservation | None:
    """The observation of a stored build that is whole: every file as recorded, every link where it belongs."""
    try:
        value = json.loads((folder / "build.json").read_bytes())
        said = value.pop("sha256")
        if value["schema"] != _SCHEMA or value["key"] != to_json(key) or said != _digest(value):
            return None
        if file_sha256(folder / CONFIGURED) != value["configured"]:
            return None  # a build that was kept without it is made once more, with the same bytes
        observation = from_json(BuildObservation, value["observation"])
        entries = sorted((folder / "bin").iterdir())
        recorded = {artifact.name for artifact in observation.artifacts}
        links_hold = all(entry.resolve().parent == entry.parent.resolve() and entry.exists() for entry in entries)
        whole = links_hold and tuple(_artifacts(entries)) == observation.artifacts
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return observation if whole and recorded else None
