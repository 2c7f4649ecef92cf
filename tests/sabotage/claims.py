"""Claims of the source that do not hold of the tip."""

from dataclasses import replace

from tests.gates.good import QUEUE, QUEUE_FILE
from tests.sabotage.ways import Way, broken, unknown
from verify.gates.case import Case
from verify.model.claim import Answer, Claim, ClaimResult, OnlyCall, Untouched
from verify.model.diagnostic import Place

PLACE = Place(file="blocks/queue/block.yaml", line=9)
CALL = OnlyCall(
    says="tokens are added in the loop alone",
    place=PLACE,
    file=QUEUE_FILE,
    function="queue::fill",
    call="add",
    inside="for (",
    times=None,
)
UNTOUCHED = Untouched(says="no header changes", place=PLACE, files=("include/**",))


def claimed(claim: Claim, answer: Answer | None) -> Way:
    """The first block claims this, and so it came out."""

    def way(case: Case) -> Case:
        blocks = tuple(
            replace(each, runnable_claims=(claim,)) if each.name == QUEUE else each for each in case.release.blocks
        )
        result = ClaimResult(block=QUEUE, claim=claim, answer=answer or Answer.HOLDS, why="two calls", matches=())
        claims = None if answer is None else (result,)
        return replace(case, release=replace(case.release, blocks=blocks), claims=claims)

    return way


SABOTAGES = (
    broken("a call stands outside of its loop", "claims", "claim-fails", claimed(CALL, Answer.FAILS)),
    broken("a file was touched", "claims", "claim-fails", claimed(UNTOUCHED, Answer.FAILS)),
    unknown("the grammar lost its way", "claims", "claim-undecided", claimed(CALL, Answer.UNDECIDED)),
    unknown("nobody ran the claims", "claims", "claims-not-run", claimed(CALL, None)),
)
