"""Builds without what they are said to have, and programs that end or print otherwise."""

from dataclasses import replace
from typing import Any

from tests.gates.good import probe_of
from tests.sabotage.ways import Way, broken, unknown, unprobed
from verify.gates.case import Case
from verify.model.command import CommandArm, CommandObservation
from verify.model.config_dump import ConfigDumpArm, ConfigDumpObservation
from verify.model.ids import Sha256
from verify.model.observation import LoadedFile

DUMP, HELP = "configured", "says-help"
FOREIGN = (LoadedFile(name="llama-server", sha256=Sha256("e" * 64), built=True),)


def dumped(*names: str, **fields: Any) -> Way:
    """Arms were configured otherwise."""

    def edit(arm: ConfigDumpArm) -> ConfigDumpArm:
        return replace(arm, **fields) if arm.arm in names else arm

    def way(case: Case) -> Case:
        need = probe_of(case, DUMP)
        seen = case.seen(need, ConfigDumpObservation)
        recorded = replace(case.probes[need], observation=replace(seen, arms=tuple(map(edit, seen.arms))))
        return replace(case, probes={**case.probes, need: recorded})

    return way


def ran(*names: str, **fields: Any) -> Way:
    """The command went otherwise on some arms."""

    def edit(arm: CommandArm) -> CommandArm:
        return replace(arm, **fields) if arm.arm in names else arm

    def way(case: Case) -> Case:
        need = probe_of(case, HELP)
        seen = case.seen(need, CommandObservation)
        recorded = replace(case.probes[need], observation=replace(seen, arms=tuple(map(edit, seen.arms))))
        return replace(case, probes={**case.probes, need: recorded})

    return way


NATIVE = (("GGML_NATIVE", "ON"), ("GGML_OPENMP", "ON"))
BOTH = ("upstream", "tip")
SABOTAGES = (
    broken("an option was not taken", DUMP, "option-not-taken", dumped(*BOTH, options=(("GGML_OPENMP", "OFF"),))),
    broken("an option is not there", DUMP, "option-not-taken", dumped(*BOTH, options=())),
    broken("a feature is compiled out", DUMP, "feature-not-built", dumped(*BOTH, features=(("CPU.FMA", "1"),))),
    broken("the engine says no features", DUMP, "feature-not-built", dumped(*BOTH, features=())),
    broken(
        "the build has another instruction set",
        DUMP,
        "feature-not-built",
        dumped(*BOTH, features=(("CPU.AVX2", "1"), ("CPU.AVX512", "1"))),
    ),
    broken("a property is another", DUMP, "property-differs", dumped(*BOTH, properties=(("total_slots", "4"),))),
    broken("the tip is configured otherwise", DUMP, "configuration-differs", dumped("tip", options=NATIVE)),
    unknown("what was dumped is another build's", DUMP, "foreign-library", dumped("tip", loaded=FOREIGN)),
    unknown("nothing was dumped", DUMP, "not-probed", unprobed(DUMP)),
    broken("the command fails", HELP, "command-status", ran("tip", status=1)),
    broken("the command is killed", HELP, "command-status", ran("tip", status=-11)),
    broken("the command prints nothing", HELP, "command-silent", ran(*BOTH, lines=0)),
    broken("the command says it once more", HELP, "command-lines", ran(*BOTH, counts=(("0", 2), ("1", 2)))),
    broken("the command says it too seldom", HELP, "command-lines", ran(*BOTH, counts=(("0", 1), ("1", 1)))),
    broken("the command prints something else", HELP, "command-output-differs", ran("tip", out=Sha256("7" * 64))),
    broken("the command complains", HELP, "command-output-differs", ran("tip", err=Sha256("7" * 64))),
    unknown("another build's program was run", HELP, "foreign-library", ran("tip", loaded=FOREIGN)),
    unknown("the command was not run", HELP, "not-probed", unprobed(HELP)),
)
