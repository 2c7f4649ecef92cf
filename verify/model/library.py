"""What the engine's library is asked to compute, and what was observed: settings and observations of library probes.

Observations are small: a row of logits is its digest, its most probable token and its distance to the row of the
reference run at the same place. The rows themselves are compared while they are there and not kept.
"""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.observation import LoadedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """A context with everything pinned that may change a bit of a logit."""

    context: int = 512
    batch: int = 512
    microbatch: int = 512
    sequences: int = 1
    threads: int = 1
    flash_attention: bool = False
    unified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """Tokens by name: those of a text, or given ids."""

    name: str
    text: str = ""
    ids: tuple[int, ...] = ()


class Against(StrEnum):
    """The run that a run is compared with: the first arm's under the same variant, or the arm's own first variant."""

    ARM = "arm"
    VARIANT = "variant"


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One way of computing the same: how a prompt's second part is cut, the sampler's seed, and the context's settings.

    `beside` sequences with the very same tokens are computed side by side; the first one's logits count.
    """

    name: str
    context: ContextSettings
    width: int = 1
    seed: int = 0
    beside: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitsSettings:
    """Each prompt in a fresh context: `read` tokens at once, the rest by the variant's width, then `generate`.

    `read` 0 is the whole prompt. The first part's logits are compared when `keep_read` says so. Each arm computes in a
    process of its own, and with `apart` each variant, too.
    """

    prompts: tuple[Prompt, ...]
    read: int
    keep_read: bool
    generate: int
    repack: bool
    variants: tuple[Variant, ...]
    against: Against
    apart: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One position's logits: digest, most probable token, largest minus smallest, and the distance to the reference.

    `difference` is the largest of any logit, `relative` the L2 norm of the difference by that of the reference. A row
    that is not finite throughout has `finite` false and zeros.
    """

    sha256: str
    top: int
    spread: float
    difference: float
    relative: float
    finite: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptRows:
    """What came of one prompt: the prompt's ids, the generated ones, and a row for each position that was kept."""

    prompt: str
    ids: tuple[int, ...]
    generated: tuple[int, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitsRun:
    """One arm under one variant: a process."""

    arm: str
    variant: str
    prompts: tuple[PromptRows, ...]
    loaded: tuple[LoadedFile, ...]
    peak_kib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogitsObservation:
    """Every run, arm by arm and variant by variant in the order of the need."""

    vocabulary: int
    runs: tuple[LogitsRun, ...]
    seconds: float

    def run(self, arm: str, variant: str) -> LogitsRun | None:
        """The run of an arm under a variant."""
        return next((run for run in self.runs if (run.arm, run.variant) == (arm, variant)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class StateScenario:
    """One way of saving and restoring: the whole context or each sequence, with a shared cache or not, with holes.

    With `fragmented`, sequences are read in turns and every second one is taken out before the save. The restoring
    context is a fresh one; with `used` it has read and forgotten something before.
    """

    name: str
    whole: bool
    sequences: int
    unified: bool
    fragmented: bool
    used: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class StateSettings:
    """Per scenario: `read` tokens of each sequence, save, `go_on` further ones live and restored, compared."""

    prompts: tuple[Prompt, ...]
    context: ContextSettings
    read: int
    go_on: int
    repack: bool
    scenarios: tuple[StateScenario, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StateOutcome:
    """One saved state: its size in bytes, its digest and that of the state saved again after the restore.

    `refused` says why the engine did not take it back. Of `rows` rows of the continuation so many `differ`, the first
    at `first` (-1: none), by `difference` at most; `same_top` share the most probable token.
    """

    scenario: str
    sequence: int
    size: int
    saved: str
    again: str
    refused: str
    rows: int
    differ: int
    first: int
    difference: float
    same_top: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateArm:
    """One arm's outcomes, scenario by scenario."""

    arm: str
    outcomes: tuple[StateOutcome, ...]
    loaded: tuple[LoadedFile, ...]
    peak_kib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StateObservation:
    """Every arm in the order of the need."""

    arms: tuple[StateArm, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """A context is made, a prompt read and its state saved, and all is freed again, `cycles` times over."""

    prompt: Prompt
    context: ContextSettings
    repack: bool
    cycles: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryArm:
    """Sizes of one arm: the process's peak and its resident size after each cycle, in KiB; states and cache in bytes.

    `cache_bytes` is what the engine says of its caches, 0 where it says nothing.
    """

    arm: str
    peak_kib: int
    resident_kib: tuple[int, ...]
    sequence_bytes: int
    whole_bytes: int
    cache_bytes: int
    loaded: tuple[LoadedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryObservation:
    """Every arm in the order of the need."""

    arms: tuple[MemoryArm, ...]
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSide:
    """How one arm computes: its context, and how many tokens of the rest go through at a time."""

    context: ContextSettings
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSettings:
    """Per prompt `read` tokens by microbatches and the rest by the side's width, every operation written down.

    There is one side an arm, in the order of the need. Where sides cut the tokens differently, the results of the
    finer one are put together along the dimension that counts tokens.
    """

    prompts: tuple[Prompt, ...]
    read: int
    repack: bool
    sides: tuple[TraceSide, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class OperationDifference:
    """One operation whose result differs: its place in the order of computing, what it is, and by how much.

    `layer` is -1 where the name tells none. `relative` and `maximum` are -1 where numbers cannot be compared: another
    shape, a result too large to keep.
    """

    index: int
    prompt: str
    name: str
    op: str
    layer: int
    type: str
    shape: tuple[int, ...]
    relative: float
    maximum: float


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceArm:
    """One arm's graph: how many operations were computed, and the digest of their names, kinds, shapes and results."""

    arm: str
    operations: int
    sha256: str
    loaded: tuple[LoadedFile, ...]
    peak_kib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceObservation:
    """Both arms, how many operations they share, how many of these differ, and the first ones.

    `lacking` names operations that only one arm computes, each with that arm's name in front.
    """

    arms: tuple[TraceArm, ...]
    compared: int
    differ: int
    first: tuple[OperationDifference, ...]
    lacking: tuple[str, ...]
    seconds: float
