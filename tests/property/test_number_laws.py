"""Whatever becomes of a program's output on its way, a figure is read as it stands or not at all."""

import math
from collections.abc import Callable

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.numbers.captured_output import captured
from verify.gates.timing import Paired, judge_paired
from verify.model.speed import Workload
from verify.probe.callgrind import read_count
from verify.probe.llama_bench import Unreadable, read_bench
from verify.probe.llama_perplexity import read_statistics, read_tokens

KLD, BENCH, COUNT = (captured(name) for name in ("kld-equal.txt", "bench.json", "counts.3"))


def spoiled(text: str) -> st.SearchStrategy[str]:
    """The text cut off, without a line, with a line twice, or with a character that is another one."""
    lines = text.splitlines(keepends=True)
    at_line, at = st.integers(0, len(lines) - 1), st.integers(0, len(text) - 1)
    return st.one_of(
        at.map(lambda end: text[:end]),
        at_line.map(lambda number: "".join(lines[:number] + lines[number + 1 :])),
        at_line.map(lambda number: "".join(lines[: number + 1] + lines[number:])),
        st.tuples(at, st.sampled_from("0-9.naif% \n\u00b1")).map(
            lambda pair: text[: pair[0]] + pair[1] + text[pair[0] + 1 :]
        ),
    )


def read_or_refused(read: Callable[[str], object], text: str) -> object:
    try:
        return read(text)
    except Unreadable:
        return None


@settings(derandomize=True, deadline=None, max_examples=150)
@given(spoiled(KLD))
def test_spoiled_figures_are_finite_or_refused(text: str) -> None:
    seen = read_or_refused(lambda given: read_statistics(given, chunks=6), text)
    if seen is not None:
        whole = read_statistics(KLD, chunks=6)
        assert read_statistics(text, chunks=6).chunks == whole.chunks
        figures = (seen.mean, seen.maximum, seen.same_top, seen.perplexity)  # type: ignore[attr-defined] # Statistics
        assert all(map(math.isfinite, figures))


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.integers(0, len(KLD) - len("Same top p: 100.000 ± 0.000 %\n\n")))
def test_output_that_was_cut_off_is_never_read(end: int) -> None:
    assert read_or_refused(lambda given: read_statistics(given, chunks=6), KLD[:end]) is None


@settings(derandomize=True, deadline=None, max_examples=150)
@given(st.integers(0, len(BENCH.rstrip()) - 1))
def test_a_bench_that_was_cut_off_is_never_read(end: int) -> None:
    workload = Workload(prompt=256, generate=32)
    assert read_or_refused(lambda given: read_bench(given, workload, repetitions=1), BENCH[:end]) is None


@settings(derandomize=True, deadline=None, max_examples=100)
@given(spoiled(BENCH), spoiled(COUNT))
def test_nothing_but_a_refusal_comes_of_spoiled_output(bench: str, count: str) -> None:
    read_or_refused(lambda given: read_bench(given, Workload(prompt=256, generate=32), repetitions=1), bench)
    read_or_refused(read_count, count)
    read_or_refused(lambda given: read_tokens(given, 4), bench)


seconds = st.lists(st.floats(0.01, 10.0), min_size=3, max_size=12)


@settings(derandomize=True, deadline=None, max_examples=20)
@given(seconds, st.floats(1.3, 3.0))
def test_a_factor_beyond_the_bound_fails_and_one_within_it_passes(under: list[float], factor: float) -> None:
    def judged(by: float) -> bool:
        clocks = [
            Paired(clock=clock, under=tuple(under), over=tuple(each * by for each in under))
            for clock in ("processor", "wall")
        ]
        told = judge_paired(what="w", ratio="a/b", clocks=clocks, rounds=len(under), bound=1.2, seed=1)
        return not told.failures and not told.doubts

    assert judged(1.0)
    assert not judged(factor)
