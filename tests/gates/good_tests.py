"""What well-behaved tests of an engine show."""

import re

from tests.gates.good import arm_run
from verify.model.evidence import Arm, ProbeNeed
from verify.model.session import read_settings
from verify.model.test_set import End, RanTest, TestSetArm, TestSetObservation, TestSetSettings


def good_test_set(need: ProbeNeed) -> TestSetObservation:
    """Three tests of upstream's own, one of them skipped; and one that fails without the block."""
    asked = read_settings(TestSetSettings, need.settings)
    return TestSetObservation(arms=tuple(_arm(arm, asked) for arm in need.arms), seconds=1.0)


def _arm(arm: Arm, asked: TestSetSettings) -> TestSetArm:
    ends = {"adds": End.PASS, "copies": End.PASS, "waits": End.SKIP}
    if "counts" in asked.names:
        ends = {"counts-slots": End.PASS if arm.name in ("on", "block", "tip") else End.FAIL}
    return TestSetArm(
        arm=arm.name,
        tests=tuple(RanTest(name=name, end=end, said="") for name, end in ends.items() if re.search(asked.names, name)),
        not_run=(),
        trouble=(),
        status=0,
        loaded=arm_run(arm, (), ()).loaded,
        command=("ctest",),
        seconds=1.0,
    )
