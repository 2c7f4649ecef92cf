"""What each code of the engine's own tests means."""

EXPLANATIONS: dict[str, str] = {
    "tests-unreadable": (
        "What a test program printed, or the report that it wrote, cannot be read or does not add up: a line in "
        "another form, a count that differs from the cases, an end by a signal. Nothing is believed of such a run."
    ),
    "test-twice": (
        "A test is there twice under one name, so that nobody can tell which of the two passed. Give them names of "
        "their own."
    ),
    "test-not-run": (
        "A test that the gate chooses cannot be run on the kept build: its program was not built, or it reads the "
        "source tree. Add the program to the configuration's `targets`, or leave the test out with the reason."
    ),
    "too-few-tests": "Fewer tests pass than the gate's `minimum`. Tests that are skipped do not count.",
    "tests-vanished": (
        "Tests that upstream has at the same base are not there any more. All that are left may pass; what the others "
        "would have found is not found. A test that is taken away on purpose is an accepted deviation."
    ),
    "test-end-differs": (
        "A test ends otherwise than on the reference arm: it fails, is skipped, or passes where it failed before. Each "
        "is a difference that somebody must have meant."
    ),
    "test-not-declared": (
        "A test is new with the block, and the gate does not say that it brings one. Name it in `may_bring`; then it "
        "must pass."
    ),
    "new-test-fails": "A test that comes with the block does not pass.",
    "test-does-not-pass": "The test that is to show the change does not pass with it.",
    "test-passes-before": (
        "The test passes without the change as well. It may be a good test; it is no proof of the change."
    ),
    "test-not-there-before": (
        "The tree below does not have the test, so that nobody saw it fail. Where the block has a switch, the test can "
        "be run with it off; where a missing test is meant to count, the gate must say so."
    ),
    "test-skipped-before": "The test is skipped without the change, so nobody saw it fail.",
    "ctest-missing": ("The engine's tests are run by CTest, which comes with CMake. It was not found on this machine."),
    "build-not-described": (
        "A kept build lies beside a description of its options and tests, which this one does not have: it was made by "
        "hand or by an older version. Build it again."
    ),
}
