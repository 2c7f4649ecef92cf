"""JUnit: what CI systems count is what the gates said, and our own reader of receipts agrees."""

from dataclasses import replace
from xml.etree import ElementTree

from builder.review.receipt import read_report
from tests.gates.good import good_case, marked, with_probe
from tests.report.facts import HOSTILE
from verify.gates.case import Case
from verify.judge import rulings, subject_of
from verify.model.diagnostic import Diagnostic
from verify.model.ids import Sha256
from verify.model.verdict import Deferred, Failed, GateResult, Undecided, Waived
from verify.report.junit import junit, junit_of_faults

FOUND = Diagnostic(code="x-y", message=HOSTILE, notes=(HOSTILE,), help="do")


def made(case: Case) -> bytes:
    results = rulings(case.release, case)
    seconds: dict[Sha256, float] = {key: 2.0 for result in results for key in result.evidence}
    return junit(subject_of(case), results, seconds)


def ends(data: bytes) -> dict[str, str]:
    cases = ElementTree.fromstring(data).iter("testcase")
    words = ("failure", "error", "skipped")
    return {case.get("name", ""): next((each.tag for each in case if each.tag in words), "passed") for case in cases}


def test_a_release_that_holds_is_green_and_names_its_head() -> None:
    report = read_report(made(good_case()), file="gates.xml")
    case = good_case()
    assert (report.failures, report.skipped) == (0, 0)
    assert report.tests == len(rulings(case.release, case))
    assert report.tree == case.tip_tree()


def test_a_failure_is_a_failure_and_what_is_not_known_is_an_error_and_never_skipped() -> None:
    failing = with_probe(good_case(), "queue-arm", marked("on", {"seen": 0}), 1)
    assert ends(made(failing))["queue-arm"] == "failure"
    unmeasured = replace(good_case(), probes={})
    assert ends(made(unmeasured))["queue-arm"] == "error"
    assert read_report(made(unmeasured), file="gates.xml").failures > 0


def test_each_end_has_its_element_and_the_counts_are_of_them() -> None:
    (good,) = [each for each in rulings(good_case().release, good_case()) if each.gate == "queue-arm"]
    outcomes = (
        Failed(summary="f", findings=(FOUND,)),
        Waived(summary="w", deviation="1", findings=(FOUND,)),
        Undecided(summary="u", reasons=(FOUND,)),
        Deferred(summary="d", hardware="gpu"),
    )
    results: list[GateResult] = []
    for required in (True, False):
        results += [
            replace(good, gate=type(good.gate)(f"{each.summary}-{required}"), outcome=each, required=required)
            for each in outcomes
        ]
    data = junit(subject_of(good_case()), results, {})
    assert ends(data) == {
        "f-True": "failure",
        "w-True": "passed",
        "u-True": "error",
        "d-True": "skipped",
        "f-False": "skipped",
        "w-False": "passed",
        "u-False": "skipped",
        "d-False": "skipped",
    }
    suite = ElementTree.fromstring(data)[0]
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["8", "1", "1", "4"]


def test_hostile_text_is_well_formed_and_what_xml_cannot_hold_is_spelled() -> None:
    (good,) = [each for each in rulings(good_case().release, good_case()) if each.gate == "queue-arm"]
    failed = replace(good, outcome=Failed(summary=HOSTILE, findings=(FOUND,)))
    root = ElementTree.fromstring(junit(subject_of(good_case()), [failed], {}))
    failure = next(root.iter("failure"))
    assert failure.get("message", "").startswith("<script>")
    assert "\\u0000" in failure.get("message", "")
    assert next(root.iter("script"), None) is None


def test_times_are_those_of_the_evidence_and_a_record_counts_once_in_a_sum() -> None:
    data = made(good_case())
    root = ElementTree.fromstring(data)
    case = next(each for each in root.iter("testcase") if each.get("name") == "queue-arm")
    keys = [each for each in case.iter("property") if each.get("name") == "evidence"]
    assert float(case.get("time", "0")) == 2.0 * len(keys) > 0
    every = {each.get("value") for each in root.iter("property") if each.get("name") == "evidence"}
    assert float(root.get("time", "0")) == 2.0 * len(every)


def test_a_release_that_cannot_be_read_is_one_error() -> None:
    report = read_report(junit_of_faults("<p>", (FOUND,)), file="gates.xml")
    assert (report.tests, report.failures) == (1, 1)


def test_equal_ends_are_equal_bytes() -> None:
    assert made(good_case()) == made(good_case())
