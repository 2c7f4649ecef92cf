"""What a probe is given: built engines, model files, and how long anything may take."""

from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from verify.model.codec import canonical_json
from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place
from verify.model.evidence import Key
from verify.model.ids import ModelName, Sha256
from verify.model.observation import BuildObservation
from verify.sandbox.bounds import Bounds
from verify.sandbox.confined import most_memory

SERVER = "llama-server"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltEngine:
    """A build that can be run: its evidence key, its record, and the folder that holds `bin/`."""

    key: Key
    observation: BuildObservation
    folder: Path

    def program(self, name: str = SERVER) -> Path:
        """A program of the build."""
        return self.folder / "bin" / name


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """A model on disk and the SHA-256 that its pin promises."""

    name: ModelName
    path: Path
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Bindings:
    """How a library is called: an adapter's file, the folder it takes its bindings from, and the digest of both.

    `verify/probe/bindings/library.py` says what an adapter must do.
    """

    adapter: Path
    folder: Path
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What the engine may take, in seconds and bytes (`log_bytes` of any file that it writes); then it is ended."""

    start_seconds: float = 120.0
    answer_seconds: float = 600.0
    stop_seconds: float = 10.0
    whole_seconds: float = 4 * 3600.0
    log_bytes: int = 256 * 1024 * 1024
    memory_bytes: int = field(default_factory=most_memory)

    def bounds(self, *, file_bytes: int | None = None) -> Bounds:
        """The bounds of one process of the engine, and all that it starts."""
        return Bounds(
            seconds=self.whole_seconds,
            memory_bytes=self.memory_bytes,
            file_bytes=self.log_bytes if file_bytes is None else file_bytes,
        )


def build_identity(key: Key, observation: BuildObservation) -> Sha256:
    """Names what was built: the key it was built for, and every program and library that came of it."""
    artifacts = [[artifact.name, artifact.sha256] for artifact in observation.artifacts]
    return Sha256(sha256(canonical_json({"key": key.digest, "artifacts": artifacts})).hexdigest())


def check_model(model: ModelFile) -> None:
    """Raise unless the model file is there and is the pinned one."""
    try:
        met = file_sha256(model.path)
    except OSError as error:
        raise EnvironmentFault(
            Diagnostic(
                code="model-missing",
                message=f"the file of model `{model.name}` cannot be read: {error.strerror}",
                place=Place(file=str(model.path)),
                help="run the command again without --offline; the model is fetched or made anew",
            )
        ) from error
    if met != model.sha256:
        raise EnvironmentFault(
            Diagnostic(
                code="model-damaged",
                message=f"the file of model `{model.name}` is not the pinned one",
                place=Place(file=str(model.path)),
                notes=(f"met: SHA-256 {met}", f"pinned: SHA-256 {model.sha256}"),
                help=f"rm {model.path}",
            )
        )


def check_program(engine: BuiltEngine, name: str = SERVER) -> Path:
    """The program's path; raises where the build has none of that name."""
    path = engine.program(name)
    if not path.is_file():
        raise EnvironmentFault(
            Diagnostic(
                code="program-missing",
                message=f"the build has no program `{name}`",
                place=Place(file=str(path)),
                help=f"add `{name}` to the configuration's `targets` in release.json",
            )
        )
    return path


def check_system() -> None:
    """Raise where the system cannot tell what a process has loaded and which port it listens on."""
    if not Path("/proc/self/maps").exists():
        raise EnvironmentFault(
            Diagnostic(
                code="system-unsupported",
                message="engines are run only where /proc tells what a process has loaded, which this system does not",
                help="run this command on Linux; `stackproof check` works here",
            )
        )


def file_sha256(path: Path) -> Sha256:
    """The digest of a file's bytes."""
    digest = sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return Sha256(digest.hexdigest())
