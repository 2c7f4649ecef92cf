"""llama.cpp as a library, through the ctypes module that the very same source distribution carries.

The module is imported by itself: its package would import much that is not needed here. Before anything is computed
the shapes of the structures that go by value are measured: a library with one field more would write past them, and
one with a field in the middle would read others than were set.
"""

import ctypes
import hashlib
import importlib
import platform
import re
import sys
import types
import typing
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verify.model.library import ContextSettings
from verify.probe.bindings.library import DoesNotFit, OnOperation, Operation, Refused
from verify.probe.bindings.script import WHOLE

_ROOM = 4096
_KEPT_BYTES = 4 << 20
_NO_RESULT = frozenset({"NONE", "RESHAPE", "VIEW", "PERMUTE", "TRANSPOSE"})
_CACHE = re.compile(r"(?:kv_cache|memory_recurrent)\S*:\s+size\s*=\s*([0-9.]+) MiB")
_STRUCTURES = (
    ("llama_model_default_params", "llama_model_params"),
    ("llama_context_default_params", "llama_context_params"),
    ("llama_sampler_chain_default_params", "llama_sampler_chain_params"),
)


def open_library(*, bindings: Path, libraries: Path, model: Path, repack: bool) -> "Llama":
    """Load `libllama.so` of `libraries` by the module in `bindings`, and the model."""
    return Llama(_bound(bindings), ctypes.CDLL(str(libraries / "libggml-base.so")), model, repack)


def _bound(bindings: Path) -> Any:
    """The ctypes module, without its package's own start."""
    package = types.ModuleType("llama_cpp")
    package.__path__ = [str(bindings / "llama_cpp")]
    sys.modules["llama_cpp"] = package
    sys.modules.setdefault("typing_extensions", typing)  # of which only TypeAlias is used
    try:
        bound = importlib.import_module("llama_cpp.llama_cpp")
    except (AttributeError, OSError, RuntimeError, ImportError) as error:
        raise DoesNotFit(f"the bindings cannot bind the library: {error}") from error
    for function, structure in _STRUCTURES:
        check_size(bound, function, structure)
    return bound


def check_size(bound: Any, function: str, structure: str) -> None:
    """How many bytes the library writes for a structure that it gives by value, against what the bindings know."""
    if platform.machine() != "x86_64":
        raise DoesNotFit(f"the shape of structures can only be measured on x86-64, not on {platform.machine()}")
    known = ctypes.sizeof(getattr(bound, structure))
    if known <= 16:
        return  # given in registers
    # the caller of such a function passes the place of the result as a hidden first argument
    call = getattr(ctypes.CDLL(bound._lib._name), function)
    call.argtypes, call.restype = (ctypes.c_void_p,), ctypes.c_void_p
    written = 0
    for filler in (0xA5, 0x5A):
        room = (ctypes.c_ubyte * _ROOM)(*([filler] * _ROOM))
        call(ctypes.addressof(room))
        written = max(written, 1 + max((at for at in range(_ROOM) if room[at] != filler), default=-1))
    align = ctypes.alignment(getattr(bound, structure))
    met = -(-written // align) * align
    if met != known:
        raise DoesNotFit(f"`{structure}` has {met} bytes in the library and {known} in the bindings")


class Llama:
    """The library with its model."""

    def __init__(self, bound: Any, ggml: ctypes.CDLL, model: Path, repack: bool) -> None:
        self.bound, self.ggml = bound, ggml
        self.log: list[str] = []
        # kept, since the library holds no reference
        self._tell = bound.llama_log_callback(self._said)
        bound.llama_log_set(self._tell, None)
        bound.llama_backend_init()
        params = bound.llama_model_default_params()
        params.use_extra_bufts = repack
        params.n_gpu_layers = 0
        self.model = bound.llama_model_load_from_file(str(model).encode(), params)
        if not self.model:
            raise Refused("it does not load the model")
        self.vocab = bound.llama_model_get_vocab(self.model)
        self.vocabulary = bound.llama_vocab_n_tokens(self.vocab)

    def _said(self, level: int, text: bytes, data: object) -> None:
        del level, data
        line = text.decode("utf-8", "replace")
        self.log.append(line)
        sys.stderr.write(line)

    def tokens(self, text: str) -> tuple[int, ...]:
        """The ids of a text, with the token that begins a prompt."""
        data = text.encode()
        room = (self.bound.llama_token * (len(data) + 8))()
        count = self.bound.llama_tokenize(self.vocab, data, len(data), room, len(room), True, True)
        if count < 0:
            raise Refused(f"it gives {-count} tokens for a text of {len(data)} bytes")
        return tuple(room[:count])

    def open(self, settings: ContextSettings, *, traced: bool) -> "LlamaContext":
        """A new context with everything set, each setting that can be read back compared."""
        return LlamaContext(self, settings, traced=traced)


class LlamaContext:
    """A context and the batch that tokens go through."""

    def __init__(self, library: Llama, settings: ContextSettings, *, traced: bool) -> None:
        bound = library.bound
        self.library, self.bound, self.settings = library, bound, settings
        self.on_operation: OnOperation | None = None
        params = bound.llama_context_default_params()
        params.n_ctx, params.n_batch, params.n_ubatch = settings.context, settings.batch, settings.microbatch
        params.n_seq_max = settings.sequences
        params.n_threads = params.n_threads_batch = settings.threads
        params.flash_attn_type = (
            bound.LLAMA_FLASH_ATTN_TYPE_ENABLED if settings.flash_attention else bound.LLAMA_FLASH_ATTN_TYPE_DISABLED
        )
        params.kv_unified, params.swa_full, params.no_perf = settings.unified, False, True
        if traced:
            self._callback = bound.ggml_backend_sched_eval_callback(self._computed)
            params.cb_eval = self._callback
        said = len(library.log)
        self.pointer = bound.llama_init_from_model(library.model, params)
        if not self.pointer:
            raise Refused("it makes no context with these settings")
        self._cache_bytes = _cache_bytes(library.log[said:])
        self._compare_settings()
        self.memory = bound.llama_get_memory(self.pointer)
        # a batch is one call: as many tokens of as many sequences as fit
        self.batch = bound.llama_batch_init(settings.batch, 0, 1)

    def _compare_settings(self) -> None:
        """What the library understood is what was set; else the bindings put the fields elsewhere."""
        bound, asked = self.bound, self.settings
        per_sequence = asked.context if asked.unified else asked.context // asked.sequences
        pairs = (
            ("n_batch", bound.llama_n_batch(self.pointer), min(asked.batch, bound.llama_n_ctx(self.pointer))),
            ("n_seq_max", bound.llama_n_seq_max(self.pointer), asked.sequences),
            ("n_threads", bound.llama_n_threads(self.pointer), asked.threads),
            ("n_threads_batch", bound.llama_n_threads_batch(self.pointer), asked.threads),
        )
        for name, met, expected in pairs:
            if met != expected:
                raise DoesNotFit(f"`{name}` was set to {expected} and is {met} in the library")
        met = bound.llama_n_ctx_seq(self.pointer)
        if not per_sequence <= met < per_sequence + 256:  # it may be rounded up
            raise DoesNotFit(f"a sequence was to have {per_sequence} cells and has {met} in the library")

    def decode(self, ids: Sequence[int], *, sequences: Sequence[int], width: int, keep: bool) -> list[bytes]:
        """Read the ids into each sequence; the first one's logits."""
        rows: list[bytes] = []
        at = {each: self._next_position(each) for each in sequences}
        for start in range(0, len(ids), width):
            part = ids[start : start + width]
            is_last = start + width >= len(ids)
            wanted = self._fill(part, sequences, at, start, every=keep, last=is_last)
            status = self.bound.llama_decode(self.pointer, self.batch)
            if status != 0:
                raise Refused(f"decoding {len(part)} tokens of {len(sequences)} sequences gave status {status}")
            rows += [self._row(index) for index in wanted]
        return rows

    def _fill(
        self, part: Sequence[int], sequences: Sequence[int], at: dict[int, int], start: int, *, every: bool, last: bool
    ) -> list[int]:
        """Put a part of the ids into the batch for every sequence; the places whose logits are wanted."""
        batch, count, wanted = self.batch, 0, []
        if len(part) * len(sequences) > self.settings.batch:
            raise Refused(f"{len(part)} tokens of {len(sequences)} sequences are more than a batch holds")
        for sequence in sequences:
            for index, token in enumerate(part):
                batch.token[count], batch.pos[count] = token, at[sequence] + start + index
                batch.n_seq_id[count] = 1
                batch.seq_id[count][0] = sequence
                is_wanted = every or (last and index == len(part) - 1)
                batch.logits[count] = is_wanted
                if is_wanted and sequence == sequences[0]:
                    wanted.append(count)
                count += 1
        batch.n_tokens = count
        return wanted

    def _row(self, index: int) -> bytes:
        row = self.bound.llama_get_logits_ith(self.pointer, index)
        if not row:
            raise Refused(f"it has no logits at place {index} of the batch")
        return ctypes.string_at(row, 4 * self.library.vocabulary)

    def _next_position(self, sequence: int) -> int:
        return int(self.bound.llama_memory_seq_pos_max(self.memory, sequence)) + 1

    def sample(self, seed: int) -> int:
        """The most probable token by the engine's own sampler chain."""
        bound = self.bound
        chain = bound.llama_sampler_chain_init(bound.llama_sampler_chain_default_params())
        try:
            bound.llama_sampler_chain_add(chain, bound.llama_sampler_init_top_k(1))
            bound.llama_sampler_chain_add(chain, bound.llama_sampler_init_dist(seed))
            return int(bound.llama_sampler_sample(chain, self.pointer, -1))
        finally:
            bound.llama_sampler_free(chain)

    def state_size(self, sequence: int) -> int:
        """How large a state would be."""
        if sequence == WHOLE:
            return int(self.bound.llama_state_get_size(self.pointer))
        return int(self.bound.llama_state_seq_get_size(self.pointer, sequence))

    def save(self, sequence: int) -> bytes:
        """The state's bytes."""
        size = self.state_size(sequence)
        room = (ctypes.c_uint8 * size)()
        if sequence == WHOLE:
            got = self.bound.llama_state_get_data(self.pointer, room, size)
        else:
            got = self.bound.llama_state_seq_get_data(self.pointer, room, size, sequence)
        if not 0 < got <= size:
            raise Refused(f"saving a state of {size} bytes gave {got}")
        return ctypes.string_at(room, got)

    def restore(self, sequence: int, state: bytes) -> None:
        """Put the state in; all of it must be taken."""
        room = (ctypes.c_uint8 * len(state)).from_buffer_copy(state)
        if sequence == WHOLE:
            got = self.bound.llama_state_set_data(self.pointer, room, len(state))
        else:
            got = self.bound.llama_state_seq_set_data(self.pointer, room, len(state), sequence)
        if got != len(state):
            raise Refused(f"restoring a state of {len(state)} bytes took {got}")

    def remove(self, sequence: int, start: int, stop: int) -> None:
        """Take positions out."""
        if not self.bound.llama_memory_seq_rm(self.memory, sequence, start or -1, stop or -1):
            raise Refused(f"it cannot take positions {start} to {stop or 'the end'} out of sequence {sequence}")

    def cache_bytes(self) -> int:
        """What the library says of the size of its caches when a context is made."""
        return self._cache_bytes

    def trace(self, on_operation: OnOperation | None) -> None:
        """Tell operations from here on, or no more."""
        self.on_operation = on_operation

    def _computed(self, tensor: int, ask: bool, data: object) -> bool:
        del data
        if not ask and self.on_operation is not None:
            operation = _operation(self.library.ggml, tensor)
            if operation is not None:
                self.on_operation(operation)
        return True

    def close(self) -> None:
        """Free batch and context."""
        self.bound.llama_batch_free(self.batch)
        self.bound.llama_free(self.pointer)


def _operation(ggml: ctypes.CDLL, tensor: int) -> Operation | None:
    """What a computed tensor is; None for one that only looks at another."""

    def ask(name: str, kind: Any, *more: object) -> Any:
        function = getattr(ggml, name)
        function.restype = kind
        function.argtypes = [ctypes.c_void_p] + [ctypes.c_int] * len(more)
        return function(tensor, *more)

    op = ask("ggml_op_desc", ctypes.c_char_p).decode()
    if op in _NO_RESULT:
        return None
    type_name = ggml.ggml_type_name
    type_name.restype, type_name.argtypes = ctypes.c_char_p, [ctypes.c_int]
    # `type` is the first field of the structure, `ne` comes behind it and a pointer
    kind = type_name(ctypes.c_int.from_address(tensor).value).decode()
    shape = tuple((ctypes.c_int64 * 4).from_address(tensor + 16))
    elements = ask("ggml_nelements", ctypes.c_int64)
    if shape[0] * shape[1] * shape[2] * shape[3] != elements:
        raise DoesNotFit(f"a tensor of {elements} elements has the shape {shape}")
    size = int(ask("ggml_nbytes", ctypes.c_size_t))
    room = (ctypes.c_uint8 * size)()
    get = ggml.ggml_backend_tensor_get
    get.restype, get.argtypes = None, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    get(tensor, room, 0, size)
    name = ask("ggml_get_name", ctypes.c_char_p).decode("utf-8", "replace")
    is_kept = size <= _KEPT_BYTES and bool(ask("ggml_is_contiguous", ctypes.c_bool))
    return Operation(
        name=name,
        op=op,
        type=kind,
        shape=shape,
        data=ctypes.string_at(room, size) if is_kept else None,
        sha256=hashlib.sha256(room).hexdigest(),
    )


def _cache_bytes(lines: Sequence[str]) -> int:
    found = (_CACHE.search(line) for line in lines)
    return sum(round(float(each[1]) * 1024 * 1024) for each in found if each)
