"""The seam for engines: what a library must be able to do so that every library probe runs on it.

An adapter is one Python file with a function `open_library`. It runs in a child process of its own under a bare
interpreter (the standard library and this package, nothing installed), reads no environment and prints nothing.
`llama.py` is the one for llama.cpp; the tests carry one for their mini engine.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from verify.model.library import ContextSettings

LLAMA_CPP = Path(__file__).with_name("llama.py")
"""The adapter for llama.cpp; its folder holds `llama_cpp/` as the source distribution has it."""


class Refused(Exception):
    """The engine said no to something that it should do; the text says what."""


class DoesNotFit(Exception):
    """The adapter and the library do not belong together; whatever came out would be garbage."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One result of the graph: its name there, the operation, element type, shape (fastest first) and bytes.

    `data` is None where the result is too large to be kept; then `sha256` still tells whether it is the same.
    """

    name: str
    op: str
    type: str
    shape: tuple[int, ...]
    data: bytes | None
    sha256: str


OnOperation = Callable[[Operation], None]


class Context(Protocol):
    """One context: sequences with a memory of their own, which tokens are read into."""

    def decode(self, ids: Sequence[int], *, sequences: Sequence[int], width: int, keep: bool) -> list[bytes]:
        """Read the ids into each sequence, `width` at a time; the first one's logits as 32-bit floats, a row an id.

        Without `keep` only the last row is given.
        """
        ...

    def sample(self, seed: int) -> int:
        """The most probable token after the last one read, through the engine's own sampler with that seed."""
        ...

    def save(self, sequence: int) -> bytes:
        """The state of a sequence, or of everything for `WHOLE`."""
        ...

    def state_size(self, sequence: int) -> int:
        """How many bytes `save` would give at most."""
        ...

    def restore(self, sequence: int, state: bytes) -> None:
        """Put a state in; raises `Refused` where the engine does not take it."""
        ...

    def remove(self, sequence: int, start: int, stop: int) -> None:
        """Take positions out of a sequence's memory; `stop` 0 is its end."""
        ...

    def trace(self, on_operation: OnOperation | None) -> None:
        """Tell every operation's result from here on, or no more."""
        ...

    def cache_bytes(self) -> int:
        """How many bytes the memory of all sequences takes, 0 where the engine does not say."""
        ...

    def close(self) -> None:
        """Free it."""
        ...


class Library(Protocol):
    """A loaded library with a loaded model."""

    vocabulary: int

    def tokens(self, text: str) -> tuple[int, ...]:
        """The ids of a text, with what the engine puts in front of a prompt."""
        ...

    def open(self, settings: ContextSettings, *, traced: bool) -> Context:
        """A new context; raises `Refused` where the engine makes none."""
        ...


class OpenLibrary(Protocol):
    """The one function of an adapter, `open_library`."""

    def __call__(self, *, bindings: Path, libraries: Path, model: Path, repack: bool) -> Library:
        """Load library and model; raises `DoesNotFit` before anything is computed by a library of another shape."""
        ...
