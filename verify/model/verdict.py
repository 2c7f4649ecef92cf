"""How gates end, and the one value that a sealed release rests on.

`Holds` can be made by the judge alone: its constructor asks for a token, which only `verify/judge.py` makes (a test
keeps it so) and which names the very subject and results it was made for, so that no copy with other ones passes.
"""

from dataclasses import dataclass
from hashlib import sha256

from verify.model.codec import canonical_json, to_json
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, CommitId, GateName, ReleaseName, Sha256, TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The rule was checked on evidence and held."""

    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The rule was checked and did not hold: every finding, not the first; `accepted` are covered by deviations."""

    summary: str
    findings: tuple[Diagnostic, ...]
    accepted: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Waived:
    """The rule did not hold, and an accepted deviation says who accepts that, why, and until what."""

    summary: str
    deviation: str
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Undecided:
    """The rule could not be checked: no model, no compiler, a broken harness, a foreign fingerprint."""

    summary: str
    reasons: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """Needs hardware that release.json names; a listed debt."""

    summary: str
    hardware: str


Outcome = Passed | Failed | Waived | Undecided | Deferred


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """One gate's end and the digests of the evidence that it used."""

    gate: GateName
    kind: str
    block: BlockName | None
    required: bool
    outcome: Outcome
    evidence: tuple[Sha256, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """The very release that was judged: its name, the digest of all declared bytes, and the derived tip.

    The tip is None where the stack is stuck; a verdict that holds always has one.
    """

    release: ReleaseName
    digest: Sha256
    base_tree: TreeId
    tip_tree: TreeId | None
    tip_commit: CommitId | None


def verdict_digest(subject: Subject, results: tuple[GateResult, ...]) -> Sha256:
    """Names a subject and its results by content."""
    return Sha256(sha256(canonical_json([to_json(subject), to_json(results)])).hexdigest())


class JudgeToken:
    """Proof of being the judge, for one subject and its results; see `verify/judge.py`."""

    __slots__ = ("of",)

    def __init__(self, of: Sha256) -> None:
        self.of = of


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """A verdict that holds, for `subject` and nothing else."""

    subject: Subject
    results: tuple[GateResult, ...]
    token: JudgeToken

    def __post_init__(self) -> None:
        if type(self.token) is not JudgeToken:
            raise TypeError("only the judge makes Holds")
        if self.token.of != verdict_digest(self.subject, self.results):
            raise ValueError("this token was made for another subject or other results")
        if self.subject.tip_tree is None or self.subject.tip_commit is None:
            raise ValueError("a release without a tip cannot hold")
        if not any(result.required for result in self.results):
            raise ValueError("an empty list of gates holds nothing")


@dataclass(frozen=True, slots=True, kw_only=True)
class DoesNotHold:
    """At least one required gate failed."""

    subject: Subject
    results: tuple[GateResult, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CannotJudge:
    """No required gate failed, yet at least one could not be decided."""

    subject: Subject
    results: tuple[GateResult, ...]


Verdict = Holds | DoesNotHold | CannotJudge
