"""What a well-behaved server holds: as much as upstream's, and no more after every cycle."""

from tests.gates.good import arm_run
from verify.model.evidence import ProbeNeed
from verify.model.served_memory import ServedMemoryArm, ServedMemoryObservation, ServedMemorySettings
from verify.model.session import read_settings


def good_served_memory(need: ProbeNeed) -> ServedMemoryObservation:
    """Both arms fill what they keep on purpose in their first cycles."""
    asked = read_settings(ServedMemorySettings, need.settings)
    arms = []
    for arm in need.arms:
        run = arm_run(arm, (), ())
        sizes = tuple(30_000 + 500 * min(number, 2) for number in range(asked.cycles))
        arms.append(
            ServedMemoryArm(
                arm=arm.name,
                anonymous_kib=sizes,
                peak_kib=40_000,
                tokens=4 * asked.cycles * asked.generate,
                loaded=run.loaded,
                command=run.command,
            )
        )
    return ServedMemoryObservation(arms=tuple(arms), seconds=1.0)
