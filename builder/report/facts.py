"""What a report is made of: the case as judged, and what is known beside it. Values only; `gather` reads them."""

from collections.abc import Mapping
from dataclasses import dataclass

from builder.weight import Weight
from verify.gates.case import Case, Recorded
from verify.model.diagnostic import Diagnostic
from verify.model.evidence import BuildNeed, Evidence
from verify.model.ids import BlockName, CommitId, Sha256
from verify.model.mutation import MutationObservation
from verify.model.observation import BuildObservation
from verify.model.verdict import GateResult
from verify.review.packet import Packet


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildFact:
    """One proof: what it is called, the block that it is about (None for the base), and its build where it is known.

    `reasons` say why there is none. `weight` is what it has more than the build below, `below` what that one is called.
    """

    title: str
    block: BlockName | None
    need: BuildNeed
    built: Recorded[BuildObservation] | None
    reasons: tuple[Diagnostic, ...]
    below: str
    weight: Weight | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MutantFact:
    """The stack without a block or fold, and what the gates made of that; None where nobody has asked."""

    name: str
    block: BlockName
    observation: MutationObservation | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The tools that builds are made with: their digest and what it covers."""

    digest: Sha256
    about: str
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Foreign:
    """Measurements from elsewhere: whose, on which hardware, how many, and whether they count here."""

    signer: str
    role: str
    hardware: str
    records: int
    counts: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Everything. `troubles` tell why something could not be looked up; what depends on it is undecided then."""

    case: Case
    base_commit: CommitId
    results: tuple[GateResult, ...]
    builds: tuple[BuildFact, ...]
    records: tuple[Evidence, ...]
    mutants: tuple[MutantFact, ...]
    packet: Packet | None
    tools: Tools | None
    foreign: tuple[Foreign, ...]
    troubles: tuple[Diagnostic, ...]
