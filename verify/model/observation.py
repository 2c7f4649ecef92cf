"""What was observed of a build or a run: the typed content of evidence records, and its JSON form."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from verify.model.codec import from_json, to_json
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


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFile:
    """A program or library that the measured process really had loaded.

    `built` tells the files of the build (`name` as in its bin folder) from the system's (`name` is the whole path).
    """

    name: str
    sha256: Sha256
    built: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenChoice:
    """One candidate for a token: its id and the logarithm of its probability."""

    id: int
    logprob: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One completed request.

    `request` names it within its round. `generated` tokens were made; a streamed answer does not deliver the `ids` of
    tokens that end inside a character, an answer in one piece has all. `candidates` holds the most probable tokens of
    each step, best first, where any were asked for and the token does not end inside a character. `cached_tokens` of
    the `prompt_tokens` were not read again; the rest took so many `batches`. `waited_batches` is how many batches of a
    request beside it were read before its first token.

    Times are seconds from sending: to the first token (0 where the answer came in one piece), and to the end;
    `first_token_cpu_seconds` is what the engine's process computed until then, whatever else the machine did;
    `prompt_seconds` is the engine's own figure for reading.
    """

    request: str
    round: int
    generated: int
    ids: tuple[int, ...]
    text: str
    candidates: tuple[tuple[TokenChoice, ...], ...]
    prompt_tokens: int
    cached_tokens: int
    batches: int
    waited_batches: int
    first_token_seconds: float
    first_token_cpu_seconds: float
    prompt_seconds: float
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkCount:
    """How often a mark's pattern was seen in the engine's log of one round."""

    name: str
    round: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmObservation:
    """What one arm did: its answers in the order of sending, marks over all its logs, and what it had loaded."""

    arm: str
    answers: tuple[Answer, ...]
    marks: tuple[MarkCount, ...]
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]
    peak_kib: int
    start_seconds: float

    def mark(self, name: str) -> tuple[int, ...]:
        """How often the mark was seen, round by round."""
        return tuple(each.count for each in self.marks if each.name == name)

    def named(self, request: str) -> tuple[Answer, ...]:
        """The answers to one request, round by round."""
        return tuple(answer for answer in self.answers if answer.request == request)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunObservation:
    """One session on the built engine: every arm, in the order of the need."""

    arms: tuple[ArmObservation, ...]
    rounds: int
    seconds: float

    def arm(self, name: str) -> ArmObservation | None:
        """The arm of that name."""
        return next((arm for arm in self.arms if arm.arm == name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryChange:
    """How a shared library's binary interface differs: `incompatible` when programs built against it may break.

    `report` is the comparing tool's own text, its first lines; empty when nothing differs.
    """

    library: str
    changed: bool
    incompatible: bool
    report: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AbiObservation:
    """Two builds compared library by library; one that only one of them has counts as changed."""

    tool: str
    libraries: tuple[LibraryChange, ...]
    seconds: float


class ProbeObservation(Protocol):
    """What any probe saw: a frozen dataclass that says how many seconds it took. `RunObservation` is one of them."""

    @property
    def seconds(self) -> float:
        """Wall seconds of the whole measurement."""


Seen = TypeVar("Seen")


def encode_observation(observation: object) -> Mapping[str, object]:
    """The observation, a dataclass, as the JSON object that an evidence record holds."""
    value = to_json(observation)
    assert isinstance(value, dict)
    return value


def decode_observation(kind: type[Seen], value: Mapping[str, object]) -> Seen:
    """The observation in a record, a dataclass `kind`; `CodecError` when it is not exactly one of that kind."""
    return from_json(kind, value)
