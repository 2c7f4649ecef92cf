"""What the programs print is read exactly, and whatever is missing, cut off or no number is refused."""

import json
import shutil
import struct
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from tests.numbers.captured_output import FOLDER, captured
from verify.model.divergence import Shape
from verify.model.speed import Part, Workload
from verify.probe.callgrind import Counted, phases, read_count, read_counts
from verify.probe.llama_bench import (
    LOAD_ENDS,
    TEST_BEGINS,
    TEST_ENDS,
    Unreadable,
    bench_options,
    computed,
    read_bench,
)
from verify.probe.llama_perplexity import (
    perplexity_options,
    read_baseline_head,
    read_statistics,
    read_tokens,
)
from verify.probe.program import Line

WORKLOAD = Workload(prompt=256, generate=32)
Edit = Callable[[str], str]


def without(line: str) -> Edit:
    return lambda text: "\n".join(each for each in text.splitlines() if not each.startswith(line))


def swapped(old: str, new: str) -> Edit:
    def edit(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return edit


def bench(edit: Callable[[list[dict[str, object]]], object]) -> Edit:
    def edited(text: str) -> str:
        value = json.loads(text)
        changed = edit(value)
        return json.dumps(value if changed is None else changed)

    return edited


def test_a_bench_gives_its_tests_with_tokens_and_times() -> None:
    prefill, decode = read_bench(captured("bench.json"), WORKLOAD, repetitions=1)
    assert (prefill.part, prefill.tokens, decode.part, decode.tokens) == (Part.PREFILL, 256, Part.DECODE, 32)
    assert prefill.nanoseconds == tuple(json.loads(captured("bench.json"))[0]["samples_ns"])


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "",
        lambda text: text[:-20],
        lambda text: text.replace('"avg_ts": ', '"avg_ts": NaN, "x": '),
        bench(lambda tests: tests[:1]),
        bench(lambda tests: tests[::-1]),
        bench(lambda tests: []),
        bench(lambda tests: tests[0]),
        bench(lambda tests: tests[0].update(n_prompt=0)),
        bench(lambda tests: tests[0].update(n_prompt=255)),
        bench(lambda tests: tests[0].update(n_gen=1)),
        bench(lambda tests: tests[1].update(samples_ns=[])),
        bench(lambda tests: tests[1].update(samples_ns=[0])),
        bench(lambda tests: tests[1].update(samples_ns=[1.5])),
        bench(lambda tests: tests[1].update(samples_ns=[5, 5])),
        bench(lambda tests: tests[1].update(avg_ts=0)),
        bench(lambda tests: tests[1].update(avg_ts="many")),
        bench(lambda tests: tests[1].update(n_threads=2)),
        bench(lambda tests: tests[1].update(n_ubatch=64)),
        bench(lambda tests: tests[1].update(flash_attn=-1)),
        bench(lambda tests: tests[1].update(repack=False)),
        bench(lambda tests: tests[1].pop("n_batch")),
    ],
)
def test_a_bench_that_did_not_run_what_was_asked_is_refused(edit: Edit) -> None:
    with pytest.raises(Unreadable):
        read_bench(edit(captured("bench.json")), WORKLOAD, repetitions=1)


def test_what_the_bench_says_on_its_way_parts_its_processor_time() -> None:
    times = (0.5, 0.6, 0.9, 1.5, 1.7, 1.8)
    lines = [
        Line(text=text, cpu_seconds=at) for text, at in zip(captured("bench.err").splitlines(), times, strict=True)
    ]
    assert computed(lines, 2.0, WORKLOAD) == pytest.approx((0.9, 0.3))
    with pytest.raises(Unreadable):
        computed(lines[:3], 2.0, WORKLOAD)


def test_every_setting_that_changes_what_is_computed_is_pinned() -> None:
    common = {"-t", "-b", "-ub", "-fa"}
    assert common | {"--repack", "-ngl", "-lm"} <= set(bench_options(WORKLOAD, repetitions=1))
    shape = Shape(context=128, chunks=6, batch=128, microbatch=128)
    assert common | {"-c", "--chunks", "-tb", "--repack", "-fit"} <= set(perplexity_options(shape))


def test_files_of_counts_are_read_in_the_order_of_their_making() -> None:
    counts = read_counts(FOLDER)
    load, tests = phases(counts, loaded=LOAD_ENDS, begins=TEST_BEGINS, ends=TEST_ENDS, tests=2)
    assert [each.before for each in counts] == [*(LOAD_ENDS, TEST_BEGINS, TEST_ENDS) * 2, ""]
    assert (load, tests) == (counts[0].instructions, (counts[2].instructions, counts[5].instructions))
    assert tests[0] == 56579774


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "",
        without("summary"),
        without("desc: Trigger"),
        lambda text: text + text,
        swapped("events: Ir", "events: Ir Dr Dw"),
        swapped("summary: ", "summary: -"),
        swapped("--dump-before=llama_free", "--dump-after=llama_free"),
    ],
)
def test_a_file_of_counts_that_is_not_whole_is_refused(edit: Edit) -> None:
    with pytest.raises(Unreadable):
        read_count(edit(captured("counts.3")))


def test_counts_that_were_not_written_are_no_counts(tmp_path: Path) -> None:
    shutil.copy(FOLDER / "counts.1", tmp_path)
    with pytest.raises(Unreadable):
        read_counts(tmp_path)


@pytest.mark.parametrize("tests", [0, 1, 3])
def test_counts_of_another_number_of_tests_are_refused(tests: int) -> None:
    with pytest.raises(Unreadable):
        phases(read_counts(FOLDER), loaded=LOAD_ENDS, begins=TEST_BEGINS, ends=TEST_ENDS, tests=tests)


def test_a_run_that_never_had_loaded_its_model_is_refused() -> None:
    counts = (Counted(before=TEST_BEGINS, instructions=1), Counted(before=TEST_ENDS, instructions=2))
    with pytest.raises(Unreadable):
        phases(counts, loaded=LOAD_ENDS, begins=TEST_BEGINS, ends=TEST_ENDS, tests=1)


def test_a_comparison_gives_mean_maximum_and_same_top() -> None:
    equal, wrong = (read_statistics(captured(f"kld-{name}.txt"), chunks=6) for name in ("equal", "wrong"))
    assert (equal.chunks, equal.mean, equal.maximum, equal.same_top) == (6, 0.0, 3.4e-05, 100.0)
    assert wrong.mean > 1e-5
    assert wrong.maximum > 1e-4
    assert len(equal.others) > 20


@pytest.mark.parametrize(
    "edit",
    [
        lambda text: "",
        lambda text: text[: len(text) // 2],
        without("Mean    KLD"),
        without("Maximum KLD"),
        without("Same top p"),
        without("Mean PPL(Q)                   :"),
        without("   6 "),
        without("   2 "),
        swapped("Maximum KLD:   0.000034", "Maximum KLD:        nan"),
        swapped("Mean    KLD:   0.000000", "Mean    KLD:       -nan"),
        swapped("Same top p: 100.000", "Same top p: 100.001"),
        swapped("Same top p: 100.000", "Same top p:     inf"),
        lambda text: text + "\nMaximum KLD:   0.000000\n",
    ],
)
def test_a_comparison_that_lacks_a_figure_or_a_window_is_refused(edit: Edit) -> None:
    with pytest.raises(Unreadable):
        read_statistics(edit(captured("kld-equal.txt")), chunks=6)


@pytest.mark.parametrize("name", ["kld-too-few.txt", "kld-no-baseline.txt", "kld-no-baseline.err"])
@pytest.mark.parametrize("chunks", [1, 6])
def test_a_comparison_that_ended_well_and_compared_nothing_is_refused(name: str, chunks: int) -> None:
    with pytest.raises(Unreadable):
        read_statistics(captured(name), chunks=chunks)


def test_figures_beside_the_output_are_never_read() -> None:
    with pytest.raises(Unreadable):
        read_statistics(captured("kld-no-baseline.err") + "Mean    KLD:   0.000000 ±   0.000000\n", chunks=6)


def baseline(path: Path, *, context: int = 8, vocabulary: int = 3, chunks: int = 2, cut: int = 0) -> Path:
    head = b"_logits_" + struct.pack("=Iii", context, vocabulary, chunks)
    ids = struct.pack(f"={context * chunks}i", *range(context * chunks))
    rows = b"\0" * (chunks * (context - 1 - context // 2) * 2 * (2 * ((vocabulary + 1) // 2) + 4))
    data = head + ids + rows
    path.write_bytes(data[: len(data) - cut])
    return path


def test_a_baselines_head_says_what_it_was_made_of(tmp_path: Path) -> None:
    head = read_baseline_head(baseline(tmp_path / "b"))
    assert (head.context, head.vocabulary, head.chunks) == (8, 3, 2)
    assert head.tokens == read_tokens(str(list(range(20))), 16)


@pytest.mark.parametrize("cut", [1, 40, 100, 10_000])
def test_a_baseline_that_is_not_whole_is_refused(tmp_path: Path, cut: int) -> None:
    with pytest.raises(Unreadable):
        read_baseline_head(baseline(tmp_path / "b", cut=cut))


@pytest.mark.parametrize("shape", [{"context": 0}, {"vocabulary": 1}, {"context": 1 << 20, "chunks": 0}])
def test_a_baseline_of_nothing_is_refused(tmp_path: Path, shape: dict[str, int]) -> None:
    path = tmp_path / "b"
    values = {"context": 8, "vocabulary": 3, "chunks": 2} | shape
    path.write_bytes(b"_logits_" + struct.pack("=Iii", *values.values()) + b"\0" * 4096)
    with pytest.raises(Unreadable):
        read_baseline_head(path)


def test_tokens_are_known_by_their_first_ids() -> None:
    ids = [int(each) for each in captured("tokens.txt").strip()[1:-1].split(",")]
    expected = sha256(struct.pack("=16i", *ids[:16])).hexdigest()
    assert read_tokens(captured("tokens.txt"), 16) == expected
    assert read_tokens(captured("tokens.txt"), 17) != expected


@pytest.mark.parametrize("text", ["", "[]", "[1, 2", "1, 2, 3", "[1, two, 3]", "[1, 2, 3]", "[1, 2, 3, 4294967296]"])
def test_what_is_no_list_of_enough_tokens_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        read_tokens(text, 4)


def test_uncertainties_are_no_part_of_the_figures() -> None:
    text = captured("kld-equal.txt")
    other = "\n".join(line.replace("±   0.000000", "±   0.000009") for line in text.splitlines())
    assert read_statistics(other, chunks=6) == read_statistics(text, chunks=6)
    assert replace(read_statistics(text, chunks=6), mean=1.0) != read_statistics(text, chunks=6)
