"""llama.cpp's bench: its command line with everything pinned, and what its output means.

It prints one JSON object a test to standard output, with times in nanoseconds, and what it is about to do to standard
error. Its tests read or write random tokens; the numbers come from the C library's own generator and are the same on
every run. The one place that knows this program's options and names.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verify.model.speed import Part, Workload
from verify.probe.program import Line

BENCH = "llama-bench"

LOAD_ENDS = "llama_init_from_model"
TEST_BEGINS = "ggml_threadpool_new"
TEST_ENDS = "llama_free"
"""Functions at whose first instruction the parts of a run meet: the model is there; a test begins; it is over."""

_STARTING = re.compile(r"llama-bench: benchmark (\d+)/\d+: starting")
_RUNNING = re.compile(r"llama-bench: benchmark (\d+)/\d+: (?:prompt|generation) run 1/")


class Unreadable(ValueError):
    """Output that is not what the program prints; the text says what was met."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tested:
    """One test: which part it is, how many tokens each repetition took, and the nanoseconds of each."""

    part: Part
    tokens: int
    nanoseconds: tuple[int, ...]


def parts_of(workload: Workload) -> tuple[Part, ...]:
    """The tests that the bench makes of a workload, in its order."""
    return tuple(part for part, tokens in ((Part.PREFILL, workload.prompt), (Part.DECODE, workload.generate)) if tokens)


def bench_options(workload: Workload, *, repetitions: int) -> tuple[str, ...]:
    """The options after the model: nothing is warmed up, nothing is fitted to the machine."""
    options = ["-p", str(workload.prompt), "-n", str(workload.generate), "-r", str(repetitions)]
    options += ["-t", str(workload.threads), "-b", str(workload.batch), "-ub", str(workload.microbatch)]
    options += ["-fa", "on" if workload.flash_attention else "off", "--repack", "1" if workload.repack else "0"]
    return (*options, "-ngl", "0", "-lm", "none", "--no-warmup", "--progress", "-o", "json")


def model_options(model: Path) -> tuple[str, ...]:
    """The options that name the model."""
    return "-m", str(model.absolute())


def read_bench(text: str, workload: Workload, *, repetitions: int) -> tuple[Tested, ...]:
    """The tests in the program's output; `Unreadable` unless they are exactly those that were asked for."""
    try:
        value = json.loads(text, parse_constant=_no_number)
    except ValueError as error:
        raise Unreadable(f"it is not JSON: {error}") from error
    if not isinstance(value, list) or not all(isinstance(each, Mapping) for each in value):
        raise Unreadable("it is not a list of tests")
    tests = tuple(_test(each, workload, repetitions) for each in value)
    met = tuple(test.part for test in tests)
    if met != parts_of(workload):
        raise Unreadable(f"the tests are {_listed(met)}, asked for were {_listed(parts_of(workload))}")
    return tests


def computed(lines: Sequence[Line], end: float, workload: Workload) -> tuple[float, ...]:
    """The processor seconds of each test, all its repetitions together, from what the program says as it goes on."""
    begun: dict[int, float] = {}
    ended: dict[int, float] = {}
    for line in lines:
        if match := _STARTING.match(line.text):
            ended[int(match[1]) - 1] = line.cpu_seconds
        elif match := _RUNNING.match(line.text):
            begun[int(match[1])] = line.cpu_seconds
    numbers = range(1, len(parts_of(workload)) + 1)
    ended[numbers[-1]] = end
    if begun.keys() != set(numbers) or not begun.keys() <= ended.keys():
        raise Unreadable(f"it told of the beginning of tests {sorted(begun)}, expected 1 to {numbers[-1]}")
    return tuple(ended[number] - begun[number] for number in numbers)


def _test(value: Mapping[str, object], workload: Workload, repetitions: int) -> Tested:
    prompt, generate = _whole(value, "n_prompt"), _whole(value, "n_gen")
    if (prompt > 0) == (generate > 0):
        raise Unreadable(f"a test reads {prompt} tokens and writes {generate}")
    part, tokens, asked = (
        (Part.PREFILL, prompt, workload.prompt) if prompt else (Part.DECODE, generate, workload.generate)
    )
    if tokens != asked:
        raise Unreadable(f"a {part} test took {tokens} tokens, asked for were {asked}")
    pinned = {
        "n_batch": workload.batch,
        "n_ubatch": workload.microbatch,
        "n_threads": workload.threads,
        "flash_attn": int(workload.flash_attention),
        "n_depth": 0,
    }
    for name, expected in pinned.items():
        if _whole(value, name) != expected:
            raise Unreadable(f"a {part} test ran with {name} {_whole(value, name)}, asked for was {expected}")
    if value.get("repack") is not workload.repack:
        raise Unreadable(f"a {part} test ran with repack {value.get('repack')!r:.80}")
    samples = value.get("samples_ns")
    if not isinstance(samples, list) or len(samples) != repetitions:
        raise Unreadable(f"a {part} test has times {samples!r:.80}, expected {repetitions}")
    times = tuple(_positive(each) for each in samples)
    average = value.get("avg_ts")
    if not isinstance(average, (int, float)) or not math.isfinite(average) or average <= 0:
        raise Unreadable(f"a {part} test says that {average!r:.80} tokens came a second")
    return Tested(part=part, tokens=tokens, nanoseconds=times)


def _whole(value: Mapping[str, object], name: str) -> int:
    met = value.get(name)
    if type(met) is not int:
        raise Unreadable(f"`{name}` is {met!r:.80}, expected a whole number")
    return met


def _positive(value: object) -> int:
    if type(value) is not int or value <= 0:
        raise Unreadable(f"a time is {value!r:.80}, expected nanoseconds")
    return value


def _no_number(name: str) -> float:
    raise ValueError(f"it has {name} for a number")


def _listed(parts: Sequence[Part]) -> str:
    return ", ".join(parts) or "none"
