"""Folds that do not stand approved as the release asks."""

from dataclasses import replace

from tests.gates.good import QUEUE
from tests.sabotage.ways import Way, broken, unknown
from verify.gates.case import Case
from verify.model.block import Person
from verify.model.diagnostic import Diagnostic, Place
from verify.model.ids import FoldId, Sha256, TreeId
from verify.model.review import ChangeId, Condition, ConditionKind, Decision, Record, RecordKind, ReviewPolicy, Reviews
from verify.review.standing import ConditionState, FoldStanding, Standings, State

DIGEST = Sha256("ab" * 32)
CHANGE = ChangeId(patch=DIGEST, identity=DIGEST, message=DIGEST, before=TreeId("12" * 20), after=TreeId("34" * 20))
CONDITION = Condition(id="ci", kind=ConditionKind.CI, says="green on all legs", legs=("linux",))
RECORD = Record(
    id=DIGEST,
    block=QUEUE,
    kind=RecordKind.REVIEW,
    reviewer=Person(name="Grace Hopper", email="grace@navy.mil"),
    date="@1790000000 +0000",
    decision=Decision.APPROVED,
    scope="all of it",
    base_tree=TreeId("12" * 20),
    base_commit=None,
    follows="",
    word="",
    folds=(),
    claims=(),
    runnable_claims=(),
    conditions=(CONDITION,),
    non_claims=(),
    file="blocks/queue/reviews/review-abababababababab.yaml",
    place=Place(file="blocks/queue/reviews/review-abababababababab.yaml"),
    data=b"",
    signature=None,
)


def standing(state: State | None, *, required: bool = True, missing: tuple[str, ...] = ()) -> Way:
    """The first block's fold stands like that; None: nobody looked."""

    def way(case: Case) -> Case:
        release = replace(
            case.release,
            review_policy=ReviewPolicy(required=required),
            reviews=((QUEUE, Reviews(records=(RECORD,))),),
        )
        if state is None:
            return replace(case, release=release)
        fold = FoldStanding(block=QUEUE, fold=FoldId("rotate"), author="a", present=CHANGE, state=state, approvals=())
        met = ConditionState(block=QUEUE, record=RECORD, condition=CONDITION, met=(), missing=missing)
        return replace(case, release=release, reviews=Standings(folds=(fold,), conditions=(met,)))

    return way


def forged(case: Case) -> Case:
    """A signature is wrong."""
    fault = Diagnostic(code="signature-wrong", message="the signature is not over these bytes")
    return replace(standing(State.APPROVED)(case), review_faults=(fault,))


SABOTAGES = (
    broken("a fold was never reviewed", "reviews", "review-owed", standing(State.UNREVIEWED)),
    broken("a change was not read", "reviews", "review-owed", standing(State.NEEDS_REVIEW)),
    broken("a fold was rejected", "reviews", "review-rejected", standing(State.REJECTED, required=False)),
    broken("no run at this head", "reviews", "condition-unmet", standing(State.APPROVED, missing=("linux",))),
    broken("a signature is wrong", "reviews", "signature-wrong", forged),
    unknown("the reviewed base is not here", "reviews", "review-unproven", standing(State.UNPROVEN)),
    unknown("nobody looked at the reviews", "reviews", "reviews-not-read", standing(None)),
)
