"""Reviews as recorded with a block: who approved exactly which change, on what terms, and how it was carried over.

A record is a file of its own, named by the digest of its bytes: it is never edited, only followed by another one. A
*review* looks at whole changes, a *delta* at what a later revision changed, a *carry* takes an approval over to another
base by a certificate. Chains of `follows` are what an approval stands on.
"""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.block import Person
from verify.model.claim import Claim
from verify.model.diagnostic import Place
from verify.model.ids import BlockName, CommitId, FoldId, Sha256, TreeId
from verify.model.trust import Signer


class Grade(StrEnum):
    """What of a reviewed change is still the same, from all to nothing."""

    SAME_TREE = "same-tree"
    SAME_BLOBS = "same-blobs"
    SAME_FUNCTIONS = "same-functions"
    MESSAGE_ONLY = "message-only"
    MOVED = "context-moved"
    CHANGED = "changed"


class Carries(StrEnum):
    """What a grade asks for: nothing, a word of somebody who may give it, or a review of what is owed."""

    BY_ITSELF = "carries"
    BY_WORD = "word"
    BY_REVIEW = "review"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeId:
    """A change by content: the patch's bytes, its identity, author and message, the tree it met and the tree it left.

    `identity` is over paths, modes, removed and added bytes in order and binary contents, apart from where they stand.
    """

    patch: Sha256
    identity: Sha256
    message: Sha256
    before: TreeId
    after: TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitFact:
    """A function or definition around a run of changed lines, equal then and now: digests of its text, both sides."""

    name: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileFact:
    """One file of the change: whether both its sides are the reviewed ones, else the units that prove the same."""

    path: str
    same: bool
    units: tuple[UnitFact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """Why a grade is what it is, in facts that can be checked again.

    `remerged` is the tree that a three-way merge of the reviewed change made, empty where none was needed; `names` are
    those on the change's lines whose definitions were compared over `differing` files.
    """

    grade: Grade
    reviewed: ChangeId
    present: ChangeId
    files: tuple[FileFact, ...]
    remerged: str
    names: tuple[str, ...]
    differing: int


class RecordKind(StrEnum):
    """What a record is about: whole changes, what a revision changed, or the same change on another base."""

    REVIEW = "review"
    DELTA = "delta"
    CARRY = "carry"


class Decision(StrEnum):
    """What the reviewer says."""

    APPROVED = "approved"
    REJECTED = "rejected"


class ConditionKind(StrEnum):
    """What meets a condition: receipts of test runs at the exact head, or something that comes after the release."""

    CI = "ci"
    AFTER_RELEASE = "after-release"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What an approval hangs on; `legs` are the runs that must be green at the exact head."""

    id: str
    kind: ConditionKind
    says: str
    legs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedFold:
    """One fold as a record is about it.

    `of` is the patch that the followed record left off with (of a delta and a carry), empty for a review. Only a carry
    has a certificate.
    """

    fold: FoldId
    change: ChangeId
    of: str
    certificate: Certificate | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One file of a block's reviews; `id` is the SHA-256 of its bytes, `follows` that of another record.

    `word` is what somebody says to a carry that does not stand by its certificate alone.
    """

    id: Sha256
    block: BlockName
    kind: RecordKind
    reviewer: Person
    date: str
    decision: Decision
    scope: str
    base_tree: TreeId
    base_commit: CommitId | None
    follows: str
    word: str
    folds: tuple[ReviewedFold, ...]
    claims: tuple[str, ...]
    runnable_claims: tuple[Claim, ...]
    conditions: tuple[Condition, ...]
    non_claims: tuple[str, ...]
    file: str
    place: Place
    data: bytes
    signature: bytes | None

    def entry(self, fold: FoldId) -> ReviewedFold | None:
        """What it says of a fold."""
        return next((each for each in self.folds if each.fold == fold), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """Evidence that a condition is met: a run of one leg, at one tree and commit, with its counts.

    `source` is the SHA-256 of the report that it was made of. A report that is a statement stands in it as it was
    signed (`statement`), with its signature (`vouched`), and is checked again at each use; both are empty for JUnit.
    """

    id: Sha256
    block: BlockName
    review: str
    condition: str
    leg: str
    tree: TreeId
    commit: CommitId
    tests: int
    failures: int
    skipped: int
    source: Sha256
    by: Person
    date: str
    file: str
    data: bytes
    signature: bytes | None
    statement: str = ""
    vouched: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviews:
    """What lies in one block's `reviews/`; `patches` are those that were reviewed, by digest."""

    records: tuple[Record, ...] = ()
    receipts: tuple[Receipt, ...] = ()
    patches: tuple[tuple[Sha256, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewPolicy:
    """What the release asks of reviews: whether every fold needs one, of how many, signed or not, and what grades ask.

    A grade that is not named asks for what is usual; none may ask for less than it soundly can.
    """

    required: bool = False
    approvals: int = 1
    signed: bool = False
    signers: tuple[Signer, ...] = ()
    grades: tuple[tuple[Grade, Carries], ...] = ()

    def asks(self, grade: Grade) -> Carries:
        """What a grade asks for."""
        return dict(self.grades).get(grade, USUAL[grade])


USUAL = {
    Grade.SAME_TREE: Carries.BY_ITSELF,
    Grade.SAME_BLOBS: Carries.BY_ITSELF,
    Grade.SAME_FUNCTIONS: Carries.BY_ITSELF,
    Grade.MESSAGE_ONLY: Carries.BY_ITSELF,
    Grade.MOVED: Carries.BY_WORD,
    Grade.CHANGED: Carries.BY_REVIEW,
}
"""What a grade asks for where a release says nothing; also the least that it may ask for."""

OUR_REVIEWS = ReviewPolicy()
