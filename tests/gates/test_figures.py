"""What is shown of a measurement is what was judged, and a damaged one shows nothing rather than something else."""

from dataclasses import replace

import pytest

from tests.gates.good import good_case, with_probe
from verify.gates.battery import gates_of
from verify.gates.case import Case
from verify.gates.kinds import KINDS
from verify.judge import rule
from verify.model.figure import Amounts, Figure, Reading
from verify.model.gate import GateDecl
from verify.model.observation import RunObservation

SHOWN = ("warm-behind-cold", "checkpoint-resume", "memory-budget", "kld", "performance", "relative-performance")


def gates(kind: str) -> list[GateDecl]:
    return [gate for gate in gates_of(good_case().release) if gate.kind == kind]


def figures(gate: GateDecl, case: Case) -> tuple[Figure, ...]:
    return KINDS[gate.kind].figures(gate.params, case.of(gate))


@pytest.mark.parametrize("kind", SHOWN)
def test_a_kind_that_compares_numbers_shows_them_with_their_bounds(kind: str) -> None:
    for gate in gates(kind):
        found = figures(gate, good_case())
        assert found
        assert any(isinstance(each, Reading) or each.most is not None or each.equals for each in found)


@pytest.mark.parametrize("kind", ["warm-behind-cold", "checkpoint-resume", "relative-performance"])
def test_the_intervals_shown_are_those_of_the_summary(kind: str) -> None:
    for gate in gates(kind):
        said = rule(gate, good_case()).outcome.summary
        readings = [each for each in figures(gate, good_case()) if isinstance(each, Reading)]
        shown = [each.interval.show() for each in readings if each.interval is not None]
        assert shown
        assert all(each in said for each in shown)


def test_a_divergence_is_shown_beside_the_runs_that_are_known_to_be_wrong() -> None:
    (gate,) = gates("kld")[:1]
    mean = figures(gate, good_case())[0]
    assert isinstance(mean, Amounts)
    assert [each.bad for each in mean.amounts] == [*[True] * (len(mean.amounts) - 2), False, False]
    assert (mean.equals, mean.amounts[-2].value) == ("upstream again", mean.amounts[-1].value)


def test_a_session_that_lacks_an_arm_shows_nothing() -> None:
    def shorter(run: RunObservation) -> RunObservation:
        return replace(run, arms=run.arms[:1])

    for kind in ("warm-behind-cold", "checkpoint-resume"):
        (gate,) = gates(kind)[:1]
        assert figures(gate, with_probe(good_case(), gate.name, shorter)) == ()


def test_where_nothing_is_compared_there_is_nothing_to_show() -> None:
    (gate,) = gates("tree-equal")
    assert figures(gate, good_case()) == ()
