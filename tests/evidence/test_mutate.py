"""What a mutant is noticed by: gates asked on a bench that gives what each test says, nothing built."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import cast

import pytest

from builder.measure import Bench
from builder.mutants import Mutant
from builder.mutate import _asked
from tests.gates.good import QUEUE, failed_build, good_case, marked, measured, with_build, with_probe
from verify.gates.battery import gates_of
from verify.gates.case import Case
from verify.gates.concern import own_gates, shared_gates
from verify.model.evidence import BuildNeed
from verify.model.gate import GateDecl
from verify.model.mutation import MutationObservation, Noticed
from verify.model.stack import Stack

Way = Callable[[Case], Case]


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """A bench on which everything comes out as the good release's would, and then as `way` changes it."""

    way: Way

    def measurable(self, gates: Sequence[GateDecl]) -> tuple[GateDecl, ...]:
        return tuple(gates)

    def plan_builds(self, case: Case, needs: Sequence[BuildNeed]) -> Sequence[BuildNeed]:
        return needs

    def build(self, case: Case, steps: Sequence[BuildNeed]) -> Case:
        return self.way(measured(case))

    def all_steps(self, case: Case, gates: Sequence[GateDecl]) -> Case:
        return self.way(measured(case))


def asked(way: Way, *, quick: bool = False) -> MutationObservation:
    case = good_case()
    assert isinstance(case.stack, Stack)
    mutant = Mutant(block=QUEUE, fold=None, stack=case.stack, also=())
    gates = gates_of(case.release)
    bench = cast(Bench, Given(way=way))
    return _asked(bench, case, mutant, (own_gates(gates, QUEUE), shared_gates(gates)), quick=quick)


def test_a_block_whose_gates_all_pass_without_it_is_noticed_by_nobody_and_every_gate_was_asked() -> None:
    seen = asked(lambda case: case)
    assert (seen.noticed, seen.why) == (Noticed.NOBODY, "")
    gates = gates_of(good_case().release)
    assert [each.gate for each in seen.gates] == [
        each.name for each in (*own_gates(gates, QUEUE), *shared_gates(gates))
    ]


def test_a_red_gate_of_its_own_notices_and_the_releases_gates_are_not_asked() -> None:
    seen = asked(lambda case: with_probe(case, "queue-arm", marked("on", {"seen": 0}), 1))
    assert seen.noticed is Noticed.BEHAVIOUR
    assert {each.block for each in seen.gates} == {QUEUE}
    (red,) = (each for each in seen.gates if each.gate == "queue-arm")
    assert red.codes == ("arm-without-effect",)
    assert red.models == ("tiny",)


def test_quick_stops_at_the_first_gate_that_notices() -> None:
    seen = asked(lambda case: with_probe(case, "queue-arm", marked("on", {"seen": 0}), 1), quick=True)
    gates = own_gates(gates_of(good_case().release), QUEUE)
    assert len(seen.gates) < len(gates)
    assert seen.gates[-1].gate == "queue-arm"
    assert [each.gate for each in seen.gates] == [each.name for each in gates][: len(seen.gates)]


def test_a_tree_that_does_not_build_is_noticed_by_build_with_the_first_error() -> None:
    tree = good_case().tip_tree()
    assert tree is not None
    seen = asked(lambda case: with_build(case, tree, failed_build))
    assert (seen.noticed, seen.why) == (Noticed.BUILD, "src/queue.cpp:12: 'slot' was not declared")
    assert seen.gates == ()


def test_gates_that_cannot_be_decided_notice_nothing_and_say_so() -> None:
    seen = asked(lambda case: replace(case, probes={}))
    assert seen.noticed is Noticed.UNDECIDED
    assert {each.outcome for each in seen.gates} == {"undecided"}


@pytest.mark.parametrize("kind", ["tree-equal", "build", "warnings", "attribution"])
def test_what_notices_every_change_is_not_asked(kind: str) -> None:
    gates = gates_of(good_case().release)
    assert any(each.kind == kind for each in gates)
    assert kind not in {each.kind for each in (*own_gates(gates, QUEUE), *shared_gates(gates))}
