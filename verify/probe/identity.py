"""What a running process really is: every program and library it has loaded, by SHA-256, matched to its build.

A library path, a stale copy beside the program or a preload can put another engine under a measurement without a
word. So the loaded files are read from the process itself, the build's own must be those of its record, and any other
must be one of the system's.
"""

from collections.abc import Iterable
from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place
from verify.model.observation import BuildObservation, LoadedFile
from verify.probe.engine import file_sha256

SYSTEM_FOLDERS = (
    Path("/lib"),
    Path("/lib32"),
    Path("/lib64"),
    Path("/usr/lib"),
    Path("/usr/lib32"),
    Path("/usr/lib64"),
)


def mapped_programs(pid: int) -> tuple[Path, ...]:
    """Every file that the process has mapped for execution, in order of its path."""
    paths: set[str] = set()
    for line in Path(f"/proc/{pid}/maps").read_text(encoding="utf-8", errors="surrogateescape").splitlines():
        parts = line.split(maxsplit=5)
        if len(parts) == 6 and "x" in parts[1] and parts[5].startswith("/"):
            paths.add(parts[5])
    return tuple(Path(path) for path in sorted(paths))


def loaded_files(
    pid: int, *, folder: Path, build: BuildObservation, system: tuple[Path, ...] = SYSTEM_FOLDERS
) -> tuple[LoadedFile, ...]:
    """The loaded files of a process that runs a program from `folder`; raises where one is not its build's."""
    return identified(mapped_programs(pid), folder=folder, build=build, system=system)


def identified(
    paths: Iterable[Path], *, folder: Path, build: BuildObservation, system: tuple[Path, ...] = SYSTEM_FOLDERS
) -> tuple[LoadedFile, ...]:
    """Files that a process had loaded, each as its build's or the system's; raises where one is neither."""
    recorded = {artifact.name: artifact.sha256 for artifact in build.artifacts}
    home = folder.resolve()
    loaded: list[LoadedFile] = []
    for path in paths:
        try:
            digest = file_sha256(path)
        except OSError as error:
            raise _foreign(path, f"it is loaded and can no longer be read ({error.strerror})") from error
        built = path.parent == home
        if built and recorded.get(path.name) != digest:
            said = recorded.get(path.name)
            raise _foreign(path, "it is not the file that the build recorded", f"SHA-256 {digest}", f"recorded: {said}")
        if not built and path.name.split(".so")[0] in {name.split(".so")[0] for name in recorded}:
            raise _foreign(path, f"it has the name of a built file and is not from {home}")
        if not built and not any(path.is_relative_to(each) for each in system):
            raise _foreign(path, "it is neither the build's nor the system's", f"build: {home}")
        loaded.append(LoadedFile(name=path.name if built else str(path), sha256=digest, built=built))
    if not any(file.built for file in loaded):
        raise _foreign(home, "the process has loaded nothing from this build")
    return tuple(loaded)


def _foreign(path: Path, why: str, *notes: str) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="foreign-library",
            message=f"what runs is not what was built: {path.name}: {why}",
            place=Place(file=str(path)),
            notes=notes,
            help="stackproof build --fresh",
        )
    )
