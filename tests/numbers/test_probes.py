"""The probes that count, time and compare, on real processes: what they see, and what they refuse."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.numbers.engine import arms, counted_program, fake_programs, measured
from tests.probe.fake_engine import MODEL, fake_engine
from verify.model.diagnostic import EnvironmentFault
from verify.model.divergence import Calibration, DivergenceObservation, DivergenceSettings, Shape
from verify.model.evidence import ProbeNeed
from verify.model.session import Drawn, Rounds, settings_of
from verify.model.speed import (
    Bound,
    CountObservation,
    CountSettings,
    Part,
    Program,
    SpeedObservation,
    SpeedSettings,
    Timed,
    Workload,
)
from verify.model.text import TEXTS, Text
from verify.probe.engine import BuiltEngine
from verify.probe.speed import is_known

WORKLOAD = Workload(prompt=256, generate=32)
SHAPE = Shape(context=128, chunks=6, batch=128, microbatch=128)
BOUNDS = (Bound(part=Part.PREFILL, ratio=1.5), Bound(part=Part.DECODE, ratio=1.5))
WRONG = Calibration(name="wrong-term", override="epsilon=float:1")


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> BuiltEngine:
    return fake_programs(tmp_path_factory.mktemp("programs"))


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> BuiltEngine:
    return counted_program(tmp_path_factory.mktemp("counted"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> BuiltEngine:
    return fake_engine(tmp_path_factory.mktemp("server"))


def divergence(**faults: str) -> ProbeNeed:
    settings = DivergenceSettings(text=TEXTS[Text.HARBOUR], shape=SHAPE, calibrations=(WRONG,))
    return ProbeNeed(probe="divergence", model=MODEL, arms=arms(**faults), settings=settings_of(settings))


def counts(**faults: str) -> ProbeNeed:
    settings = CountSettings(workload=WORKLOAD, repeats=2)
    return ProbeNeed(probe="counts", model=MODEL, arms=arms(**faults), settings=settings_of(settings))


def speed(**faults: str) -> ProbeNeed:
    settings = SpeedSettings(
        program=Program.BENCH,
        workload=WORKLOAD,
        rounds=Rounds(least=3, most=4, precision=0.5),
        bounds=BOUNDS,
        drawn=Drawn(),
    )
    return ProbeNeed(probe="speed", model=MODEL, arms=arms(**faults), settings=settings_of(settings))


def requests(**salts: str) -> ProbeNeed:
    settings = SpeedSettings(
        program=Program.SERVER,
        workload=Workload(prompt=12, generate=4),
        rounds=Rounds(least=3, most=3, precision=0.5),
        bounds=BOUNDS,
        drawn=Drawn(),
    )
    salted = tuple(replace(arm, env=(("FAKE_SALT", salts.get(arm.name, "0")),)) for arm in arms())
    return ProbeNeed(probe="speed", model=MODEL, arms=salted, settings=settings_of(settings))


def fault(need: ProbeNeed, engine: BuiltEngine, folder: Path) -> str:
    with pytest.raises(EnvironmentFault) as raised:
        measured(need, engine, folder)
    return raised.value.diagnostics[0].code


def test_each_arm_and_calibration_is_compared_and_the_baseline_is_removed(
    programs: BuiltEngine, tmp_path: Path
) -> None:
    seen = measured(divergence(), programs, tmp_path)
    assert isinstance(seen, DivergenceObservation)
    assert [arm.arm for arm in (*seen.arms, *seen.calibrations)] == ["upstream", "tip", "wrong-term"]
    assert seen.arms[0].statistics == seen.arms[1].statistics != seen.calibrations[0].statistics
    assert {arm.tokens for arm in seen.arms} == {seen.baseline.tokens}
    assert {file.name for file in seen.arms[0].loaded if file.built} == {"llama-perplexity", "llama-tokenize"}
    assert not list(tmp_path.rglob("baseline.bin"))


def test_a_tip_that_cuts_the_text_otherwise_is_seen(programs: BuiltEngine, tmp_path: Path) -> None:
    seen = measured(divergence(tip="other-tokens"), programs, tmp_path)
    assert isinstance(seen, DivergenceObservation)
    assert seen.arms[0].tokens == seen.baseline.tokens != seen.arms[1].tokens


def test_output_whose_end_was_lost_is_asked_for_again(programs: BuiltEngine, tmp_path: Path) -> None:
    seen = measured(divergence(tip="log-lost"), programs, tmp_path)
    assert isinstance(seen, DivergenceObservation)
    assert seen.arms[1].statistics == seen.arms[0].statistics


@pytest.mark.parametrize(
    ("faults", "code"),
    [
        ({"upstream": "cut-baseline"}, "output-unreadable"),
        ({"upstream": "mute"}, "output-unreadable"),
        ({"upstream": "fails"}, "program-failed"),
        ({"tip": "mute"}, "arm-broken"),
        ({"tip": "dies"}, "arm-broken"),
    ],
)
def test_a_comparison_without_figures_is_a_fault(
    programs: BuiltEngine, tmp_path: Path, faults: dict[str, str], code: str
) -> None:
    assert fault(divergence(**faults), programs, tmp_path) == code
    assert not list(tmp_path.rglob("baseline.bin"))


def test_a_bench_is_timed_by_two_clocks_in_paired_rounds(programs: BuiltEngine, tmp_path: Path) -> None:
    seen = measured(speed(tip="slow"), programs, tmp_path)
    assert isinstance(seen, SpeedObservation)
    assert seen.rounds in (3, 4)
    for arm in seen.arms:
        assert [each.tokens for each in arm.of(Part.PREFILL)] == [256] * seen.rounds
        assert all(each.cpu_seconds > 0 for each in arm.times)
        assert [file.name for file in arm.loaded if file.built] == ["llama-bench"]
    upstream, tip = (arm.of(Part.DECODE)[0].seconds for arm in seen.arms)
    assert tip > 2 * upstream  # the program's own figure


@pytest.mark.parametrize(
    ("faults", "code"), [({"upstream": "fails"}, "program-failed"), ({"tip": "dies"}, "arm-broken")]
)
def test_a_bench_that_breaks_down_is_a_fault(
    programs: BuiltEngine, tmp_path: Path, faults: dict[str, str], code: str
) -> None:
    assert fault(speed(**faults), programs, tmp_path) == code


def test_requests_to_a_server_are_timed_and_what_they_gave_is_known(server: BuiltEngine, tmp_path: Path) -> None:
    seen = measured(requests(tip="1"), server, tmp_path)
    assert isinstance(seen, SpeedObservation)
    for arm in seen.arms:
        assert [each.tokens for each in arm.of(Part.PREFILL)] == [12] * seen.rounds
        assert [each.tokens for each in arm.of(Part.DECODE)] == [4] * seen.rounds
        assert [file.name for file in arm.loaded if file.built] == ["llama-server"]
    upstream, tip = ([each.output for each in arm.of(Part.DECODE)] for arm in seen.arms)
    assert None not in upstream
    assert all(one != other for one, other in zip(upstream, tip, strict=True))  # its tokens are others


def times(seconds: Callable[[int], float], count: int) -> list[Timed]:
    return [
        Timed(part=part, round=at, tokens=1, seconds=1.0, cpu_seconds=seconds(at), output=None)
        for at in range(count)
        for part in (Part.PREFILL, Part.DECODE)
    ]


@pytest.mark.parametrize(
    ("over", "known"),
    [
        (lambda at: 1.0 + at / 1000, True),  # below the bound
        (lambda at: 2.0 + at / 1000, True),  # above it
        (lambda at: 1.0 if at % 2 else 2.0, False),  # across it
        (lambda at: 0.0, False),  # no time at all
    ],
)
def test_a_session_ends_when_its_bounds_are_decided(over: Callable[[int], float], known: bool) -> None:
    settings = SpeedSettings(
        program=Program.BENCH,
        workload=WORKLOAD,
        rounds=Rounds(least=3, most=9, precision=0.001),
        bounds=BOUNDS,
        drawn=Drawn(),
    )
    assert is_known(settings, times(lambda _: 1.0, 9), times(over, 9)) is known


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="counts need valgrind")
def test_five_per_cent_more_instructions_are_counted_where_they_are(counted: BuiltEngine, tmp_path: Path) -> None:
    seen = measured(counts(tip="slow"), counted, tmp_path)
    assert isinstance(seen, CountObservation)
    upstream, tip = ({count.part: min(count.instructions) for count in arm.counts} for arm in seen.arms)
    assert tip[Part.DECODE] / upstream[Part.DECODE] == pytest.approx(1.05, abs=0.001)
    assert tip[Part.PREFILL] / upstream[Part.PREFILL] == pytest.approx(1.0, abs=0.001)
    assert all(max(c.instructions) - min(c.instructions) < 100 for arm in seen.arms for c in arm.counts)
    assert [file.name for file in seen.arms[0].loaded if file.built] == ["llama-bench"]


@pytest.mark.skipif(shutil.which("valgrind") is None, reason="counts need valgrind")
def test_a_test_that_was_not_told_apart_is_not_counted(counted: BuiltEngine, tmp_path: Path) -> None:
    assert fault(counts(upstream="lost"), counted, tmp_path) == "output-unreadable"
