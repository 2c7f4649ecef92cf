"""How the engine is run for a measurement: everything pinned that may change text or time, as typed settings.

A gate makes such a value, a `ProbeNeed` carries it as text (`settings_of`), and the probe reads it back
(`read_settings`): one definition, so that a gate cannot ask for what a probe does not do. Threads, batch sizes,
attention and weight repacking change logits on a CPU, and so does the number of slots; all are here, none is left
to the engine's default.
"""

import json
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

from verify.model.codec import CodecError, canonical_json, from_json, to_json
from verify.model.draw import drawn_numbers

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A line in the engine's log that tells that something happened: a name and a regular expression."""

    name: str
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The server's own settings: context cells of all slots together, slots, batch sizes, and pinned options.

    One thread is deterministic on every machine and does not collapse on a busy one.
    """

    context: int
    slots: int = 1
    batch: int = 512
    microbatch: int = 512
    threads: int = 1
    flash_attention: bool = False
    repack: bool = True
    unified: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Rounds:
    """How often a session is repeated: every round runs each arm once, on a fresh server, the order turned about.

    From `least` on it ends as soon as the ratio of each arm to the one before it is known to `precision` (the width of
    its interval), at `most` at the latest: when to stop depends on how well a ratio is known and never on which way
    it falls.
    """

    least: int
    most: int
    precision: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """Prompts as token ids, drawn by a fixed rule: from `low` on, `size` ids, by `seed` and the round."""

    low: int = 300
    size: int = 1700
    seed: int = 1

    def ids(self, stream: int, count: int) -> tuple[int, ...]:
        """The first `count` ids of one of its streams."""
        numbers = drawn_numbers((self.seed << 32) + stream)
        return tuple(self.low + (next(numbers) >> 16) % self.size for _ in range(count))


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSettings:
    """Greedy completions, one prompt at a time: how many tokens each and how many probabilities a token."""

    server: ServerSettings
    prompts: tuple[str, ...]
    tokens: int
    probabilities: int
    seed: int
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmBehindColdSettings:
    """A conversation goes on in slot 1 (`history` tokens known, `warm` new) while slot 0 reads a `cold` prompt."""

    server: ServerSettings
    drawn: Drawn
    cold: int
    history: int
    warm: int
    generate: int
    rounds: Rounds
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointResumeSettings:
    """A prompt of so many tokens, then the same once more `resumes` times: each goes on from a checkpoint."""

    server: ServerSettings
    drawn: Drawn
    prompt: int
    resumes: int
    generate: int
    rounds: Rounds
    marks: tuple[Mark, ...]


S = TypeVar("S")


def settings_of(value: "DataclassInstance") -> tuple[tuple[str, str], ...]:
    """A probe's settings, a frozen dataclass, as (name, JSON text), sorted by name: what a need and a key carry."""
    texts = {
        field.name: canonical_json(to_json(getattr(value, field.name))).decode().strip() for field in fields(value)
    }
    return tuple(sorted(texts.items()))


def read_settings(kind: type[S], settings: tuple[tuple[str, str], ...]) -> S:
    """The typed settings that `settings_of` wrote."""
    try:
        return from_json(kind, {name: json.loads(text) for name, text in settings})
    except json.JSONDecodeError as error:
        raise CodecError(f"settings are not JSON: {error}") from error
