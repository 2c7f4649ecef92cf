"""An engine that does not start, does not answer, dies, lies about itself: each has its own name, nothing is left."""

import shutil
import sysconfig
import time
from dataclasses import replace
from pathlib import Path

import pytest

from tests.probe.conftest import Measure
from tests.probe.fake_engine import LIMITS, MODEL, SYSTEM, arm, build_need, built, fake_engine, model_file, token_need
from tests.probe.living import living_in
from verify.gates.exercise import checkpoint_resume_session
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.evidence import ProbeNeed
from verify.model.progress import Silent
from verify.probe.engine import BuiltEngine, Limits
from verify.probe.run import run_probe
from verify.sandbox.confined import confinement

SHORT = Limits(start_seconds=5.0, answer_seconds=0.5, stop_seconds=0.5)
AT_ONCE = Limits(start_seconds=0.4)


def fault_of(measure: Measure, need: ProbeNeed, limits: Limits = LIMITS) -> Diagnostic:
    with pytest.raises(EnvironmentFault) as caught:
        measure(need, limits)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


@pytest.mark.parametrize(
    ("fake", "code", "told"),
    [
        ("exits", "server-not-starting", "ended with status 3"),
        ("mute", "server-silent", "did not answer `prompt-0`"),
        ("trickles", "server-silent", "did not answer `prompt-0`"),
        ("dies", "server-died", "signal SIGABRT while answering `prompt-0`"),
        ("is-killed", "server-killed", "was killed from outside"),
        ("stops-early", "answer-broken", "the connection broke"),
        ("talks-nonsense", "answer-broken", "the connection broke"),
        ("refuses", "answer-refused", "status 500"),
    ],
)
def test_each_way_to_fail_has_its_name(measure: Measure, fake: str, code: str, told: str) -> None:
    diagnostic = fault_of(measure, token_need(arm("only", FAKE=fake)), SHORT)
    assert (diagnostic.code, told in diagnostic.message) == (code, True), diagnostic


@pytest.mark.parametrize(
    ("fake", "code", "told"),
    [
        ("mute", "server-silent", "did not answer `first`"),
        ("trickles", "server-silent", "did not answer `first`"),
        ("dies", "server-died", "signal SIGABRT while answering `first`"),
        ("stops-early", "answer-broken", "ended after 2 tokens without its last event"),
        ("talks-nonsense", "answer-broken", "an event is not JSON"),
    ],
)
def test_a_stream_that_fails_half_way_has_a_name_too(measure: Measure, fake: str, code: str, told: str) -> None:
    need = checkpoint_resume_session(model=MODEL, arms=(arm("only", FAKE=fake),), prompt=8, generate=6)
    diagnostic = fault_of(measure, need, SHORT)
    assert (diagnostic.code, told in diagnostic.message) == (code, True), diagnostic


@pytest.mark.parametrize("fake", ["hangs", "unready", "listens-everywhere"])
def test_a_server_that_never_gets_ready_is_given_up(measure: Measure, fake: str) -> None:
    diagnostic = fault_of(measure, token_need(arm("only", FAKE=fake)), AT_ONCE)
    assert (diagnostic.code, "was not ready" in diagnostic.message) == ("server-not-starting", True)


def test_the_last_lines_are_told(measure: Measure) -> None:
    assert "| error: failed to load model" in fault_of(measure, token_need(arm("only", FAKE="exits"))).notes


def test_an_arm_that_breaks_down_beside_one_that_serves_is_at_fault(measure: Measure) -> None:
    diagnostic = fault_of(measure, token_need(arm("below"), arm("on", FAKE="dies")))
    assert diagnostic.code == "arm-broken"
    assert any("server-died" in note for note in diagnostic.notes)


def test_a_first_arm_that_breaks_down_blames_nobody(measure: Measure) -> None:
    assert fault_of(measure, token_need(arm("below", FAKE="dies"), arm("on"))).code == "server-died"


def test_an_arm_that_was_killed_from_outside_is_not_at_fault(measure: Measure) -> None:
    assert fault_of(measure, token_need(arm("below"), arm("on", FAKE="is-killed"))).code == "server-killed"


@pytest.mark.parametrize("name", ["LD_PRELOAD", "LD_LIBRARY_PATH", "PATH", "HOME"])
def test_no_switch_may_decide_what_is_run(measure: Measure, name: str) -> None:
    assert fault_of(measure, token_need(arm("only", **{name: "x"}))).code == "arm-environment"


def test_a_library_from_elsewhere_is_found(measure: Measure, tmp_path: Path) -> None:
    foreign = tmp_path / "elsewhere.so"
    shutil.copy(some_library(), foreign)
    diagnostic = fault_of(measure, token_need(arm("only", FAKE=f"loads:{foreign}")))
    assert (diagnostic.code, diagnostic.place and diagnostic.place.file) == ("foreign-library", str(foreign))


def test_a_system_library_under_the_name_of_a_built_one_is_found(engine: BuiltEngine, tmp_path: Path) -> None:
    names = (some_library().name, "llama-server")
    artifacts = tuple(replace(engine.observation.artifacts[0], name=name) for name in names)
    twin = replace(engine, observation=replace(engine.observation, artifacts=artifacts))
    assert fault_on(twin, tmp_path, token_need(arm("only", FAKE=f"loads:{some_library()}"))).code == "foreign-library"


def test_a_program_that_was_changed_after_its_build_is_found(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    with engine.program().open("ab") as program:
        program.write(b"\0")
    assert fault_on(engine, tmp_path, token_need(arm("only"))).code == "foreign-library"


def test_a_build_without_the_program_is_told(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    engine.program().unlink()
    assert fault_on(engine, tmp_path, token_need(arm("only"))).code == "program-missing"


def test_a_program_that_cannot_be_run_is_told(tmp_path: Path) -> None:
    engine = fake_engine(tmp_path)
    engine.program().write_bytes(b"\x7fELF but not really")
    spoiled = replace(engine, observation=built(engine.program()))
    assert fault_on(spoiled, tmp_path, token_need(arm("only"))).code == "server-not-starting"


def test_a_missing_model_is_told_before_anything_runs(engine: BuiltEngine, tmp_path: Path) -> None:
    assert fault_on(engine, tmp_path, token_need(arm("only")), damage="remove").code == "model-missing"


def test_a_cut_off_model_is_told_before_anything_runs(engine: BuiltEngine, tmp_path: Path) -> None:
    assert fault_on(engine, tmp_path, token_need(arm("only")), damage="cut").code == "model-damaged"


def test_a_server_and_its_children_are_gone_afterwards(measure: Measure, tmp_path: Path) -> None:
    measure(token_need(arm("only", FAKE="has-children")))
    assert "child: " in log_of(tmp_path, "0-only.err").read_text(encoding="utf-8")
    assert living_in(tmp_path) == set()


def test_a_server_that_takes_all_memory_is_ended_and_named(measure: Measure) -> None:
    little = replace(SHORT, memory_bytes=150 << 20, answer_seconds=10.0)
    diagnostic = fault_of(measure, token_need(arm("only", FAKE="eats-memory"), tokens=3), little)
    assert (diagnostic.code, diagnostic.notes[0]) == ("sandbox-memory", "allowed: 0.15 GiB")


@pytest.mark.skipif(bool(confinement().network), reason="this system cannot forbid a network")
def test_a_server_that_calls_home_reaches_nobody_and_is_named(measure: Measure) -> None:
    assert fault_of(measure, token_need(arm("only", FAKE="calls-home"))).code == "sandbox-outside"


def test_a_server_that_will_not_end_is_ended(measure: Measure) -> None:
    started = time.monotonic()
    measure(token_need(arm("only", FAKE="ignores-the-end")), SHORT)
    assert time.monotonic() - started < 8


def log_of(folder: Path, name: str) -> Path:
    (log,) = (folder / "scratch").glob(f"*/{name}")
    return log


def fault_on(engine: BuiltEngine, folder: Path, need: ProbeNeed, damage: str = "") -> Diagnostic:
    model = model_file(folder)
    if damage == "remove":
        model.path.unlink()
    if damage == "cut":
        model.path.write_bytes(model.path.read_bytes()[:-1])
    with pytest.raises(EnvironmentFault) as caught:
        run_probe(
            need=need,
            builds={build_need("engine"): engine},
            model=model,
            scratch=folder / "scratch",
            progress=Silent(),
            limits=SHORT,
            system=SYSTEM,
        )
    return caught.value.diagnostics[0]


def some_library() -> Path:
    """A real shared library that the fake engine does not load by itself."""
    return next(Path(sysconfig.get_path("stdlib"), "lib-dynload").resolve().glob("_testbuffer.*.so"))
