"""Library probes on a real shared library in real processes: what is seen, and planted faults turn gates red."""

import ctypes
import json
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.probe.fake_engine import LIMITS, MODEL
from tests.probe.toy.engine import BINDINGS, CONFIGURATION, asked, build_toy, judged, play
from verify.gates.axis_uniformity import Axis
from verify.gates.axis_uniformity import Params as AxisUniformity
from verify.gates.logits import Params as Logits
from verify.gates.memory_budget import Params as MemoryBudget
from verify.gates.repeat_determinism import Params as RepeatDeterminism
from verify.gates.state_round_trip import Params as StateRoundTrip
from verify.gates.tensor_trace import Params as TensorTrace
from verify.model.codec import to_json
from verify.model.diagnostic import EnvironmentFault
from verify.model.library import LogitsObservation, TraceObservation
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.probe.bindings.library import LLAMA_CPP, DoesNotFit
from verify.probe.bindings.llama import check_size
from verify.probe.engine import Bindings, BuiltEngine

LOGITS = Logits(model=MODEL, configuration=CONFIGURATION, prompts=("once upon",), generate=4)
WIDTHS = AxisUniformity(model=MODEL, configuration=CONFIGURATION, axis=Axis.WIDTH, values=(2, 3), read=8, rest=6)
REPEATS = RepeatDeterminism(model=MODEL, configuration=CONFIGURATION, prompts=("once upon",), runs=2, generate=2)
STATES = StateRoundTrip(model=MODEL, configuration=CONFIGURATION, read=16, go_on=4)
MEMORY = MemoryBudget(model=MODEL, configuration=CONFIGURATION, tokens=16, context=16384, cycles=5)
OPERATIONS = TensorTrace(model=MODEL, configuration=CONFIGURATION, read=8, rest=2)
TIP = {"tip": "kernel"}


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> BuiltEngine:
    return build_toy(tmp_path_factory.mktemp("toy"))


@pytest.mark.parametrize(
    ("kind", "params"),
    [
        ("logits", LOGITS),
        ("axis-uniformity", WIDTHS),
        ("axis-uniformity", replace(WIDTHS, axis=Axis.SEQUENCES)),
        ("axis-uniformity", replace(WIDTHS, axis=Axis.BATCH)),
        ("repeat-determinism", REPEATS),
        ("state-round-trip", STATES),
        ("memory-budget", MEMORY),
        ("tensor-trace", OPERATIONS),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sound_library_passes(toy: BuiltEngine, tmp_path: Path, kind: str, params: object) -> None:
    outcome = judged(toy, tmp_path, kind, params, {})
    assert isinstance(outcome, Passed), outcome


@pytest.mark.parametrize(
    ("kind", "params", "fault", "code"),
    [
        ("logits", LOGITS, "kernel", "logits-differ"),
        ("logits", LOGITS, "not-a-number", "logits-degenerate"),
        ("logits", LOGITS, "flat", "logits-degenerate"),
        ("logits", LOGITS, "crash", "arm-broken"),
        ("logits", LOGITS, "refuse", "arm-broken"),
        ("axis-uniformity", WIDTHS, "width", "axis-differs"),
        ("repeat-determinism", REPEATS, "each-time", "run-differs"),
        ("state-round-trip", STATES, "drops-a-cell", "state-not-repeatable"),
        ("state-round-trip", STATES, "drops-a-cell", "state-continues-otherwise"),
        ("state-round-trip", STATES, "will-not-restore", "state-refused"),
        ("memory-budget", MEMORY, "leak", "memory-not-given-back"),
        ("memory-budget", MEMORY, "hungry", "memory-over-upstream"),
        ("tensor-trace", OPERATIONS, "kernel", "operation-differs"),
        ("tensor-trace", OPERATIONS, "more-work", "graph-differs"),
    ],
)
def test_a_fault_of_the_library_is_told(
    toy: BuiltEngine, tmp_path: Path, kind: str, params: object, fault: str, code: str
) -> None:
    assert code in codes(judged(toy, tmp_path, kind, params, {"tip": fault}))


def codes(outcome: Outcome) -> set[str]:
    assert isinstance(outcome, Failed), outcome
    return {finding.code for finding in outcome.findings}


@pytest.mark.parametrize(
    ("faults", "code"),
    [({"upstream": "crash"}, "library-died"), ({"upstream": "refuse"}, "library-refused")],
    ids=["crash", "refuse"],
)
def test_where_the_first_arm_breaks_down_nobody_knows(
    toy: BuiltEngine, tmp_path: Path, faults: Mapping[str, str], code: str
) -> None:
    outcome = judged(toy, tmp_path, "logits", LOGITS, faults)
    assert isinstance(outcome, Undecided)
    assert outcome.reasons[0].code == code


def test_a_library_that_hangs_is_ended(toy: BuiltEngine, tmp_path: Path) -> None:
    _, need = asked("logits", LOGITS)
    limits = replace(LIMITS, start_seconds=0.5, answer_seconds=0.5)
    with pytest.raises(EnvironmentFault) as caught:
        play(toy, tmp_path, need, {"upstream": "hang"}, limits)
    assert caught.value.diagnostics[0].code == "library-silent"


def test_what_a_library_prints_is_no_part_of_the_answer(toy: BuiltEngine, tmp_path: Path) -> None:
    assert isinstance(judged(toy, tmp_path, "logits", LOGITS, {"tip": "chatty"}), Passed)


def test_a_library_that_is_not_the_recorded_one_is_told(toy: BuiltEngine, tmp_path: Path) -> None:
    other = replace(toy.observation.artifacts[0], sha256=type(toy.observation.artifacts[0].sha256)("0" * 64))
    changed = replace(toy, observation=replace(toy.observation, artifacts=(other,)))
    outcome = judged(changed, tmp_path, "logits", LOGITS, {})
    assert isinstance(outcome, Undecided)
    assert outcome.reasons[0].code == "foreign-library"


def test_the_first_operation_that_differs_is_named(toy: BuiltEngine, tmp_path: Path) -> None:
    _, need = asked("tensor-trace", OPERATIONS)
    seen = play(toy, tmp_path, need, TIP)
    assert isinstance(seen, TraceObservation)
    first = seen.first[0]
    assert (first.name, first.op, first.index, seen.compared, seen.differ) == ("result_output", "MUL_MAT", 1, 6, 3)


def test_no_row_is_kept_in_an_observation(toy: BuiltEngine, tmp_path: Path) -> None:
    _, need = asked("logits", LOGITS)
    seen = play(toy, tmp_path, need, {})
    assert isinstance(seen, LogitsObservation)
    assert len(json.dumps(to_json(seen))) < 15_000
    assert not list(tmp_path.rglob("rows"))


def test_a_switch_of_the_interpreter_is_no_switch_of_the_engine(toy: BuiltEngine, tmp_path: Path) -> None:
    _, need = asked("logits", LOGITS)
    arms = tuple(replace(arm, env=(("PYTHONPATH", "/elsewhere"),)) for arm in need.arms)
    with pytest.raises(EnvironmentFault) as caught:
        play(toy, tmp_path, replace(need, arms=arms), {})
    assert caught.value.diagnostics[0].code == "arm-environment"


def test_bindings_that_lack_what_the_library_has_not_compute_nothing(toy: BuiltEngine, tmp_path: Path) -> None:
    module = tmp_path / "bindings" / "llama_cpp" / "llama_cpp.py"
    module.parent.mkdir(parents=True)
    module.write_text("import ctypes, os\nctypes.CDLL(os.environ['LLAMA_CPP_LIB_PATH'] + '/libtoy.so').llama_new\n")
    bindings = Bindings(adapter=LLAMA_CPP, folder=tmp_path / "bindings", sha256=BINDINGS.sha256)
    _, need = asked("logits", LOGITS)
    with pytest.raises(EnvironmentFault) as caught:
        play(toy, tmp_path, need, {}, bindings=bindings)
    assert caught.value.diagnostics[0].code == "bindings-do-not-fit"


@pytest.mark.parametrize("numbers", [8, 9, 12])
def test_a_structure_of_another_size_is_measured(tmp_path: Path, numbers: int) -> None:
    fields = "".join(f"int field_{number};" for number in range(numbers))
    (tmp_path / "shape.c").write_text(
        f"struct params {{ {fields} }};\nstruct params give(void) {{ struct params it = {{1, 2, 3}}; return it; }}\n"
    )
    library = tmp_path / "libshape.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "shape.c"], check=True, timeout=60)

    class Params(ctypes.Structure):
        _fields_ = tuple((f"field_{number}", ctypes.c_int) for number in range(8))

    bound = SimpleNamespace(params=Params, _lib=SimpleNamespace(_name=str(library)))
    if numbers == 8:
        check_size(bound, "give", "params")
    else:
        with pytest.raises(DoesNotFit, match=f"{numbers * 4} bytes in the library and 32 in the bindings"):
            check_size(bound, "give", "params")
