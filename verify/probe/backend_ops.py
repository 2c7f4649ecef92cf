"""Reads what `test-backend-ops test` prints: one line an operator case, and a count at the end.

The count must add up with the lines: a run that ended early, or was printed in another form, is told as trouble. ggml
itself has cases that print alike; the second one of a name is `NAME #2`.
"""

import re
from collections import Counter

from verify.model.test_set import End, RanTest
from verify.probe.junit import Report

PROGRAM = "test-backend-ops"
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_CASE = re.compile(r"^(?P<noise>.*?)(?P<name>\b[A-Z][A-Z0-9_]*\(.*\)): (?P<end>.*?)\s*$")
_COUNT = re.compile(r"^\s*(?P<passed>\d+)/(?P<total>\d+) tests passed$")
_ENDS = {"OK": End.PASS, "FAIL": End.FAIL}
_LONGEST = 200


def backend_ops_options(backend: str, operators: tuple[str, ...], cases: str) -> tuple[str, ...]:
    """The options for some operators on one backend, and where `cases` is given for those whose parameters match."""
    return ("test", "-b", backend, "-o", ",".join(operators), *(("-p", cases) if cases else ()))


def read_backend_ops(output: str) -> Report:
    """Every case in the output."""
    tests: list[RanTest] = []
    trouble: list[str] = []
    counts: list[tuple[int, int]] = []
    seen: Counter[str] = Counter()
    for line in _COLOUR.sub("", output).splitlines():
        count = _COUNT.match(line)
        if count is not None:
            counts.append((int(count["passed"]), int(count["total"])))
            continue
        case = _CASE.match(line)
        if case is None:
            continue
        seen[case["name"]] += 1
        name = case["name"] if seen[case["name"]] == 1 else f"{case['name']} #{seen[case['name']]}"
        end = _ENDS.get(case["end"].split()[-1] if case["end"] else "")
        if end is not None:
            tests.append(RanTest(name=name, end=end, said=case["noise"].strip()[:_LONGEST]))
        elif case["end"].startswith(("not supported", "skipping")):
            tests.append(RanTest(name=name, end=End.SKIP, said=case["end"][:_LONGEST]))
        else:
            trouble.append(f"a line says neither OK nor FAIL: {line.strip()[:_LONGEST]}")
    ran = [test for test in tests if test.end is not End.SKIP]
    passed = sum(test.end is End.PASS for test in ran)
    if not counts:
        trouble.append("the count of tests at the end is missing, so the run did not come to its end")
    elif (sum(each[0] for each in counts), sum(each[1] for each in counts)) != (passed, len(ran)):
        said = ", ".join(f"{good} of {total}" for good, total in counts)
        trouble.append(f"it says that {said} tests passed, and prints {passed} of {len(ran)}")
    return Report(tests=tuple(tests), trouble=tuple(trouble))
