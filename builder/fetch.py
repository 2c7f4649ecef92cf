"""Downloads from the package index, by name, version and sha256, through the user's own pip and its configuration.

A download counts when its bytes have the pinned digest: it is made in a scratch folder, hashed here and moved to
`downloads/SHA256/NAME` in one step. A file that is there is hashed again before each use.

pip runs a source distribution's build backend to ask for metadata, even to download it; that takes build requirements
from the index and runs a stranger's code. Here the backend is answered by a few lines of our own instead (see
`_STAND_IN`): what was downloaded is only ever read.
"""

import contextlib
import hashlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from builder.scratch import scratch
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import Sha256
from verify.model.progress import Progress, Stage

_TAIL = 8
_POLL_SECONDS = 0.2
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*")
_GOT = re.compile(r"Got\s+([0-9a-f]{64})")

# Found by Python at start-up through PYTHONPATH. In the process that pip starts to ask a build backend, the import of
# that backend gives this one, which knows just the name and version that were asked for.
_STAND_IN = """
import os, sys, types
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec

asked = [value.partition(":") for key, value in os.environ.items() if key.endswith("_BUILD_BACKEND")]
for key in [key for key in os.environ if key.endswith("_BACKEND_PATH")]:
    del os.environ[key]


def prepare_metadata_for_build_wheel(folder, config_settings=None):
    name, version = os.environ["STACKPROOF_NAME"], os.environ["STACKPROOF_VERSION"]
    made = f"{name.replace('-', '_')}-{version}.dist-info"
    os.mkdir(os.path.join(folder, made))
    with open(os.path.join(folder, made, "METADATA"), "w", encoding="utf-8") as out:
        out.write(f"Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n")
    return made


class StandIn(MetaPathFinder, Loader):
    def find_spec(self, fullname, path=None, target=None):
        ours = any(name == fullname or name.startswith(fullname + ".") for name, _, _ in asked)
        return ModuleSpec(fullname, self, is_package=True) if ours else None

    def exec_module(self, module):
        module.get_requires_for_build_wheel = lambda config_settings=None: []
        module.prepare_metadata_for_build_wheel = prepare_metadata_for_build_wheel
        for part in [part for _, _, inner in asked for part in inner.split(".") if part]:
            setattr(module, part, module)


if asked:
    sys.meta_path.insert(0, StandIn())

# The user's own start-up module, which this one hides, may set what pip needs.
here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [place for place in sys.path if os.path.abspath(place or ".") != here]
theirs = PathFinder.find_spec("sitecustomize")
if theirs is not None and theirs.loader is not None:
    theirs.loader.exec_module(importlib.util.module_from_spec(theirs))
"""


class Kind(StrEnum):
    """What is downloaded."""

    SDIST = "sdist"
    WHEEL = "wheel"


def fetch(
    *, package: str, version: str, sha256: Sha256, kind: Kind, cache: Path, offline: bool, progress: Progress
) -> Path:
    """The file of a package with this digest, downloaded unless it is in the cache."""
    folder = cache / "downloads" / sha256
    wanted = f"{package} {version}"
    found, damaged = _cached(folder, sha256)
    if found is not None:
        return found
    if offline:
        notes = [f"its sha256 is {sha256}", f"looked for in {folder}"]
        if damaged is not None:
            notes.append(f"{damaged.name} is there but has other content")
        raise EnvironmentFault(
            Diagnostic(
                code="offline-not-cached",
                message=f"the {kind} {wanted} is not in the cache, and nothing may be downloaded",
                notes=tuple(notes),
                help="run the same command once without --offline",
            )
        )
    _refuse_bad_names(package, version)
    return _download(package, version, sha256, kind, cache, progress)


def find(
    *, package: str, version: str, kind: Kind, cache: Path, offline: bool, progress: Progress
) -> tuple[Path, Sha256]:
    """The file of a package whose digest nobody has stated yet, and that digest: what a pin is made of.

    A file of that name and version that was downloaded before is taken; it is the caller's to tell what was found.
    """
    known = _cached_by_name(cache / "downloads", package, version, kind)
    if known is not None:
        return known
    if offline:
        raise EnvironmentFault(
            Diagnostic(
                code="offline-not-cached",
                message=f"the {kind} {package} {version} is not in the cache, and nothing may be downloaded",
                notes=(f"looked for in {cache / 'downloads'}",),
                help="run the same command once without --offline",
            )
        )
    _refuse_bad_names(package, version)
    got = _download(package, version, None, kind, cache, progress)
    return got, Sha256(got.parent.name)


def _download(package: str, version: str, sha256: Sha256 | None, kind: Kind, cache: Path, progress: Progress) -> Path:
    wanted = f"{package} {version}"
    (cache / "downloads").mkdir(parents=True, exist_ok=True)
    with progress.stage(f"download {wanted}") as stage, scratch(cache / "downloads", ".fetch-") as work:
        _run_pip(package, version, sha256, kind, work, stage)
        got = _only_file(work / "files", wanted)
        actual = digest_of(got)
        if sha256 is not None and actual != sha256:
            raise _differs(wanted, sha256, actual)
        stage.outcome(f"{got.stat().st_size / 1e6:.1f} MB")
        return _keep(got, cache / "downloads" / actual)


def _cached_by_name(downloads: Path, package: str, version: str, kind: Kind) -> tuple[Path, Sha256] | None:
    """The one download of that name and version that is whole."""
    stem = re.sub(r"[-_.]+", "_", package).lower() + "-" + version.lower()
    found = []
    for folder in sorted(downloads.iterdir()) if downloads.is_dir() else ():
        for file in sorted(folder.iterdir()) if folder.is_dir() and not folder.name.startswith(".") else ():
            name = re.sub(r"[-_.]+", "_", file.name.rpartition(f"-{version}")[0]).lower() + "-" + version.lower()
            is_kind = (kind is Kind.SDIST) == (file.name.endswith((".tar.gz", ".zip")))
            if name == stem and is_kind and digest_of(file) == folder.name:
                found.append((file, Sha256(folder.name)))
    return found[0] if len(found) == 1 else None


def _refuse_bad_names(package: str, version: str) -> None:
    if _NAME.fullmatch(package) is None or _VERSION.fullmatch(version) is None:
        raise InputFault(
            Diagnostic(
                code="download-failed",
                message=f"`{package}` at `{version}` is not a package name and version",
                help="correct the name and version of the package where it is pinned",
            )
        )


def digest_of(file: Path) -> Sha256:
    """The SHA-256 of a file."""
    with file.open("rb") as data:
        return Sha256(hashlib.file_digest(data, "sha256").hexdigest())


def _cached(folder: Path, sha256: Sha256) -> tuple[Path | None, Path | None]:
    """The good file in a download folder, or else one with other content."""
    damaged = None
    for file in sorted(folder.iterdir()) if folder.is_dir() else ():
        if file.is_file() and not file.name.startswith("."):
            if digest_of(file) == sha256:
                return file, None
            damaged = file
    return None, damaged


def _run_pip(package: str, version: str, sha256: Sha256 | None, kind: Kind, work: Path, stage: Stage) -> None:
    for name in ("files", "tmp", "site"):
        (work / name).mkdir()
    pinned = f" --hash=sha256:{sha256}" if sha256 is not None else ""
    (work / "pin.txt").write_text(f"{package}=={version}{pinned}\n", "utf-8")
    (work / "site/sitecustomize.py").write_text(_STAND_IN, "utf-8")
    form = ["--no-binary", package] if kind is Kind.SDIST else ["--only-binary", ":all:"]
    options = ["--no-deps", "--no-input", "--progress-bar=off", "--no-build-isolation"]
    options += ["--require-hashes"] if sha256 is not None else []
    places = ["--dest", str(work / "files"), "--requirement", str(work / "pin.txt")]
    command = [sys.executable, "-m", "pip", "download", *options, "--use-pep517", *form, *places]
    log = work / "pip.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            command,
            cwd=work,
            env=_environment(os.environ, package, version, work),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _watch(process, work, stage)
        finally:
            _end(process)
    if process.returncode != 0:
        raise _failed(log.read_text("utf-8", "replace"), f"{package} {version}", sha256, kind)


def _environment(base: Mapping[str, str], package: str, version: str, work: Path) -> dict[str, str]:
    env = {key: value for key, value in base.items() if not key.startswith("PYTHON")}
    return env | {
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": str(work / "site"),
        "STACKPROOF_NAME": package,
        "STACKPROOF_VERSION": version,
        "TMPDIR": str(work / "tmp"),
    }


def _watch(process: "subprocess.Popen[bytes]", work: Path, stage: Stage) -> None:
    """Tell how much has come until pip ends."""
    while True:
        try:
            process.wait(_POLL_SECONDS)
            return
        except subprocess.TimeoutExpired:
            stage.tell(f"{_largest(work / 'tmp') / 1e6:.1f} MB so far")


def _largest(folder: Path) -> int:
    size = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                size = max(size, (Path(place) / name).lstat().st_size)
        if size > 1 << 16:
            break
    return size


def _end(process: "subprocess.Popen[bytes]") -> None:
    """Leave nothing behind: pip's children go with it."""
    for grace in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, grace)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(5)


def _failed(output: str, wanted: str, sha256: Sha256 | None, kind: Kind) -> InputFault | EnvironmentFault:
    lines = [line.rstrip() for line in output.splitlines() if line.strip()]
    got = _GOT.search(output)
    if got is not None and sha256 is not None and "HASH" in output.upper():
        return _differs(wanted, sha256, got.group(1))
    if "No module named pip" in output:
        return EnvironmentFault(
            Diagnostic(
                code="pip-missing",
                message=f"{sys.executable} has no pip, so {wanted} cannot be downloaded",
                help=f"{sys.executable} -m ensurepip --upgrade",
            )
        )
    if "No space left on device" in output:
        return EnvironmentFault(
            Diagnostic(
                code="no-space",
                message=f"no space is left for the download of {wanted}",
                notes=tuple(lines[-1:]),
                help="df -h",
            )
        )
    return EnvironmentFault(
        Diagnostic(
            code="download-failed",
            message=f"pip could not download the {kind} {wanted}",
            notes=("its last lines:", *lines[-_TAIL:]),
            help=f"{sys.executable} -m pip download --no-deps {wanted.replace(' ', '==')}",
        )
    )


def _differs(wanted: str, expected: str, met: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="sha256-differs",
            message=f"the download of {wanted} is not the pinned file",
            notes=(f"expected sha256 {expected}", f"met sha256      {met}"),
            help="compare both with the project's own announcement before you change the pin",
        )
    )


def _only_file(folder: Path, wanted: str) -> Path:
    files = [file for file in folder.iterdir() if file.is_file() and not file.is_symlink()]
    if len(files) != 1:
        raise EnvironmentFault(
            Diagnostic(
                code="download-failed",
                message=f"pip ended without one file for {wanted}",
                notes=(f"it left {len(files)} files",),
                help=f"{sys.executable} -m pip download --no-deps {wanted.replace(' ', '==')}",
            )
        )
    return files[0]


def _keep(got: Path, folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    with got.open("rb") as data:
        os.fsync(data.fileno())
    got.chmod(0o644)
    target = folder / got.name
    got.replace(target)
    for other in folder.iterdir():
        if other != target:
            with contextlib.suppress(OSError):
                other.unlink()
    return target
