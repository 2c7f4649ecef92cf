"""Tests that vanish, are skipped, come unasked, show nothing, or whose output cannot be believed."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from tests.gates.good import probe_of
from tests.sabotage.ways import Way, broken, unknown, unprobed
from verify.gates.case import Case
from verify.model.ids import Sha256
from verify.model.observation import LoadedFile
from verify.model.test_set import End, RanTest, TestSetArm, TestSetObservation

SET, BEFORE = "own-tests", "queue-test"
TestsWay = Callable[[TestSetArm], TestSetArm]


def tests(gate: str, arm: str, edit: TestsWay) -> Way:
    """One arm's tests went otherwise."""

    def way(case: Case) -> Case:
        need = probe_of(case, gate)
        seen = case.seen(need, TestSetObservation)
        arms = tuple(edit(each) if each.arm == arm else each for each in seen.arms)
        recorded = replace(case.probes[need], observation=replace(seen, arms=arms))
        return replace(case, probes={**case.probes, need: recorded})

    return way


def having(**fields: Any) -> TestsWay:
    """Other fields."""
    return lambda arm: replace(arm, **fields)


def ending(end: End, at: int = 0) -> TestsWay:
    """One test ends otherwise."""
    return lambda arm: replace(
        arm, tests=tuple(replace(test, end=end) if number == at else test for number, test in enumerate(arm.tests))
    )


def without(arm: TestSetArm) -> TestSetArm:
    """The first test is not there."""
    return replace(arm, tests=arm.tests[1:])


def with_one_more(name: str, end: End) -> TestsWay:
    """A test is there that upstream has not."""
    return lambda arm: replace(arm, tests=(*arm.tests, RanTest(name=name, end=end, said="")))


FOREIGN = (LoadedFile(name="llama-server", sha256=Sha256("e" * 64), built=True),)

SABOTAGES = (
    broken("a test vanished", SET, "tests-vanished", tests(SET, "tip", without)),
    broken("a test fails", SET, "test-end-differs", tests(SET, "tip", ending(End.FAIL))),
    broken("a test is skipped", SET, "test-end-differs", tests(SET, "tip", ending(End.SKIP))),
    broken("a failing test passes unasked", SET, "test-end-differs", tests(SET, "upstream", ending(End.FAIL))),
    broken("no test was run", SET, "no-cases", tests(SET, "tip", having(tests=()))),
    broken("too few tests pass", SET, "too-few-tests", tests(SET, "tip", ending(End.SKIP))),
    broken(
        "a test is there twice", SET, "test-twice", tests(SET, "tip", lambda arm: replace(arm, tests=arm.tests * 2))
    ),
    broken("the output is cut off", SET, "tests-unreadable", tests(SET, "tip", having(trouble=("no count",)))),
    broken(
        "a chosen test cannot run", SET, "test-not-run", tests(SET, "tip", having(not_run=(("adds", "not built"),)))
    ),
    broken("a test comes unasked", SET, "test-not-declared", tests(SET, "tip", with_one_more("other", End.PASS))),
    broken("a new test fails", SET, "new-test-fails", tests(SET, "tip", with_one_more("new-one", End.FAIL))),
    unknown("the tests had a foreign library", SET, "foreign-library", tests(SET, "tip", having(loaded=FOREIGN))),
    unknown("the tests were not run", SET, "not-probed", unprobed(SET)),
    broken("the block's test passes without it", BEFORE, "test-passes-before", tests(BEFORE, "off", ending(End.PASS))),
    broken(
        "the block's test is skipped without it", BEFORE, "test-skipped-before", tests(BEFORE, "off", ending(End.SKIP))
    ),
    broken("the block's test is not there without it", BEFORE, "test-not-there-before", tests(BEFORE, "off", without)),
    broken(
        "the output without the block is cut off",
        BEFORE,
        "tests-unreadable",
        tests(BEFORE, "off", having(trouble=("no count",))),
    ),
    broken("the block's test fails with it", BEFORE, "test-does-not-pass", tests(BEFORE, "on", ending(End.FAIL))),
    broken("the block's test is gone", BEFORE, "test-does-not-pass", tests(BEFORE, "on", without)),
    unknown("the block's test was not run", BEFORE, "not-probed", unprobed(BEFORE)),
)
