"""What test programs print and write is read whole, or told as unreadable."""

import pytest

from verify.model.configured import Configured, DeclaredTest
from verify.model.test_set import End
from verify.probe.backend_ops import read_backend_ops
from verify.probe.ctest import choose_tests
from verify.probe.junit import Report, read_junit

GREEN, RED = "\x1b[1;32mOK\x1b[0m", "\x1b[1;31mFAIL\x1b[0m"
OPS = f"""Testing 1 devices

Backend 1/1: CPU
  Device description: some
  ADD(type=f32,ne=[1,1,1,1]): {GREEN}
  ADD(type=f16,ne=[1,1,1,1]): not supported [CPU]
  ADD(type=f32,ne=[1,1,1,1]): {GREEN}
[ADD] ERR = 0.25 > 0.0001   ADD(type=q4_0,ne=[1,1,1,1]): {RED}
  2/3 tests passed

Failing tests:
  ADD(type=q4_0,ne=[1,1,1,1])
  Backend CPU: {RED}
0/1 backends passed
{RED}
"""


def ends(report: Report) -> list[tuple[str, End]]:
    return [(test.name, test.end) for test in report.tests]


def test_operator_cases_are_read_by_name_and_alike_ones_are_numbered() -> None:
    report = read_backend_ops(OPS)
    assert ends(report) == [
        ("ADD(type=f32,ne=[1,1,1,1])", End.PASS),
        ("ADD(type=f16,ne=[1,1,1,1])", End.SKIP),
        ("ADD(type=f32,ne=[1,1,1,1]) #2", End.PASS),
        ("ADD(type=q4_0,ne=[1,1,1,1])", End.FAIL),
    ]
    assert (report.trouble, report.tests[3].said) == ((), "[ADD] ERR = 0.25 > 0.0001")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("  2/3 tests passed\n", "", "did not come to its end"),
        ("2/3 tests", "3/3 tests", "says that 3 of 3 tests passed, and prints 2 of 3"),
        (f"  ADD(type=f32,ne=[1,1,1,1]): {GREEN}\n", "  ADD(type=f32,ne=[1,1,1,1]): \n", "neither OK nor FAIL"),
        (f"  ADD(type=f32,ne=[1,1,1,1]): {GREEN}\n", "", "and prints 0 of 1"),
    ],
)
def test_operator_output_that_does_not_add_up_is_told(old: str, new: str, told: str) -> None:
    assert any(told in trouble for trouble in read_backend_ops(OPS.replace(old, new)).trouble)


JUNIT = b"""<?xml version="1.0"?>
<testsuites><testsuite name="all" tests="5">
<testcase name="a" classname="a" status="run"/>
<testcase name="b" classname="m.T"><failure message="1 is not 2">long</failure></testcase>
<testcase name="c" classname="m.T"><skipped/></testcase>
<testcase name="d" status="notrun"/>
<testcase name="e"><error>Boom
at line 3</error></testcase>
</testsuite></testsuites>"""


def test_junit_cases_are_read_with_their_class() -> None:
    report = read_junit(JUNIT)
    assert ends(report) == [
        ("a", End.PASS),
        ("m.T.b", End.FAIL),
        ("m.T.c", End.SKIP),
        ("d", End.SKIP),
        ("e", End.FAIL),
    ]
    assert [report.trouble, report.tests[1].said, report.tests[4].said] == [(), "1 is not 2", "Boom"]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"<testsuite", "is no XML"),
        (b"<!DOCTYPE t [<!ENTITY a 'b'>]><testsuite/>", "declares a document type"),
        (b"<report/>", "expected `testsuite`"),
        (b'<testsuite tests="2"><testcase name="a"/></testsuite>', "says 2 tests and has 1"),
        (b'<testsuite><testcase classname="a"/></testsuite>', "has no name"),
    ],
)
def test_a_report_that_is_none_is_told(data: bytes, told: str) -> None:
    assert told in read_junit(data).trouble[0]


def declared(name: str, *command: str, labels: tuple[str, ...] = ("main",), folder: str = "{build}") -> DeclaredTest:
    return DeclaredTest(
        name=name, command=command or (f"{{bin}}/{name}",), labels=labels, properties=(("WORKING_DIRECTORY", folder),)
    )


def test_tests_are_chosen_by_name_and_label_and_left_out_by_name() -> None:
    known = Configured(
        options=(),
        tests=(
            declared("one"),
            declared("two", labels=("slow",)),
            declared("three"),
            declared("four", folder="{source}"),
            declared("five", "{bin}/other"),
        ),
    )
    chosen = choose_tests(
        known, names="", labels=("main",), exclude=("three",), programs=frozenset({"one", "two", "three", "four"})
    )
    assert [test.name for test in chosen.run] == ["one"]
    assert chosen.not_run == (
        ("four", "it reads the source tree"),
        ("five", "its program `other` is not among what was built"),
    )
