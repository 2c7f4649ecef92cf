"""Which traces come of a gate: its own model, prompts and settings, two arms or two ways of one."""

from typing import Any

import pytest

from tests.gates.good import MODEL, RELEASE_CONFIG, bare_case, good_release
from verify.gates.axis_uniformity import Axis
from verify.gates.axis_uniformity import Params as AxisUniformity
from verify.gates.battery import gates_of
from verify.gates.kinds import KINDS
from verify.gates.repeat_determinism import Params as RepeatDeterminism
from verify.gates.traceable import Between, trace_needs
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import ProbeNeed
from verify.model.library import TraceSettings
from verify.model.session import read_settings


def traces(kind: str, params: Any, between: Between = Between()) -> tuple[ProbeNeed, ...] | Diagnostic:  # noqa: B008 (frozen)
    return trace_needs("gate", KINDS[kind].needs(params, bare_case(good_release())), between)


def declared(name: str, between: Between = Between()) -> tuple[ProbeNeed, ...] | Diagnostic:  # noqa: B008 (frozen)
    case = bare_case(good_release())
    gate = next(each for each in gates_of(case.release) if each.name == name)
    return trace_needs(name, KINDS[gate.kind].needs(gate.params, case.of(gate)), between)


def names(needs: tuple[ProbeNeed, ...] | Diagnostic) -> list[tuple[str, ...]]:
    assert not isinstance(needs, Diagnostic), needs
    return [tuple(arm.name for arm in need.arms) for need in needs]


def sides(need: ProbeNeed) -> TraceSettings:
    return read_settings(TraceSettings, need.settings)


@pytest.mark.parametrize("gate", ["golden", "logits"])
def test_prompts_are_read_at_once_and_then_one_token_at_a_time(gate: str) -> None:
    needs = declared(gate)
    assert names(needs) == [("upstream", "tip")] * 2
    assert not isinstance(needs, Diagnostic)
    assert [sides(need).read for need in needs] == [0, 1]
    assert [prompt.text for prompt in sides(needs[0]).prompts] == ["once", "twice"]


def test_arms_are_chosen_by_name() -> None:
    assert names(declared("queue-arm", Between(first="off", second="on"))) == [("off", "on")] * 2


def test_an_axis_is_one_build_at_two_values() -> None:
    needs = declared("widths")
    assert names(needs) == [("width-1", "width-4")]
    assert not isinstance(needs, Diagnostic)
    (need,) = needs
    assert len({arm.build for arm in need.arms}) == 1
    assert [side.width for side in sides(need).sides] == [1, 4]
    assert len(sides(need).prompts[0].ids) == 64 + 4


def test_a_switch_of_an_axis_is_traced_as_it_is_judged_on() -> None:
    for gate in ("cache-widths", "cache-threads"):
        needs = declared(gate)
        assert not isinstance(needs, Diagnostic)
        assert {arm.env for arm in needs[0].arms} == {()}


def test_runs_of_one_build_have_names_of_their_own() -> None:
    params = RepeatDeterminism(model=MODEL, configuration=RELEASE_CONFIG, prompts=("once",))
    assert names(traces("repeat-determinism", params)) == [("run-1", "run-3")]
    again = traces("repeat-determinism", params, Between(first="run-1", second="run-1"))
    assert names(again) == [("run-1", "tip-again")]


def test_a_gate_of_the_graph_is_its_own_trace() -> None:
    assert names(declared("operations")) == [("upstream", "tip")]


def code(needs: tuple[ProbeNeed, ...] | Diagnostic) -> str:
    assert isinstance(needs, Diagnostic), needs
    return needs.code


def test_an_arm_that_there_is_not_is_told() -> None:
    assert code(declared("logits", Between(second="top"))) == "unknown-arm"


@pytest.mark.parametrize("axis", [Axis.SEED, Axis.SEQUENCES])
def test_what_is_no_part_of_one_sequences_graph_is_told(axis: Axis) -> None:
    params = AxisUniformity(model=MODEL, configuration=RELEASE_CONFIG, axis=axis, values=(2,))
    assert code(traces("axis-uniformity", params)) == "gate-not-traceable"


@pytest.mark.parametrize("gate", ["builds", "states", "memory"])
def test_a_gate_that_compares_no_tokens_is_told(gate: str) -> None:
    assert code(declared(gate)) == "gate-not-traceable"
