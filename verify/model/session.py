"""How the engine is run for a measurement: everything pinned that may change text or time, as typed settings.

A gate makes such a value, a `ProbeNeed` carries it as text (`settings_of`), and the probe reads it back
(`read_settings`): one definition, so that a gate cannot ask for what a probe does not do. Threads, batch sizes,
attention and weight repacking change logits on a CPU, and so does the number of slots; all are here, none is left
to the engine's default.
"""

import json
from dataclasses import dataclass, fields
from typing import TypeVar

from verify.model.codec import CodecError, canonical_json, from_json, to_json

S = TypeVar("S", bound="TokenSettings | WarmBehindColdSettings | CheckpointResumeSettings")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A line in the engine's log that tells that something happened: a name and a regular expression."""

    name: str
    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """The server's own settings: context cells in all, slots, batch sizes, and pinned switches of the engine.

    One thread is deterministic on every machine and does not collapse on a busy one. `verbose` asks for the
    engine's detailed log, which some marks need.
    """

    context: int
    slots: int = 1
    batch: int = 512
    microbatch: int = 512
    threads: int = 1
    flash_attention: bool = False
    repack: bool = True
    unified: bool = False
    verbose: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenSettings:
    """Greedy completions, one prompt at a time: how many tokens each and how many probabilities a token."""

    server: ServerSettings
    prompts: tuple[str, ...]
    tokens: int
    probabilities: int
    seed: int
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmBehindColdSettings:
    """A short request to a warm slot, sent while a long cold prompt is being read by another slot.

    Rounds are paired: each runs every arm once, the order turned about from round to round. From `rounds` on the
    session ends as soon as the relative width of the interval of the paired ratio is below `precision`, at
    `rounds_max` at the latest: the stop depends on how well the ratio is known and never on which way it falls.
    """

    server: ServerSettings
    cold_tokens: int
    warm_tokens: int
    generate: int
    rounds: int
    rounds_max: int
    precision: float
    seed: int
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointResumeSettings:
    """A long prompt, then `resumes` times the same prompt with another ending, so that a checkpoint is resumed."""

    server: ServerSettings
    prompt_tokens: int
    resumes: int
    generate: int
    rounds: int
    rounds_max: int
    precision: float
    seed: int
    marks: tuple[Mark, ...] = ()


def settings_of(
    value: TokenSettings | WarmBehindColdSettings | CheckpointResumeSettings,
) -> tuple[tuple[str, str], ...]:
    """The settings as (name, JSON text), sorted by name: the form that a need and a key carry."""
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
