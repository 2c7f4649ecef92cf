# SPDX-License-Identifier: MIT
"""Write tiny random models in GGUF, byte for byte the same on every machine.

The weights come from a counter-based integer generator (SplitMix64), never from numpy's own generators, whose streams
are not promised across versions. Every later step is either an exact integer operation or a single IEEE operation with
a defined rounding, so neither the machine, the locale, the clock nor the number of threads can change a byte. The
container is written by the ``gguf`` package: its layout is stable, but a digest should be recorded together with that
package's version.

Kinds
-----
``llama``
    Plain attention (about 0.9 MB).
``mamba``
    Recurrent state only (about 0.8 MB).
``lfm2``
    Hybrid: short convolutions with a state, and attention in every second layer (about 0.9 MB).
``llama-quants``
    Plain attention whose matrices have seven quantised types; their blocks are random bytes under fixed scales, so that
    no quantiser is part of the file (about 1.6 MB).
``llama-floats``
    Plain attention whose matrices are of single precision, half precision and bfloat16 in turn (about 2.5 MB).
``qwen3moe``
    Attention and four experts, of which two take part: in halves or quantised (about 3 MB).
``gemma3``
    Sliding window of 64 tokens in every second layer (about 0.9 MB).
``mamba2-heavy``
    Recurrent, more than 64 MiB of state per sequence from about 6 MB of weights.
``gemma3-heavy``
    Sliding window of 224 tokens and more than 64 MiB of windowed keys and values from about 21 MB of weights.

All of them have an output matrix of their own: with tied random embeddings greedy decoding repeats the last token.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import gguf
import numpy as np
import numpy.typing as npt

VOCAB_SIZE: Final = 2048
"""Tokens kept of the vocabulary: the 259 special and byte tokens of the SPM vocabulary and the commonest pieces."""

SEED: Final = 0x5EED_0F_7157_AC4E
CONTEXT_LENGTH: Final = 32768

_MASK64: Final = (1 << 64) - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15

U64 = npt.NDArray[np.uint64]
F64 = npt.NDArray[np.float64]


# --- numbers --------------------------------------------------------------------------------------------------------
def _splitmix64(counter: U64) -> U64:
    """Return the SplitMix64 finaliser of every counter; unsigned arrays wrap silently in numpy, as wanted here."""
    z = counter
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _stream(name: str, count: int) -> U64:
    """Return ``count`` 64-bit words that depend on nothing but the tensor's name and the seed."""
    digest = hashlib.sha256(f"{SEED}:{name}".encode("ascii")).digest()
    start = int.from_bytes(digest[:8], "little")
    steps = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(_GOLDEN)
    return _splitmix64(steps + np.uint64(start & _MASK64))


def _bell(name: str, shape: tuple[int, ...], deviation: float) -> F64:
    """Return a bell-shaped sample: the sum of the four 16-bit parts of a word, centred and scaled once."""
    words = _stream(name, math.prod(shape))
    parts = np.zeros(words.shape, dtype=np.int64)
    for shift in (0, 16, 32, 48):
        parts += ((words >> np.uint64(shift)) & np.uint64(0xFFFF)).astype(np.int64)
    centred = (parts - 2 * 0xFFFF).astype(np.float64)
    # each part has variance (65536^2 - 1) / 12; the sum of four has (65536^2 - 1) / 3
    unit = math.sqrt((65536.0 * 65536.0 - 1.0) / 3.0)
    return (centred * (deviation / unit)).reshape(shape)


def _flat(name: str, shape: tuple[int, ...], low: float, high: float) -> F64:
    """Return a sample spread evenly over [low, high]."""
    words = _stream(name, math.prod(shape))
    whole = (words >> np.uint64(40)).astype(np.float64)  # 24 bits, exact in a double
    return (low + whole * ((high - low) / float((1 << 24) - 1))).reshape(shape)


def _bytes(name: str, count: int) -> npt.NDArray[np.uint8]:
    """Return random bytes, the same on machines of either byte order."""
    return np.frombuffer(_stream(name, -(-count // 8)).astype("<u8").tobytes(), dtype=np.uint8)[:count]


@dataclass(frozen=True)
class _Blocks:
    """A quantised type: elements and bytes of a block, and how random bytes in it spread.

    ``scales`` are the places of the block's half-precision scales, each with its share; with a scale of one the values
    of random bytes have about the given ``deviation``.
    """

    type: gguf.GGMLQuantizationType
    elements: int
    size: int
    deviation: float
    scales: tuple[tuple[int, float], ...]


_T = gguf.GGMLQuantizationType
_Q4_0: Final = _Blocks(_T.Q4_0, 32, 18, 4.6, ((0, 1.0),))
# of types with a minimum it is as large as the mean of what is subtracted from
_Q4_1: Final = _Blocks(_T.Q4_1, 32, 20, 4.6, ((0, 1.0), (2, -7.5)))
_Q5_0: Final = _Blocks(_T.Q5_0, 32, 22, 9.2, ((0, 1.0),))
_Q8_0: Final = _Blocks(_T.Q8_0, 32, 34, 73.9, ((0, 1.0),))
_Q4_K: Final = _Blocks(_T.Q4_K, 256, 144, 260.0, ((0, 1.0), (2, 7.5)))
_Q5_K: Final = _Blocks(_T.Q5_K, 256, 176, 520.0, ((0, 1.0), (2, 15.5)))
_Q6_K: Final = _Blocks(_T.Q6_K, 256, 210, 1367.0, ((208, 1.0),))


# --- the container --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Vocab:
    """The part of the tokenizer that is copied."""

    tokens: list[bytes]
    scores: list[float]
    types: list[int]


def read_vocab(vocab_gguf: Path, size: int = VOCAB_SIZE) -> Vocab:
    """Read the first ``size`` tokens of an SPM vocabulary file."""
    reader = gguf.GGUFReader(vocab_gguf)

    def entries(key: str) -> list[object]:
        field = reader.get_field(key)
        if field is None:
            raise ValueError(f"{vocab_gguf}: no field {key}")
        values = field.contents()
        if not isinstance(values, list) or len(values) < size:
            raise ValueError(f"{vocab_gguf}: {key} holds fewer than {size} entries")
        return values[:size]

    model = reader.get_field(gguf.Keys.Tokenizer.MODEL)
    if model is None or model.contents() != "llama":
        raise ValueError(f"{vocab_gguf}: an SPM ('llama') vocabulary is needed")
    return Vocab(
        tokens=[str(token).encode("utf-8") for token in entries(gguf.Keys.Tokenizer.LIST)],
        scores=[float(str(score)) for score in entries(gguf.Keys.Tokenizer.SCORES)],
        types=[int(str(kind)) for kind in entries(gguf.Keys.Tokenizer.TOKEN_TYPE)],
    )


class _Sheet:
    """A GGUF file in the making; shapes are given outermost first, as numpy sees them."""

    def __init__(self, path: Path, arch: str, name: str) -> None:
        self.writer = gguf.GGUFWriter(path, arch)
        self.writer.add_name(name)
        self.writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
        self.writer.add_context_length(CONTEXT_LENGTH)
        self.writer.add_vocab_size(VOCAB_SIZE)

    def matrix(self, name: str, rows: int, cols: int, gain: float = 1.0) -> None:
        """Add a matrix in half precision whose product with a unit vector has about the size ``gain``."""
        values = _bell(name, (rows, cols), gain / math.sqrt(cols))
        self.writer.add_tensor(name, values.astype(np.float16))

    def table(self, name: str, rows: int, cols: int, deviation: float) -> None:
        """Add a look-up table in half precision with the given deviation of its entries."""
        self.writer.add_tensor(name, _bell(name, (rows, cols), deviation).astype(np.float16))

    def brain(self, name: str, rows: int, cols: int, gain: float = 1.0) -> None:
        """Add a matrix as `matrix` does, in bfloat16, rounded to even."""
        values = _bell(name, (rows, cols), gain / math.sqrt(cols)).astype("<f4").view("<u4")
        halves = ((values + np.uint32(0x7FFF) + ((values >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16)).astype(
            "<u2"
        )
        self.writer.add_tensor(name, halves.view(np.uint8).reshape(rows, -1), raw_dtype=_T.BF16)

    def single(self, name: str, rows: int, cols: int, gain: float = 1.0) -> None:
        """Add a matrix as `matrix` does, in single precision."""
        self.exact(name, _bell(name, (rows, cols), gain / math.sqrt(cols)))

    def experts(self, name: str, count: int, rows: int, cols: int, form: _Blocks | None, gain: float = 1.0) -> None:
        """Add a matrix for each expert, in half precision or of quantised blocks."""
        if form is None:
            values = _bell(name, (count, rows, cols), gain / math.sqrt(cols))
            self.writer.add_tensor(name, values.astype(np.float16))
        else:
            self.blocks(name, rows, cols, form, gain, count=count)

    def blocks(self, name: str, rows: int, cols: int, form: _Blocks, gain: float = 1.0, *, count: int = 1) -> None:
        """Add a matrix of quantised blocks whose product with a unit vector has about the size ``gain``, or several."""
        all_ = count * rows * cols // form.elements
        data = _bytes(name, all_ * form.size).reshape(all_, form.size).copy()
        for place, share in form.scales:
            scale = np.array([share * gain / (math.sqrt(cols) * form.deviation)]).astype("<f2")
            data[:, place : place + 2] = np.frombuffer(scale.tobytes(), dtype=np.uint8)
        shape = (rows, -1) if count == 1 else (count, rows, cols // form.elements * form.size)
        self.writer.add_tensor(name, data.reshape(shape), raw_dtype=form.type)

    def exact(self, name: str, values: F64) -> None:
        """Add values in single precision."""
        self.writer.add_tensor(name, values.astype(np.float32))

    def norm(self, name: str, size: int) -> None:
        """Add a norm's weights, all near one."""
        self.exact(name, _flat(name, (size,), 0.9, 1.1))

    def vocab(self, vocab: Vocab) -> None:
        """Add the tokenizer."""
        w = self.writer
        w.add_tokenizer_model("llama")
        w.add_tokenizer_pre("default")
        w.add_token_list(vocab.tokens)
        w.add_token_scores(vocab.scores)
        w.add_token_types(vocab.types)
        w.add_bos_token_id(1)
        w.add_eos_token_id(2)
        w.add_unk_token_id(0)
        w.add_add_bos_token(True)
        w.add_add_eos_token(False)

    def close(self) -> None:
        """Write everything out."""
        self.writer.write_header_to_file()
        self.writer.write_kv_data_to_file()
        self.writer.write_tensors_to_file()
        self.writer.close()


# --- architectures --------------------------------------------------------------------------------------------------
@dataclass(frozen=True)
class _Attention:
    layers: int
    width: int
    heads: int
    heads_kv: int
    head: int
    inner: int


@dataclass(frozen=True)
class _Window(_Attention):
    window: int
    period: int
    """One layer of every ``period`` sees everything, the others only the window."""


@dataclass(frozen=True)
class _Recurrent:
    layers: int
    width: int
    inner: int
    state: int
    steps: int
    """The rank of the time step (Mamba) or the number of heads (Mamba-2)."""
    kernel: int = 4


def _ends(sheet: _Sheet, width: int, embedding: float = 1.0) -> None:
    sheet.table("token_embd.weight", VOCAB_SIZE, width, embedding)
    sheet.norm("output_norm.weight", width)
    sheet.matrix("output.weight", VOCAB_SIZE, width, gain=3.0)


def _attention_keys(sheet: _Sheet, s: _Attention, *, heads_kv: int | list[int] | None = None) -> None:
    w = sheet.writer
    w.add_block_count(s.layers)
    w.add_embedding_length(s.width)
    w.add_feed_forward_length(s.inner)
    w.add_head_count(s.heads)
    w.add_head_count_kv(s.heads_kv if heads_kv is None else heads_kv)
    w.add_key_length(s.head)
    w.add_value_length(s.head)
    w.add_rope_dimension_count(s.head)
    w.add_rope_freq_base(10000.0)
    w.add_layer_norm_rms_eps(1e-5)


def _attention_layer(sheet: _Sheet, s: _Attention, prefix: str) -> None:
    sheet.norm(f"{prefix}.attn_norm.weight", s.width)
    # a gain above one in queries and keys makes attention sharp, so that the text depends on the whole context
    sheet.matrix(f"{prefix}.attn_q.weight", s.heads * s.head, s.width, gain=1.5)
    sheet.matrix(f"{prefix}.attn_k.weight", s.heads_kv * s.head, s.width, gain=1.5)
    sheet.matrix(f"{prefix}.attn_v.weight", s.heads_kv * s.head, s.width)
    sheet.matrix(f"{prefix}.attn_output.weight", s.width, s.heads * s.head, gain=2.0)
    _feed_forward(sheet, s, prefix)


def _feed_forward(sheet: _Sheet, s: _Attention, prefix: str) -> None:
    sheet.norm(f"{prefix}.ffn_norm.weight", s.width)
    sheet.matrix(f"{prefix}.ffn_gate.weight", s.inner, s.width)
    sheet.matrix(f"{prefix}.ffn_up.weight", s.inner, s.width)
    sheet.matrix(f"{prefix}.ffn_down.weight", s.width, s.inner, gain=2.0)


def _llama(sheet: _Sheet) -> None:
    s = _Attention(layers=3, width=64, heads=4, heads_kv=2, head=16, inner=128)
    _attention_keys(sheet, s)
    _ends(sheet, s.width)
    for layer in range(s.layers):
        _attention_layer(sheet, s, f"blk.{layer}")


def _llama_quants(sheet: _Sheet) -> None:
    s = _Attention(layers=2, width=256, heads=4, heads_kv=2, head=64, inner=256)
    _attention_keys(sheet, s)
    sheet.blocks("token_embd.weight", VOCAB_SIZE, s.width, _Q8_0, gain=math.sqrt(s.width))
    sheet.norm("output_norm.weight", s.width)
    sheet.blocks("output.weight", VOCAB_SIZE, s.width, _Q6_K, gain=3.0)
    forms = ((_Q4_K, _Q5_K, _Q6_K, _Q4_0, _Q8_0, _Q4_K, _Q6_K), (_Q4_1, _Q5_0, _Q8_0, _Q4_K, _Q5_K, _Q4_0, _Q4_K))
    for layer, (q, k, v, out, gate, up, down) in enumerate(forms):
        prefix, wide = f"blk.{layer}", s.heads * s.head
        sheet.norm(f"{prefix}.attn_norm.weight", s.width)
        sheet.blocks(f"{prefix}.attn_q.weight", wide, s.width, q, gain=1.5)
        sheet.blocks(f"{prefix}.attn_k.weight", s.heads_kv * s.head, s.width, k, gain=1.5)
        sheet.blocks(f"{prefix}.attn_v.weight", s.heads_kv * s.head, s.width, v)
        sheet.blocks(f"{prefix}.attn_output.weight", s.width, wide, out, gain=2.0)
        sheet.norm(f"{prefix}.ffn_norm.weight", s.width)
        sheet.blocks(f"{prefix}.ffn_gate.weight", s.inner, s.width, gate)
        sheet.blocks(f"{prefix}.ffn_up.weight", s.inner, s.width, up)
        sheet.blocks(f"{prefix}.ffn_down.weight", s.width, s.inner, down, gain=2.0)


def _llama_floats(sheet: _Sheet) -> None:
    s = _Attention(layers=3, width=64, heads=4, heads_kv=2, head=16, inner=128)
    _attention_keys(sheet, s)
    sheet.table("token_embd.weight", VOCAB_SIZE, s.width, 1.0)
    sheet.norm("output_norm.weight", s.width)
    sheet.brain("output.weight", VOCAB_SIZE, s.width, gain=3.0)
    for layer, add in enumerate((sheet.single, sheet.brain, sheet.matrix)):
        prefix, wide = f"blk.{layer}", s.heads * s.head
        sheet.norm(f"{prefix}.attn_norm.weight", s.width)
        add(f"{prefix}.attn_q.weight", wide, s.width, gain=1.5)
        add(f"{prefix}.attn_k.weight", s.heads_kv * s.head, s.width, gain=1.5)
        add(f"{prefix}.attn_v.weight", s.heads_kv * s.head, s.width)
        add(f"{prefix}.attn_output.weight", s.width, wide, gain=2.0)
        sheet.norm(f"{prefix}.ffn_norm.weight", s.width)
        add(f"{prefix}.ffn_gate.weight", s.inner, s.width)
        add(f"{prefix}.ffn_up.weight", s.inner, s.width)
        add(f"{prefix}.ffn_down.weight", s.width, s.inner, gain=2.0)


def _qwen3moe(sheet: _Sheet) -> None:
    s = _Attention(layers=2, width=256, heads=4, heads_kv=2, head=64, inner=256)
    experts = 4
    _attention_keys(sheet, s)
    sheet.writer.add_expert_count(experts)
    sheet.writer.add_expert_used_count(2)
    sheet.writer.add_expert_feed_forward_length(s.inner)
    sheet.blocks("token_embd.weight", VOCAB_SIZE, s.width, _Q8_0, gain=math.sqrt(s.width))
    sheet.norm("output_norm.weight", s.width)
    sheet.blocks("output.weight", VOCAB_SIZE, s.width, _Q6_K, gain=3.0)
    forms: tuple[tuple[_Blocks | None, _Blocks | None], ...] = ((None, None), (_Q4_K, _Q6_K))
    for layer, (up, down) in enumerate(forms):
        prefix, wide = f"blk.{layer}", s.heads * s.head
        sheet.norm(f"{prefix}.attn_norm.weight", s.width)
        sheet.blocks(f"{prefix}.attn_q.weight", wide, s.width, _Q8_0, gain=1.5)
        sheet.blocks(f"{prefix}.attn_k.weight", s.heads_kv * s.head, s.width, _Q8_0, gain=1.5)
        sheet.blocks(f"{prefix}.attn_v.weight", s.heads_kv * s.head, s.width, _Q8_0)
        sheet.blocks(f"{prefix}.attn_output.weight", s.width, wide, _Q4_0, gain=2.0)
        sheet.norm(f"{prefix}.attn_q_norm.weight", s.head)
        sheet.norm(f"{prefix}.attn_k_norm.weight", s.head)
        sheet.norm(f"{prefix}.ffn_norm.weight", s.width)
        sheet.single(f"{prefix}.ffn_gate_inp.weight", experts, s.width)
        sheet.experts(f"{prefix}.ffn_gate_exps.weight", experts, s.inner, s.width, up)
        sheet.experts(f"{prefix}.ffn_up_exps.weight", experts, s.inner, s.width, up)
        sheet.experts(f"{prefix}.ffn_down_exps.weight", experts, s.width, s.inner, down, gain=2.0)


def _lfm2(sheet: _Sheet) -> None:
    s = _Attention(layers=4, width=64, heads=4, heads_kv=2, head=16, inner=128)
    _attention_keys(sheet, s, heads_kv=[s.heads_kv if layer % 2 else 0 for layer in range(s.layers)])
    sheet.writer.add_shortconv_l_cache(3)
    sheet.table("token_embd.weight", VOCAB_SIZE, s.width, 1.0)
    sheet.norm("token_embd_norm.weight", s.width)  # this architecture's name for the norm before the output
    sheet.matrix("output.weight", VOCAB_SIZE, s.width, gain=3.0)
    for layer in range(s.layers):
        prefix = f"blk.{layer}"
        if layer % 2:
            _attention_layer(sheet, s, prefix)
            sheet.norm(f"{prefix}.attn_q_norm.weight", s.head)
            sheet.norm(f"{prefix}.attn_k_norm.weight", s.head)
            continue
        sheet.norm(f"{prefix}.attn_norm.weight", s.width)
        name = f"{prefix}.shortconv.conv.weight"
        sheet.exact(name, _bell(name, (s.width, 3), 1.0 / math.sqrt(3)))
        sheet.matrix(f"{prefix}.shortconv.in_proj.weight", 3 * s.width, s.width)
        sheet.matrix(f"{prefix}.shortconv.out_proj.weight", s.width, s.width, gain=2.0)
        _feed_forward(sheet, s, prefix)


def _gemma3(sheet: _Sheet, s: _Window) -> None:
    _attention_keys(sheet, s)
    sheet.writer.add_sliding_window(s.window)
    sheet.writer.add_sliding_window_pattern(s.period)
    # this architecture multiplies embeddings by the root of their width
    _ends(sheet, s.width, embedding=1.0 / math.sqrt(s.width))
    for layer in range(s.layers):
        prefix = f"blk.{layer}"
        _attention_layer(sheet, s, prefix)
        sheet.norm(f"{prefix}.attn_q_norm.weight", s.head)
        sheet.norm(f"{prefix}.attn_k_norm.weight", s.head)
        sheet.norm(f"{prefix}.post_attention_norm.weight", s.width)
        sheet.norm(f"{prefix}.post_ffw_norm.weight", s.width)


def _recurrent_keys(sheet: _Sheet, s: _Recurrent) -> None:
    w = sheet.writer
    w.add_block_count(s.layers)
    w.add_embedding_length(s.width)
    w.add_feed_forward_length(0)
    w.add_head_count(0)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_ssm_conv_kernel(s.kernel)
    w.add_ssm_inner_size(s.inner)
    w.add_ssm_state_size(s.state)
    w.add_ssm_time_step_rank(s.steps)


def _mamba(sheet: _Sheet) -> None:
    s = _Recurrent(layers=4, width=64, inner=128, state=16, steps=4)
    _recurrent_keys(sheet, s)
    _ends(sheet, s.width)
    for layer in range(s.layers):
        prefix = f"blk.{layer}"
        sheet.norm(f"{prefix}.attn_norm.weight", s.width)
        sheet.matrix(f"{prefix}.ssm_in.weight", 2 * s.inner, s.width)
        _convolution(sheet, prefix, s.inner, s.kernel)
        sheet.matrix(f"{prefix}.ssm_x.weight", s.steps + 2 * s.state, s.inner, gain=2.0)
        sheet.matrix(f"{prefix}.ssm_dt.weight", s.inner, s.steps, gain=0.5)
        sheet.exact(f"{prefix}.ssm_dt.bias", _flat(f"{prefix}.ssm_dt.bias", (s.inner,), -4.0, -1.0))
        sheet.exact(f"{prefix}.ssm_a", _flat(f"{prefix}.ssm_a", (s.inner, s.state), -8.0, -0.25))
        sheet.exact(f"{prefix}.ssm_d", _flat(f"{prefix}.ssm_d", (s.inner,), 0.5, 1.5))
        sheet.matrix(f"{prefix}.ssm_out.weight", s.width, s.inner, gain=4.0)


def _mamba2(sheet: _Sheet, s: _Recurrent) -> None:
    _recurrent_keys(sheet, s)
    sheet.writer.add_ssm_group_count(1)
    _ends(sheet, s.width)
    mixed = s.inner + 2 * s.state
    for layer in range(s.layers):
        prefix = f"blk.{layer}"
        sheet.norm(f"{prefix}.attn_norm.weight", s.width)
        sheet.matrix(f"{prefix}.ssm_in.weight", s.inner + mixed + s.steps, s.width)
        _convolution(sheet, prefix, mixed, s.kernel)
        sheet.exact(f"{prefix}.ssm_dt.bias", _flat(f"{prefix}.ssm_dt.bias", (s.steps,), -4.0, -1.0))
        sheet.exact(f"{prefix}.ssm_a", _flat(f"{prefix}.ssm_a", (s.steps, 1), -1.0, -0.05))
        sheet.exact(f"{prefix}.ssm_d", _flat(f"{prefix}.ssm_d", (s.steps, 1), 0.5, 1.5))
        sheet.norm(f"{prefix}.ssm_norm.weight", s.inner)
        sheet.matrix(f"{prefix}.ssm_out.weight", s.width, s.inner, gain=2.0)


def _convolution(sheet: _Sheet, prefix: str, channels: int, kernel: int) -> None:
    name = f"{prefix}.ssm_conv1d"
    sheet.exact(f"{name}.weight", _bell(f"{name}.weight", (channels, kernel), 1.0 / math.sqrt(kernel)))
    sheet.exact(f"{name}.bias", _flat(f"{name}.bias", (channels,), -0.1, 0.1))


_SMALL_WINDOW: Final = _Window(layers=4, width=64, heads=4, heads_kv=2, head=16, inner=96, window=64, period=2)
# 16 windowed layers x 224 cells x 2 x 4736 values of two bytes: 64.75 MiB. Window and a batch of 32 fill one block of
# 256 cells, so that some 40 generated tokens are enough to push the start of the window out of the cache
_HEAVY_WINDOW: Final = _Window(layers=17, width=32, heads=37, heads_kv=37, head=128, inner=32, window=224, period=17)
# 16 layers x 1024 x 1088 values of four bytes: 68 MiB, and the convolution's part
_HEAVY_RECURRENT: Final = _Recurrent(layers=16, width=32, inner=1088, state=1024, steps=17)

_BUILDERS: Final[dict[str, tuple[str, Callable[[_Sheet], None]]]] = {
    "llama": ("llama", _llama),
    "llama-quants": ("llama", _llama_quants),
    "llama-floats": ("llama", _llama_floats),
    "qwen3moe": ("qwen3moe", _qwen3moe),
    "mamba": ("mamba", _mamba),
    "lfm2": ("lfm2", _lfm2),
    "gemma3": ("gemma3", lambda sheet: _gemma3(sheet, _SMALL_WINDOW)),
    "mamba2-heavy": ("mamba2", lambda sheet: _mamba2(sheet, _HEAVY_RECURRENT)),
    "gemma3-heavy": ("gemma3", lambda sheet: _gemma3(sheet, _HEAVY_WINDOW)),
}

KINDS: Final = tuple(_BUILDERS)
"""The kinds that ``write_tiny_model`` knows."""


def write_tiny_model(kind: str, vocab_gguf: Path, out: Path) -> None:
    """Write the model ``kind`` to ``out`` with the tokenizer of ``vocab_gguf`` (models/ggml-vocab-llama-spm.gguf).

    The file appears under its name only when it is complete.
    """
    if kind not in _BUILDERS:
        raise ValueError(f"unknown kind {kind!r}, known: {', '.join(KINDS)}")
    arch, build = _BUILDERS[kind]
    vocab = read_vocab(vocab_gguf)
    part = out.with_name(out.name + ".part")
    sheet = _Sheet(part, arch, f"stackproof-tiny-{kind}")
    sheet.vocab(vocab)
    build(sheet)
    sheet.close()
    part.replace(out)


def main(arguments: list[str]) -> int:
    """Write one model from the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("vocab", type=Path, help="models/ggml-vocab-llama-spm.gguf of the engine's tree")
    parser.add_argument("out", type=Path)
    given = parser.parse_args(arguments)
    write_tiny_model(given.kind, given.vocab, given.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
