"""Logs that lack a line, say it too often, say it with the feature off, or were never written."""

from collections.abc import Callable
from dataclasses import replace

from tests.sabotage.ways import Run, arm, broken, probed, unknown, unprobed
from verify.model.ids import Sha256
from verify.model.observation import ArmObservation, LoadedFile, MarkCount, RunObservation

LOG = "queue-log"


def lines(name: str, mark: str, count: int) -> Run:
    """A mark is seen otherwise on one arm."""
    return on(name, lambda each: tuple(replace(seen, count=count) if seen.name == mark else seen for seen in each))


def on(name: str, edit: Callable[[tuple[MarkCount, ...]], tuple[MarkCount, ...]]) -> Run:
    """One arm's marks are others."""

    def edited(each: ArmObservation) -> ArmObservation:
        return replace(each, marks=edit(each.marks)) if each.arm == name else each

    def run(seen: RunObservation) -> RunObservation:
        return replace(seen, arms=tuple(map(edited, seen.arms)))

    return run


FOREIGN = (LoadedFile(name="llama-server", sha256=Sha256("e" * 64), built=True),)

SABOTAGES = (
    broken("the line never comes", LOG, "log-line-missing", probed(LOG, lines("on", "line", 0))),
    broken("the line comes too often", LOG, "log-line-too-often", probed(LOG, lines("on", "line", 3))),
    broken("the line comes with the switch off", LOG, "log-line-unasked", probed(LOG, lines("off", "line", 1))),
    broken("no log was written", LOG, "log-empty", probed(LOG, lines("off", "any", 0))),
    unknown("the log is another build's", LOG, "foreign-library", probed(LOG, arm("on", loaded=FOREIGN))),
    unknown("the log was not made", LOG, "not-probed", unprobed(LOG)),
)
