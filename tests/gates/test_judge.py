"""The verdict: who may say that a release holds, of what, and on what evidence."""

import ast
from dataclasses import replace
from pathlib import Path

import pytest

from tests.gates.good import GATES, bare_case, gate, good_case, good_release
from verify.gates.battery import gates_of
from verify.gates.build import Params as Build
from verify.gates.case import Case
from verify.gates.kinds import KINDS
from verify.gates.tree_equal import Params as TreeEqual
from verify.judge import exit_code, judge, rule
from verify.model.diagnostic import ExitCode
from verify.model.evidence import ProbeNeed
from verify.model.ids import GateName, Sha256, TreeId
from verify.model.verdict import (
    CannotJudge,
    Deferred,
    DoesNotHold,
    Failed,
    GateResult,
    Holds,
    JudgeToken,
    Outcome,
    Passed,
    Undecided,
    Waived,
    verdict_digest,
)

ROOT = Path(__file__).parents[2]


def held() -> Holds:
    case = good_case()
    verdict = judge(release=case.release, case=case)
    assert isinstance(verdict, Holds)
    return verdict


def result(outcome: Outcome, *, required: bool = True) -> GateResult:
    return GateResult(gate=GateName("g"), kind="k", block=None, required=required, outcome=outcome, evidence=())


def test_a_verdict_names_the_very_release() -> None:
    subject, release = held().subject, good_release()
    assert (subject.release, subject.digest) == (release.name, release.digest)
    assert release.reference is not None
    assert (subject.tip_tree, subject.tip_commit) == (release.reference.tip_tree, release.reference.tip_commit)


def test_holds_cannot_be_made_without_the_judges_token() -> None:
    verdict = held()
    with pytest.raises(TypeError, match="only the judge"):
        Holds(subject=verdict.subject, results=verdict.results, token=object())  # type: ignore[arg-type] # the attempt


def test_holds_cannot_be_made_over_to_another_release() -> None:
    verdict = held()
    other = replace(verdict.subject, digest=Sha256("f" * 64))
    with pytest.raises(ValueError, match="another subject"):
        replace(verdict, subject=other)


def test_holds_cannot_lose_a_result() -> None:
    verdict = held()
    with pytest.raises(ValueError, match="other results"):
        replace(verdict, results=verdict.results[1:])


def test_a_release_without_a_tip_cannot_hold_even_by_token() -> None:
    verdict = held()
    subject = replace(verdict.subject, tip_tree=None)
    token = JudgeToken(verdict_digest(subject, verdict.results))
    with pytest.raises(ValueError, match="without a tip"):
        Holds(subject=subject, results=verdict.results, token=token)


def test_an_empty_list_cannot_hold_even_by_token() -> None:
    subject = held().subject
    with pytest.raises(ValueError, match="empty list"):
        Holds(subject=subject, results=(), token=JudgeToken(verdict_digest(subject, ())))


def test_only_the_judge_names_the_token() -> None:
    naming = {
        path.relative_to(ROOT).as_posix()
        for package in ("verify", "builder")
        for path in (ROOT / package).rglob("*.py")
        if "JudgeToken" in names_in(path)
    }
    assert naming == {"verify/judge.py", "verify/model/verdict.py"}


def names_in(path: Path) -> set[str]:
    """Every name, attribute, import and string of a module, so that no way round by text is missed either."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                found.add(name.split(".")[-1])
            case ast.Constant(value=str(text)):
                found.update(text.split())
    return found


def test_the_case_of_another_release_is_refused() -> None:
    with pytest.raises(ValueError, match="another release"):
        judge(release=replace(good_release(), digest=Sha256("9" * 64)), case=good_case())


def test_nothing_measured_is_no_judgement() -> None:
    case = bare_case(good_release())
    verdict = judge(release=case.release, case=case)
    assert isinstance(verdict, CannotJudge)
    measuring = [each for each in verdict.results if not KINDS[each.kind].structural]
    assert all(isinstance(each.outcome, Undecided) for each in measuring)


def test_a_failure_weighs_more_than_a_doubt() -> None:
    case = replace(bare_case(good_release()), base_tree=TreeId("d" * 40))
    assert isinstance(judge(release=case.release, case=case), DoesNotHold)


@pytest.mark.parametrize(
    ("results", "code"),
    [
        ((), ExitCode.CANNOT_JUDGE),
        ((result(Passed(summary="")),), ExitCode.HOLDS),
        ((result(Waived(summary="", deviation="d", findings=())),), ExitCode.HOLDS),
        ((result(Passed(summary="")), result(Deferred(summary="", hardware="gpu"))), ExitCode.HOLDS),
        ((result(Undecided(summary="", reasons=())),), ExitCode.CANNOT_JUDGE),
        ((result(Failed(summary="", findings=())), result(Undecided(summary="", reasons=()))), ExitCode.DOES_NOT_HOLD),
        ((result(Passed(summary="")), result(Failed(summary="", findings=()), required=False)), ExitCode.HOLDS),
        ((result(Passed(summary="")), result(Undecided(summary="", reasons=()), required=False)), ExitCode.HOLDS),
        ((result(Passed(summary=""), required=False),), ExitCode.CANNOT_JUDGE),
    ],
)
def test_results_say_together(results: tuple[GateResult, ...], code: ExitCode) -> None:
    assert exit_code(results) is code


def test_standing_gates_apply_where_a_release_declares_none() -> None:
    release = replace(good_release(), gates=())
    assert [each.kind for each in gates_of(release)[:12]] == [
        "tree-equal",
        "path-safety",
        "fold-owns",
        "tombstones",
        "claims",
        "reviews",
        "attribution",
        "worklog",
        "docs-drift",
        "drift",
        "deviations",
        "build",
    ]


def test_a_standing_gate_cannot_be_declared_away() -> None:
    waived = gate("trees", "tree-equal", TreeEqual(), required=False)
    release = replace(good_release(), gates=(*GATES, waived))
    assert [each.required for each in gates_of(release) if each.kind == "tree-equal"] == [True, False]


def test_a_declared_standing_gate_is_not_doubled() -> None:
    assert [each.name for each in gates_of(good_release()) if each.kind == "build"] == ["builds"]


def test_a_result_names_the_evidence_it_used() -> None:
    case = good_case()
    golden = next(each for each in gates_of(case.release) if each.name == "golden")
    (need,) = KINDS[golden.kind].needs(golden.params, case)
    assert isinstance(need, ProbeNeed)
    expected = {case.builds[arm.build].key for arm in need.arms} | {case.probes[need].key}
    assert set(rule(golden, case).evidence) == expected


def test_a_gate_sees_only_the_evidence_that_it_asks_for() -> None:
    seen: list[Case] = []

    def nosy(_: object, case: Case) -> Outcome:
        seen.append(case)
        return Passed(summary="")

    kind = replace(KINDS["build"], needs=lambda *_: (), check=nosy)
    rule(gate("nosy", "build", Build()), good_case(), {"build": kind})
    assert (len(seen[0].builds), len(seen[0].probes)) == (0, 0)


def test_parameters_of_another_kind_are_refused() -> None:
    with pytest.raises(TypeError, match="parameters of another kind"):
        rule(gate("odd", "golden-tokens", Build()), good_case())


def test_a_probe_of_a_build_that_failed_says_so() -> None:
    case = good_case()
    golden = next(each for each in gates_of(case.release) if each.name == "golden")
    failed = {need: replace(each.observation, ok=False) for need, each in case.builds.items()}
    broken = {need: replace(case.builds[need], observation=build) for need, build in failed.items()}
    outcome = rule(golden, replace(case, builds=broken, probes={})).outcome
    assert isinstance(outcome, Undecided)
    assert {reason.code for reason in outcome.reasons} == {"arm-not-built"}


def test_a_passed_gate_says_what_it_saw() -> None:
    summaries = {str(each.gate): each.outcome.summary for each in held().results}
    assert summaries["tree-equal"] == "2 folds, 3 trees and the tip commit as recorded; git derives the same"
    assert summaries["golden"] == "32 tokens of 2 prompts equal upstream's at the same base"
