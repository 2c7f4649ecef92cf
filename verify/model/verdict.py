"""How gates end, and the one value that a sealed release rests on.

`Holds` can be made by the judge alone: its constructor asks for a token that only `verify/judge.py` is given, and
the import contracts and a test keep it so.
"""

from dataclasses import dataclass

from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, CommitId, GateName, ReleaseName, Sha256, TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """The rule was checked on evidence and held."""

    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The rule was checked and did not hold: every finding, not the first."""

    summary: str
    findings: tuple[Diagnostic, ...]


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
    """The very release that was judged: its name, the digest of all declared bytes, and the derived tip."""

    release: ReleaseName
    digest: Sha256
    base_tree: TreeId
    tip_tree: TreeId
    tip_commit: CommitId


class JudgeToken:
    """Proof of being the judge; see `verify/judge.py`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Holds:
    """A verdict that holds, for `subject` and nothing else."""

    subject: Subject
    results: tuple[GateResult, ...]
    token: JudgeToken

    def __post_init__(self) -> None:
        if type(self.token) is not JudgeToken:
            raise TypeError("only the judge makes Holds")


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
