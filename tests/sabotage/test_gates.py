"""A good release, broken in one way: the gate that must say so, its end, and the code that tells."""

import pytest

from tests.gates.good import good_case, good_release
from tests.sabotage import (
    builds,
    claims,
    credit,
    golden,
    library,
    logs,
    moved,
    numbers,
    own_tests,
    pages,
    patches,
    programs,
    register,
    reviews,
    served,
    slots,
    switches,
    trees,
    turns,
    variables,
)
from tests.sabotage.ways import Sabotage
from verify.gates.battery import gates_of
from verify.gates.kinds import KINDS
from verify.judge import judge
from verify.model.verdict import CannotJudge, DoesNotHold, Failed, GateResult, Holds, Undecided

AREAS = (
    trees,
    patches,
    builds,
    golden,
    own_tests,
    logs,
    programs,
    switches,
    credit,
    pages,
    variables,
    register,
    slots,
    turns,
    served,
    claims,
    reviews,
    library,
    moved,
    numbers,
)
SABOTAGES = tuple(sabotage for area in AREAS for sabotage in area.SABOTAGES)


def test_the_good_release_holds() -> None:
    case = good_case()
    assert isinstance(judge(release=case.release, case=case), Holds)


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage.name)
def test_each_sabotage_is_told_by_its_gate(sabotage: Sabotage) -> None:
    case = sabotage.way(good_case())
    verdict = judge(release=case.release, case=case)
    assert isinstance(verdict, CannotJudge if sabotage.undecided else DoesNotHold)
    told = next(result for result in verdict.results if result.gate == sabotage.gate)
    assert sabotage.code in codes(told, undecided=sabotage.undecided)


def codes(result: GateResult, *, undecided: bool) -> set[str]:
    match result.outcome:
        case Failed(findings=findings) if not undecided:
            return {finding.code for finding in findings}
        case Undecided(reasons=reasons) if undecided:
            return {reason.code for reason in reasons}
    raise AssertionError(result)


def test_every_kind_of_gate_is_sabotaged() -> None:
    kinds = {str(gate.name): gate.kind for gate in gates_of(good_release())}
    assert {kinds[sabotage.gate] for sabotage in SABOTAGES if sabotage.gate in kinds} == set(KINDS)
