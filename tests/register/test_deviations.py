"""What an accepted deviation waives, what it does not, and what becomes of one that nobody meets."""

from dataclasses import replace

import pytest

from tests.gates.good import edit_answers, good_case
from tests.register.given import accepted
from tests.sabotage.ways import other_token, probed
from verify.gates.battery import gates_of
from verify.gates.case import Case, Elsewhere
from verify.gates.kinds import KINDS
from verify.judge import judge, rulings
from verify.model.deviation import Deviation, Standing, Trigger, Until, ended_by, names_of, newest_day
from verify.model.diagnostic import Diagnostic, Place
from verify.model.evidence import ProbeNeed
from verify.model.gate import GateDecl, Outlived
from verify.model.ids import BlockName, CommitId, ReleaseName, TreeId
from verify.model.trust import Hardware
from verify.model.verdict import Deferred, Failed, GateResult, Holds, Passed, Waived
from verify.waive import debts

STANDING = Standing(
    release=ReleaseName("r-2"),
    parent=ReleaseName("r-1"),
    base_tree=TreeId("a" * 40),
    upstream_commit=CommitId("b" * 40),
    day="2026-11-30",
)


def differing(*deviations: Deviation) -> Case:
    """The golden gate finds two prompts that differ, and the release accepts these."""
    case = probed("golden", edit_answers("tip", other_token))(good_case())
    return replace(case, release=replace(case.release, deviations=deviations))


def result(case: Case, gate: str = "golden") -> GateResult:
    return next(each for each in rulings(case.release, case) if each.gate == gate)


def test_findings_that_are_all_accepted_are_waived_and_the_release_holds() -> None:
    case = differing(accepted(), accepted(number=2, names=("prompt-1", "tiny")))
    verdict = judge(release=case.release, case=case)
    assert isinstance(verdict, Holds)
    outcome = result(case).outcome
    assert isinstance(outcome, Waived)
    assert outcome.deviation == "1, 2"
    assert len(outcome.findings) == 2
    assert outcome.summary == "2 findings accepted by deviation 1, 2, Grace Hopper"


def test_one_finding_more_still_fails_and_the_accepted_one_is_told_apart() -> None:
    outcome = result(differing(accepted())).outcome
    assert isinstance(outcome, Failed)
    assert ["prompt-1" in names_of(each) for each in outcome.findings] == [True]
    assert ["prompt-0" in names_of(each) for each in outcome.accepted] == [True]
    assert outcome.summary.endswith("(beside 1 finding accepted by deviation 1)")


def test_a_deviation_of_another_code_waives_nothing() -> None:
    outcome = result(differing(accepted(finding="text-degenerate"))).outcome
    assert isinstance(outcome, Failed)
    assert len(outcome.findings) == 2


def test_every_name_must_be_named() -> None:
    outcome = result(differing(accepted(names=("prompt-0", "another-model")))).outcome
    assert isinstance(outcome, Failed)
    assert outcome.accepted == ()


def test_one_that_is_met_is_not_reported_beside_a_failure() -> None:
    assert isinstance(result(differing(accepted()), "deviations-met").outcome, Passed)


def test_one_whose_gate_did_not_decide_is_neither_met_nor_over() -> None:
    case = good_case()
    case = replace(case, probes={}, release=replace(case.release, deviations=(accepted(),)))
    outcome = result(case, "deviations-met").outcome
    assert isinstance(outcome, Passed)
    assert outcome.summary.endswith("undecided: 1")


def outliving(case: Case) -> GateDecl:
    """The gate of `queue` in a release in which upstream took that block."""
    mine = next(each for each in gates_of(case.release) if each.name == "queue-arm")
    switch = case.release.blocks[0].switches[0]
    gone = Outlived(block=BlockName("gone"), switch=switch.name, off=switch.off)
    return replace(mine, block=None, outlived=gone)


def test_a_gate_that_outlived_its_block_runs_both_arms_on_the_tip() -> None:
    case = good_case()
    gate = outliving(case)
    needs = KINDS[gate.kind].needs(gate.params, case.of(gate))
    arms = {arm.name: arm for need in needs if isinstance(need, ProbeNeed) for arm in need.arms}
    assert {arms["off"].build.tree, arms["on"].build.tree} == {case.tip_tree()}
    assert arms["below"].build.tree == case.base_tree
    assert dict(arms["off"].env) == {case.release.blocks[0].switches[0].name: "0"}


def test_a_gate_for_hardware_is_deferred_and_is_no_failure() -> None:
    case = good_case()
    gates = tuple(replace(each, hardware="gpu") if each.name == "golden" else each for each in case.release.gates)
    hardware = (Hardware(name="gpu", about="One GPU"),)
    case = replace(case, release=replace(case.release, gates=gates, hardware=hardware))
    verdict = judge(release=case.release, case=case)
    assert isinstance(verdict, Holds)
    outcome = next(each.outcome for each in verdict.results if each.gate == "golden")
    assert outcome == Deferred(summary="to be measured on `gpu`: One GPU", hardware="gpu")
    assert debts(verdict.results) == "`golden` is owed to `gpu`"
    here = replace(case, hardware=frozenset({"gpu"}))
    assert isinstance(result(here).outcome, Passed)
    there = replace(case, elsewhere={"gpu": Elsewhere(builds=case.builds, probes=case.probes)})
    assert isinstance(result(there).outcome, Passed)


def test_a_release_that_accepts_nothing_has_no_gate_about_it() -> None:
    case = good_case()
    assert all(each.gate != "deviations-met" for each in rulings(case.release, case))


def test_a_finding_names_its_file_and_what_stands_in_backticks() -> None:
    finding = Diagnostic(
        code="x", message="block `a` differs in `b c`", place=Place(file="src/d.c"), notes=("as `e`, not f",)
    )
    assert names_of(finding) == {"a", "b c", "src/d.c", "e"}


@pytest.mark.parametrize(
    ("trigger", "value", "over"),
    [
        (Trigger.RELEASE, "r-3", False),
        (Trigger.RELEASE, "r-2", True),
        (Trigger.RELEASE, "r-1", True),
        (Trigger.BASE, "a" * 40, False),
        (Trigger.BASE, "c" * 40, True),
        (Trigger.UPSTREAM, "b" * 40, False),
        (Trigger.UPSTREAM, "c" * 40, True),
        (Trigger.DATE, "2026-11-30", False),
        (Trigger.DATE, "2026-11-29", True),
        (Trigger.PASSES, "", False),
    ],
)
def test_a_deviation_ends_by_what_is_declared(trigger: Trigger, value: str, over: bool) -> None:
    assert bool(ended_by(accepted(until=Until(trigger=trigger, value=value)), STANDING)) is over


def test_the_newest_day_is_that_of_the_latest_fold() -> None:
    assert newest_day(["@1790000000 +0000", "@1790100000 -0500", "@0 +0000"]) == "2026-09-22"
    assert newest_day([]) == ""
