"""Claims: statements about the source that a review rests on, in a form that can be run on any tree.

A claim says where (a file, a function in it) and what. Loops and places are named by their text (`anchor`): the first
bytes of a construct, or of a place, as they stand in code. Claims in words alone are text and no value of this module.
"""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.diagnostic import Diagnostic, Place
from verify.model.ids import BlockName, RepoPath
from verify.model.outline import ExitKind


class ClaimKind(StrEnum):
    """What a claim can say."""

    ONLY_CALL = "only-call"
    NO_EXIT = "no-exit"
    ABSENT = "absent"
    UNTOUCHED = "untouched"
    COUNT = "count"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnlyCall:
    """In a function, there are calls of `call`, and every one lies inside the construct that begins with `inside`.

    With `times` there are exactly so many.
    """

    says: str
    place: Place
    file: RepoPath
    function: str
    call: str
    inside: str
    times: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoExit:
    """In a function, control does not leave by any of `exits` between the anchors `start` and `end`.

    What leaves a lambda or a local function alone does not count; nor does `break` or `continue` of a loop in between.
    """

    says: str
    place: Place
    file: RepoPath
    function: str
    start: str
    end: str
    exits: tuple[ExitKind, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """No code in these files (globs) uses the name `symbol`; in one function alone where `function` names one."""

    says: str
    place: Place
    symbol: str
    files: tuple[str, ...]
    function: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Untouched:
    """No fold of the block changes these files (globs)."""

    says: str
    place: Place
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """A regular expression matches exactly `times` times in the code of a file, comments left out."""

    says: str
    place: Place
    file: RepoPath
    function: str
    pattern: str
    times: int


Claim = OnlyCall | NoExit | Absent | Untouched | Count


class Answer(StrEnum):
    """What became of a claim."""

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A place of the engine's source that the answer rests on: its file, line and text."""

    file: RepoPath
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """One claim's answer on one tree: why, and where. `block` is whose claim it is."""

    block: BlockName
    claim: Claim
    answer: Answer
    why: str
    matches: tuple[Match, ...]


def claim_kind(claim: Claim) -> ClaimKind:
    """The word for a claim's kind."""
    match claim:
        case OnlyCall():
            return ClaimKind.ONLY_CALL
        case NoExit():
            return ClaimKind.NO_EXIT
        case Absent():
            return ClaimKind.ABSENT
        case Untouched():
            return ClaimKind.UNTOUCHED
        case Count():
            return ClaimKind.COUNT


def told(result: ClaimResult) -> Diagnostic:
    """A claim that does not hold, or cannot be decided, as a finding."""
    word = "does not hold" if result.answer is Answer.FAILS else "cannot be decided"
    notes = (
        result.why,
        *(f"{match.file.decode('utf-8', 'backslashreplace')}:{match.line}: {match.text}" for match in result.matches),
    )
    return Diagnostic(
        code="claim-fails" if result.answer is Answer.FAILS else "claim-undecided",
        message=f"a claim of block `{result.block}` {word}: {result.claim.says}",
        place=result.claim.place,
        notes=notes,
        help="stackproof review status",
    )
