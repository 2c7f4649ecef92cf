"""What well-built programs say of themselves, and print."""

from tests.gates.good import arm_run
from verify.model.command import CommandArm, CommandObservation
from verify.model.config_dump import ConfigDumpArm, ConfigDumpObservation
from verify.model.evidence import Arm, ProbeNeed
from verify.model.ids import Sha256


def good_config_dump(need: ProbeNeed) -> ConfigDumpObservation:
    """All as declared, on both arms alike."""
    return ConfigDumpObservation(arms=tuple(map(_dumped, need.arms)), seconds=1.0)


def _dumped(arm: Arm) -> ConfigDumpArm:
    run = arm_run(arm, (), ())
    return ConfigDumpArm(
        arm=arm.name,
        options=(("GGML_NATIVE", "OFF"), ("GGML_OPENMP", "ON")),
        features=(("CPU.AVX2", "1"), ("CPU.FMA", "1")),
        properties=(("total_slots", "1"),),
        loaded=run.loaded,
        command=run.command,
    )


def good_command(need: ProbeNeed) -> CommandObservation:
    """It ends well and prints the same on every arm."""
    return CommandObservation(arms=tuple(map(_ran, need.arms)), seconds=1.0)


def _ran(arm: Arm) -> CommandArm:
    return CommandArm(
        arm=arm.name,
        status=0,
        lines=3,
        counts=(("0", 1), ("1", 2)),
        out=Sha256("5" * 64),
        err=Sha256("6" * 64),
        tail=("usage: llama-server",),
        loaded=arm_run(arm, (), ()).loaded,
        seconds=0.1,
    )
