"""The adapter for the toy library: all that an engine needs to be measured by every library probe."""

import ctypes
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from verify.model.library import ContextSettings
from verify.probe.bindings.library import OnOperation, Operation, Refused
from verify.probe.bindings.script import WHOLE

_ON_RESULT = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_float), ctypes.c_int)


def open_library(*, bindings: Path, libraries: Path, model: Path, repack: bool) -> "Toy":
    """The library; its model is in its code."""
    del bindings, model, repack
    return Toy(ctypes.CDLL(str(libraries / "libtoy.so")))


class Toy:
    """The library with its only model."""

    def __init__(self, library: ctypes.CDLL) -> None:
        self.library = library
        library.toy_open.restype = ctypes.c_void_p
        self.vocabulary = int(library.toy_vocabulary())

    def tokens(self, text: str) -> tuple[int, ...]:
        """A token a byte."""
        return tuple(byte % self.vocabulary for byte in text.encode())

    def open(self, settings: ContextSettings, *, traced: bool) -> "ToyContext":
        """A new context."""
        del traced
        return ToyContext(self, settings)


class ToyContext:
    """A context and how many sequences it has."""

    def __init__(self, toy: Toy, settings: ContextSettings) -> None:
        self.toy, self.sequences = toy, settings.sequences
        self.library = toy.library
        self.pointer = ctypes.c_void_p(self.library.toy_open(settings.context))

    def decode(self, ids: Sequence[int], *, sequences: Sequence[int], width: int, keep: bool) -> list[bytes]:
        """Read them in parts."""
        rows: list[bytes] = []
        for start in range(0, len(ids), width):
            part = ids[start : start + width]
            for place, sequence in enumerate(sequences):
                room = (ctypes.c_float * (len(part) * self.toy.vocabulary))()
                read = (ctypes.c_int * len(part))(*(each % self.toy.vocabulary for each in part))
                if self.library.toy_decode(self.pointer, sequence, read, len(part), room):
                    raise Refused(f"it does not read {len(part)} tokens")
                if place == 0:
                    size = 4 * self.toy.vocabulary
                    data = ctypes.string_at(room, len(part) * size)
                    rows += [data[at : at + size] for at in range(0, len(data), size)]
        return rows if keep else rows[-1:]

    def sample(self, seed: int) -> int:
        """There is no sampler."""
        raise Refused(f"it has no sampler to give the seed {seed}")

    def save(self, sequence: int) -> bytes:
        """One state, or all of them behind each other."""
        size = self.library.toy_state_size()
        parts = []
        for each in range(self.sequences) if sequence == WHOLE else (sequence,):
            room = ctypes.create_string_buffer(size)
            self.library.toy_save(self.pointer, each, room)
            parts.append(room.raw)
        return b"".join(parts)

    def state_size(self, sequence: int) -> int:
        """All states have one size."""
        return int(self.library.toy_state_size()) * (self.sequences if sequence == WHOLE else 1)

    def restore(self, sequence: int, state: bytes) -> None:
        """Put it, or all of them, back."""
        size = self.library.toy_state_size()
        for index, each in enumerate(range(self.sequences) if sequence == WHOLE else (sequence,)):
            if self.library.toy_restore(self.pointer, each, state[index * size : (index + 1) * size]):
                raise Refused("it takes no state")

    def remove(self, sequence: int, start: int, stop: int) -> None:
        """Forget a whole sequence."""
        if start or stop:
            raise Refused("it forgets whole sequences only")
        self.library.toy_remove(self.pointer, sequence)

    def trace(self, on_operation: OnOperation | None) -> None:
        """Tell results by the library's own callback."""

        def told(name: bytes, op: bytes, data: "ctypes._Pointer[ctypes.c_float]", count: int) -> None:
            assert on_operation is not None
            kept = ctypes.string_at(data, 4 * count)
            digest = sha256(kept).hexdigest()
            on_operation(
                Operation(
                    name=name.decode(), op=op.decode(), type="f32", shape=(count, 1, 1, 1), data=kept, sha256=digest
                )
            )

        self._told = _ON_RESULT(told) if on_operation is not None else _ON_RESULT()
        self.library.toy_trace(self.pointer, self._told)

    def cache_bytes(self) -> int:
        """What it says of its cache."""
        return int(self.library.toy_cache_bytes(self.pointer))

    def close(self) -> None:
        """Free it."""
        self.library.toy_close(self.pointer)
