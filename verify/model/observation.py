"""What was observed of a build or a run: the typed content of evidence records."""

from dataclasses import dataclass

from verify.model.ids import Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerMessage:
    """One warning or error: the file as the tree names it, 1-based line, its text, the flag that asked for it."""

    file: str
    line: int
    text: str
    flag: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One built file: its name in the build's bin folder, its digest and size in bytes."""

    name: str
    sha256: Sha256
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildObservation:
    """How a build went.

    `steps` is how many steps the build tool ran, `compiled` how many objects were compiled and not taken from the
    compiler cache (`cache_hits`). Times are seconds of the whole process group, `peak_kib` its largest process.
    `log` names the whole log in the cache, `tail` holds its last lines when the build failed. `failed_step` is what
    was being built then, empty when it did not fail.
    """

    ok: bool
    failed_step: str
    errors: tuple[CompilerMessage, ...]
    warnings: tuple[CompilerMessage, ...]
    steps: int
    compiled: int
    cache_hits: int
    cpu_seconds: float
    wall_seconds: float
    peak_kib: int
    artifacts: tuple[Artifact, ...]
    log: str
    tail: tuple[str, ...]
