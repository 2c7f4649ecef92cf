"""Accepted deviations that are over, that nobody meets, and that cover less than what is found."""

from dataclasses import replace

from tests.gates.good import edit_answers
from tests.register.given import accepted
from tests.sabotage.ways import Way, broken, other_token, probed, redeclared, unknown
from verify.gates.case import Case
from verify.model.deviation import Deviation, Trigger, Until
from verify.model.trust import EvidencePolicy, Role


def accepting(*deviations: Deviation) -> Way:
    """The release accepts these."""
    return redeclared(lambda release: replace(release, deviations=deviations))


def all_of(*ways: Way) -> Way:
    """One after the other."""

    def way(case: Case) -> Case:
        for each in ways:
            case = each(case)
        return case

    return way


DIFFERS = probed("golden", edit_answers("tip", other_token))
SABOTAGES = (
    broken(
        "a deviation is over by its base",
        "deviations",
        "deviation-ended",
        accepting(accepted(until=Until(trigger=Trigger.BASE, value="f" * 40))),
    ),
    broken("a deviation is not met any more", "deviations-met", "deviation-not-met", accepting(accepted())),
    broken(
        "a finding beside the accepted ones",
        "golden",
        "golden-differs",
        all_of(DIFFERS, accepting(accepted(names=("prompt-1",)))),
    ),
    broken(
        "what is accepted of another gate",
        "golden",
        "golden-differs",
        all_of(DIFFERS, accepting(accepted(gate="queue-arm"))),
    ),
    broken(
        "what was accepted until this release",
        "golden",
        "golden-differs",
        all_of(DIFFERS, accepting(accepted(until=Until(trigger=Trigger.RELEASE, value="good-1")))),
    ),
    unknown(
        "a measurement by somebody who does not count",
        "golden",
        "evidence-not-counted",
        redeclared(lambda release: replace(release, policy=EvidencePolicy(counts=(Role.CI,)))),
    ),
)
