"""The engine's own tests: how the probe `test-set` runs them, and what it sees."""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.observation import LoadedFile


class Runner(StrEnum):
    """How tests are run.

    `ctest`: those that the build's CTest knows. `backend-ops`: ggml's operator tests. `junit`: a program of the build
    that writes JUnit XML.
    """

    CTEST = "ctest"
    BACKEND_OPS = "backend-ops"
    JUNIT = "junit"


class End(StrEnum):
    """How a test ended."""

    PASS = "pass"  # noqa: S105 - no password
    FAIL = "fail"
    SKIP = "skip"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetSettings:
    """Which tests, and how: fields that a runner does not use are empty.

    `names` is a regular expression over test names (`ctest`), `labels` the labels of which one must be there, `exclude`
    names that are left out, `model_at` the places below the build folder where tests look for a model. `operators`,
    `cases` (a regular expression over their parameters) and `backend` are for `backend-ops`; `program` and `arguments`
    for `junit`, where `{out}` stands for the file to write. `threads` is what OpenMP may use, whatever a test asks for;
    `seconds` the most that one arm may take.
    """

    __test__ = False  # no test of ours

    runner: Runner
    names: str = ""
    labels: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    model_at: tuple[str, ...] = ()
    operators: tuple[str, ...] = ()
    cases: str = ""
    backend: str = ""
    program: str = ""
    arguments: tuple[str, ...] = ()
    threads: int = 1
    seconds: int = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class RanTest:
    """One test, and why it failed or was skipped, where that was said."""

    name: str
    end: End
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetArm:
    """What one arm's tests gave.

    `not_run` are chosen tests that could not be run there, with the reason. `trouble` is whatever in the output cannot
    be read or does not add up; such an output proves nothing.
    """

    __test__ = False  # no test of ours

    arm: str
    tests: tuple[RanTest, ...]
    not_run: tuple[tuple[str, str], ...]
    trouble: tuple[str, ...]
    status: int
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]
    seconds: float

    def ends(self) -> dict[str, End]:
        """How each test ended, by name."""
        return {test.name: test.end for test in self.tests}


@dataclass(frozen=True, slots=True, kw_only=True)
class TestSetObservation:
    """Every arm, in the order of the need."""

    __test__ = False  # no test of ours

    arms: tuple[TestSetArm, ...]
    seconds: float
