"""What a library probe asks for: a script of small steps, the same words for every engine.

A probe writes a `Script`, the child process plays it on the library under test and answers with one `Done` a step.
Logits do not go through JSON: each step that gives some appends them to the file of rows, as 32-bit floats in the
order of the steps. An engine is plugged in below these steps (`library.py`), never above.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from verify.model.codec import CodecError, from_json, to_json
from verify.model.library import ContextSettings, Prompt

WHOLE = -1
"""In place of a sequence: the state of the whole context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Open:
    """Make a context of that name; a `traced` one can tell each operation's result."""

    context: str
    settings: ContextSettings
    traced: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Close:
    """Free a context."""

    context: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decode:
    """Read tokens `start` to `stop` of a prompt (0: to its end) into each of the sequences, `width` tokens at a time.

    Positions go on from where each sequence is. With `keep`, the logits of the first sequence's tokens become rows.
    """

    context: str
    prompt: str
    start: int = 0
    stop: int = 0
    sequences: tuple[int, ...] = (0,)
    width: int
    keep: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Generate:
    """Go on from the last row by `count` tokens: the most probable one each time, chosen by the sampler with `seed`."""

    context: str
    sequence: int = 0
    count: int
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Save:
    """Keep the state of a sequence, or of the whole context, in memory under a name."""

    context: str
    sequence: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restore:
    """Put a kept state into a context."""

    context: str
    sequence: int
    state: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Take positions `start` to `stop` (0: to its end) of a sequence out of the memory."""

    context: str
    sequence: int
    start: int = 0
    stop: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """From here on write every operation's result to files of that name; an empty name ends it."""

    context: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Weigh:
    """Tell the resident size now and how large the state of a sequence (or of the whole) would be."""

    context: str
    sequence: int


Step = Open | Close | Decode | Generate | Save | Restore | Remove | Trace | Weigh
_STEPS: Mapping[str, type[Step]] = {
    kind.__name__.lower(): kind for kind in (Open, Close, Decode, Generate, Save, Restore, Remove, Trace, Weigh)
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Prompts, whether weights may be repacked when they are loaded, and steps in order."""

    prompts: tuple[Prompt, ...]
    repack: bool
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """What came of one step: rows written, ids generated, a state's size and digest, resident KiB, or a refusal."""

    rows: int = 0
    ids: tuple[int, ...] = ()
    size: int = 0
    sha256: str = ""
    resident_kib: int = 0
    cache_bytes: int = 0
    refused: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """The answer to a whole script: the numbers in a row, each prompt's ids, what each step gave."""

    vocabulary: int
    prompts: tuple[tuple[int, ...], ...]
    done: tuple[Done, ...]


def write_script(script: Script) -> object:
    """The script as a JSON value."""
    return {
        "prompts": to_json(script.prompts),
        "repack": script.repack,
        "steps": [{"do": type(step).__name__.lower(), "with": to_json(step)} for step in script.steps],
    }


def read_script(value: object) -> Script:
    """The script that `write_script` wrote."""
    if not isinstance(value, dict):
        raise CodecError("a script is an object")
    return Script(
        prompts=tuple(from_json(Prompt, each) for each in value["prompts"]),
        repack=bool(value["repack"]),
        steps=tuple(from_json(_STEPS[each["do"]], each["with"]) for each in value["steps"]),
    )
