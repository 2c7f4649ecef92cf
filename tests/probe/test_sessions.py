"""What a session on a well-behaved engine observes, and how often it is repeated."""

from dataclasses import replace
from pathlib import Path

from tests.probe.conftest import Measure
from tests.probe.fake_engine import LIMITS, MODEL, SYSTEM, arm, model_file, token_need
from verify.gates.exercise import checkpoint_resume_session, warm_behind_cold_session
from verify.model.evidence import ProbeNeed
from verify.model.ids import Sha256
from verify.model.progress import Silent
from verify.model.session import Mark, Rounds
from verify.probe.engine import BuiltEngine, build_identity
from verify.probe.machine import Machine, this_machine
from verify.probe.registry import PROBES
from verify.probe.run import probe_key, run_probe

MACHINE = Machine(architecture="x86_64", processor="some")


def key(need: ProbeNeed, *, build: str = "b", model: str = "m", machine: Machine = MACHINE) -> Sha256:
    return probe_key(
        need=need,
        builds={each.build: Sha256(build * 64) for each in need.arms},
        model=Sha256(model * 64),
        machine=machine,
    ).digest


def cold_need(**more: object) -> ProbeNeed:
    settings = {"cold": 240, "history": 8, "warm": 8, "generate": 4, "batch": 64} | more
    return warm_behind_cold_session(model=MODEL, arms=(arm("off"), arm("on")), **settings)  # type: ignore[arg-type] # only sizes


def test_token_ids_text_and_probabilities_are_observed(measure: Measure) -> None:
    first = measure(token_need(arm("only"))).arms[0].answers[0]
    assert (first.ids, first.text, len(first.candidates), first.prompt_tokens) == (
        (21, 24, 27, 30, 33, 36),
        " 21 24 27 30 33 36",
        6,
        3,
    )


def test_arms_differ_by_their_environment_alone(measure: Measure) -> None:
    one, two = measure(token_need(arm("one"), arm("two", FAKE_SALT="1"))).arms
    assert (one.answers[0].ids[0], two.answers[0].ids[0]) == (21, 22)


def test_nothing_of_our_environment_reaches_the_engine(measure: Measure, tmp_path: Path) -> None:
    measure(token_need(arm("only", SWITCH="0")))
    (path,) = (tmp_path / "scratch").glob("*/0-only.out")
    log = path.read_text(encoding="utf-8")
    names = {line.removeprefix("environment: ").split("=")[0] for line in log.splitlines()}
    assert names == {"PATH", "HOME", "TMPDIR", "LC_ALL", "LD_LIBRARY_PATH", "GGML_NO_BACKTRACE", "SWITCH"}


def test_marks_are_counted_in_each_round(measure: Measure) -> None:
    marks = (Mark(name="seen", pattern="^prefill .*rotated"),)
    need = checkpoint_resume_session(
        model=MODEL,
        arms=(arm("off"), arm("on", FAKE_SAYS="prefill was rotated")),
        prompt=10,
        resumes=1,
        generate=3,
        rounds=Rounds(least=2, most=2, precision=1.0),
        marks=marks,
    )
    assert [each.mark("seen") for each in measure(need).arms] == [(0, 0), (2, 2)]


def test_what_was_loaded_is_known_by_digest(measure: Measure, engine: BuiltEngine) -> None:
    loaded = measure(token_need(arm("only"))).arms[0].loaded
    assert [(file.name, file.sha256) for file in loaded if file.built] == [
        ("llama-server", engine.observation.artifacts[0].sha256)
    ]
    assert any(file.name.startswith("/") for file in loaded if not file.built)


def test_a_warm_request_is_sent_while_the_cold_one_is_read(measure: Measure) -> None:
    run = measure(cold_need())
    cold, warm = run.arms[0].named("cold")[0], run.arms[0].named("warm")[0]
    assert cold.batches == 30
    assert 1 <= warm.waited_batches < 29


def test_a_session_ends_when_its_ratios_are_known(measure: Measure) -> None:
    assert measure(cold_need(rounds=Rounds(least=1, most=5, precision=1000.0))).rounds == 3


def test_a_session_goes_on_while_its_ratios_are_not_known(measure: Measure) -> None:
    assert measure(cold_need(rounds=Rounds(least=1, most=4, precision=0.0))).rounds == 4


def test_memory_and_time_are_observed(measure: Measure) -> None:
    run = measure(token_need(arm("only")))
    assert run.arms[0].peak_kib > 1000
    assert 0 < run.arms[0].start_seconds < run.seconds


def test_no_path_of_this_machine_is_in_the_command(measure: Measure, tmp_path: Path) -> None:
    command = measure(token_need(arm("only"))).arms[0].command
    assert not any(str(tmp_path) in part or part.startswith("/") for part in command)


def test_logs_are_gone_when_all_went_well(engine: BuiltEngine, tmp_path: Path) -> None:
    need = token_need(arm("only"))
    run_probe(
        need=need,
        builds={need.arms[0].build: engine},
        model=model_file(tmp_path),
        scratch=tmp_path / "scratch",
        progress=Silent(),
        limits=LIMITS,
        system=SYSTEM,
    )
    assert list((tmp_path / "scratch").iterdir()) == []


def test_every_probe_that_a_gate_asks_for_exists() -> None:
    sessions = (token_need(arm("only")), cold_need(), checkpoint_resume_session(model=MODEL, arms=(arm("only"),)))
    assert {need.probe for need in sessions} <= set(PROBES)


def test_a_key_changes_with_whatever_may_change_the_outcome() -> None:
    need = token_need(arm("only"))
    changed = {
        "build": key(need, build="c"),
        "model": key(need, model="n"),
        "environment": key(token_need(arm("only", SWITCH="0"))),
        "arm": key(token_need(arm("other"))),
        "settings": key(token_need(arm("only"), tokens=7)),
        "architecture": key(need, machine=replace(MACHINE, architecture="aarch64")),
        "probe": key(cold_need()),
    }
    assert len({key(need), *changed.values()}) == len(changed) + 1


def test_only_times_depend_on_the_processor() -> None:
    other = replace(MACHINE, processor="another")
    tokens, cold = token_need(arm("only")), cold_need()
    assert (key(tokens) == key(tokens, machine=other), key(cold) == key(cold, machine=other)) == (True, False)


def test_a_build_is_named_by_its_key_and_its_files(engine: BuiltEngine) -> None:
    other = replace(engine.observation.artifacts[0], sha256=Sha256("0" * 64))
    changed = replace(engine.observation, artifacts=(other,))
    assert build_identity(engine.key, engine.observation) != build_identity(engine.key, changed)


def test_times_of_the_build_do_not_name_it(engine: BuiltEngine) -> None:
    later = replace(engine.observation, wall_seconds=99.0, log="elsewhere")
    assert build_identity(engine.key, engine.observation) == build_identity(engine.key, later)


def test_this_machine_has_a_class() -> None:
    machine = this_machine()
    assert machine.architecture
    assert "processors" in machine.processor
