"""llama.cpp's perplexity tool and tokenizer: their command lines, the baseline file, and what their output means.

The figures stand on standard output; whatever the engine logs goes to standard error and is never read for one. The
tool ends with status 0 even where it could not read the baseline or had too few tokens, so only output that has every
figure, each a number, and as many windows as were asked for is believed. The one place that knows these programs.
"""

import math
import re
import struct
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from verify.model.divergence import Calibration, Shape, Statistics
from verify.model.ids import Sha256
from verify.probe.llama_bench import Unreadable

PERPLEXITY, TOKENIZE = "llama-perplexity", "llama-tokenize"

_MAGIC = b"_logits_"
_MOST_TOKENS = 1 << 24
_NUMBER = r"(-?(?:\d+\.\d+|nan|inf))"
_ROW = re.compile(rf"^ *(\d+) +{_NUMBER} ± ")
_FIGURE = re.compile(rf"^ *([^:=]*\S) *: *{_NUMBER} *(?:%|±.*)?$")
_NAMED = {"mean kld": "mean", "maximum kld": "maximum", "same top p": "same_top", "mean ppl(q)": "perplexity"}
_SKIPPED = frozenset({"cor(ln(ppl(q)), ln(ppl(base)))"})


@dataclass(frozen=True, slots=True, kw_only=True)
class BaselineHead:
    """The head of a baseline file: window length, vocabulary, windows, and the digest of their token ids."""

    context: int
    vocabulary: int
    chunks: int
    tokens: Sha256


def perplexity_options(shape: Shape, calibration: Calibration | None = None) -> tuple[str, ...]:
    """The options that decide what is computed; those that name files are not among them."""
    flash = shape.flash_attention != (calibration is not None and calibration.other_attention)
    options = ["-c", str(shape.context), "--chunks", str(shape.chunks)]
    options += ["-b", str(shape.batch), "-ub", str(shape.microbatch)]
    options += ["-t", str(shape.threads), "-tb", str(shape.threads)]
    options += ["-fa", "on" if flash else "off", "--repack" if shape.repack else "--no-repack"]
    if calibration is not None and calibration.override:
        options += ["--override-kv", calibration.override]
    return (*options, "--no-warmup", "-fit", "off", "-lv", "1", "--log-colors", "off", "--no-log-prefix")


def writing_options(model: Path, text: Path, baseline: Path) -> tuple[str, ...]:
    """What makes it write a baseline."""
    return "-m", str(model.absolute()), "-f", str(text), "--kl-divergence-base", str(baseline)


def comparing_options(model: Path, baseline: Path) -> tuple[str, ...]:
    """What makes it compare with a baseline, over the tokens in that."""
    return "-m", str(model.absolute()), "--kl-divergence-base", str(baseline), "--kl-divergence"


def tokenize_options(model: Path, text: Path) -> tuple[str, ...]:
    """What makes the tokenizer print the ids of a text."""
    return "-m", str(model.absolute()), "-f", str(text), "--ids", "--log-disable"


def read_baseline_head(path: Path) -> BaselineHead:
    """The head of a baseline file, whose size must be that of a whole one."""
    with path.open("rb") as file:
        if file.read(8) != _MAGIC:
            raise Unreadable("the baseline does not begin as one")
        head = file.read(12)
        if len(head) != 12:
            raise Unreadable("the baseline ends in its head")
        context, vocabulary, chunks = struct.unpack("=Iii", head)
        if context < 4 or vocabulary < 2 or chunks < 1 or context * chunks > _MOST_TOKENS:
            raise Unreadable(f"the baseline has {chunks} windows of {context} tokens out of {vocabulary}")
        ids = file.read(4 * context * chunks)
    rows = context - 1 - context // 2
    whole = 20 + 4 * context * chunks + chunks * rows * 2 * (2 * ((vocabulary + 1) // 2) + 4)
    if path.stat().st_size != whole:
        raise Unreadable(f"the baseline has {path.stat().st_size} bytes, a whole one would have {whole}")
    return BaselineHead(context=context, vocabulary=vocabulary, chunks=chunks, tokens=Sha256(sha256(ids).hexdigest()))


def read_tokens(text: str, count: int) -> Sha256:
    """The digest of the first `count` ids of the tokenizer's output, in the form in which a baseline holds them."""
    if not re.fullmatch(r"\s*\[\d+(?:, \d+)*\]\s*", text):
        raise Unreadable(f"it is no list of token ids: {text!r:.80}")
    ids = [int(each) for each in text.strip()[1:-1].split(",")]
    if len(ids) < count:
        raise Unreadable(f"the text has {len(ids)} tokens, fewer than the {count} that the windows take")
    if max(ids) >= 1 << 31:
        raise Unreadable(f"{max(ids)} is no token id")
    return Sha256(sha256(array("i", ids[:count]).tobytes()).hexdigest())


def read_statistics(text: str, *, chunks: int) -> Statistics:
    """The figures in the output of a comparison; `Unreadable` where one is missing or no number."""
    lines = text.splitlines()
    rows = [int(match[1]) for line in lines if (match := _ROW.match(line))]
    if rows != list(range(1, chunks + 1)):
        raise Unreadable(f"it tells of {len(rows)} windows, asked for were {chunks}")
    named: dict[str, float] = {}
    others: dict[str, float] = {}
    for printed, value in _figures(lines):
        into, name = (named, _NAMED[printed]) if printed in _NAMED else (others, printed)
        if name in into:
            raise Unreadable(f"`{printed}` is there twice")
        if printed not in _SKIPPED:
            into[name] = value
    missing = sorted(set(_NAMED.values()) - named.keys())
    if missing:
        raise Unreadable(f"figures are missing: {', '.join(missing)}")
    bad = sorted(name for name, value in (named | others).items() if not math.isfinite(value))
    if bad:
        raise Unreadable(f"figures are no numbers: {', '.join(bad)}")
    if not 0 <= named["same_top"] <= 100 or named["perplexity"] <= 0:
        raise Unreadable(f"same top {named['same_top']} %, perplexity {named['perplexity']}: these cannot be")
    return Statistics(chunks=chunks, others=tuple(sorted(others.items())), **named)


def _figures(lines: list[str]) -> Iterator[tuple[str, float]]:
    """Every named figure below the table of windows."""
    for line in lines:
        match = _FIGURE.match(line)
        if match is not None:
            yield " ".join(match[1].lower().split()), float(match[2])
