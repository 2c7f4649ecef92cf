"""A switch is off or on at the tip, where later blocks may have undone it; identity is asked of the block's build."""

from dataclasses import replace

from tests.gates.good import AFTER_CACHE, AFTER_QUEUE, BASE, CACHE, QUEUE, good_case
from verify.gates.kinds import KINDS
from verify.model.evidence import Need, ProbeNeed
from verify.model.gate import GateDecl, Outlived
from verify.model.ids import BlockName
from verify.model.stack import Stuck


def declared(block: BlockName, name: str) -> GateDecl:
    owner = next(each for each in good_case().release.blocks if each.name == block)
    return next(each for each in owner.gates if each.name == name)


def trees(need: Need) -> list[str]:
    assert isinstance(need, ProbeNeed)
    return [arm.build.tree for arm in need.arms]


def test_off_is_compared_below_its_block_and_the_effect_is_looked_for_at_the_tip() -> None:
    gate = declared(QUEUE, "queue-arm")
    identity, exercise = KINDS[gate.kind].needs(gate.params, good_case().of(gate))
    assert trees(identity) == [BASE, AFTER_QUEUE, AFTER_QUEUE]
    assert trees(exercise) == [AFTER_CACHE, AFTER_CACHE]


def test_what_a_block_gains_is_measured_on_the_tip() -> None:
    gate = declared(QUEUE, "queue-fair")
    for need in KINDS[gate.kind].needs(gate.params, good_case().of(gate)):
        assert set(trees(need)) - {BASE} == {AFTER_CACHE}


def test_a_gate_that_outlived_its_block_compares_the_tip_with_upstream() -> None:
    gate = replace(declared(QUEUE, "queue-arm"), block=None, outlived=Outlived(block=QUEUE, switch="QUEUE", off="0"))
    identity, exercise = KINDS[gate.kind].needs(gate.params, good_case().of(gate))
    assert trees(identity) == [BASE, AFTER_CACHE, AFTER_CACHE]
    assert trees(exercise) == [AFTER_CACHE, AFTER_CACHE]
    assert isinstance(exercise, ProbeNeed)
    assert [arm.env for arm in exercise.arms] == [(("QUEUE", "0"),), ()]


def test_without_a_tip_no_switch_has_arms() -> None:
    case = good_case()
    layers = case.layers()
    stuck = Stuck(block=CACHE, fold=layers[1].fold, done=layers[:1], findings=())
    gate = declared(QUEUE, "queue-arm")
    assert KINDS[gate.kind].needs(gate.params, replace(case, stack=stuck).of(gate)) == ()
