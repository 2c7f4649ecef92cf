"""What the release's gates made of a mutant: the typed content of its evidence record."""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.ids import BlockName, FoldId, GateName, ModelName, Sha256


class Noticed(StrEnum):
    """By what it was noticed that a block or fold is missing."""

    BEHAVIOUR = "behaviour"
    BUILD = "build"
    TEXT = "text"
    NOBODY = "nobody"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOnMutant:
    """How one gate ended on a mutant: its outcome in one word, the codes of its findings, the evidence it used."""

    gate: GateName
    block: BlockName | None
    models: tuple[ModelName, ...]
    outcome: str
    codes: tuple[str, ...]
    evidence: tuple[Sha256, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationObservation:
    """One mutant: what it lacks, what had to go with it, by what that was noticed, and every gate that was asked.

    `why` is the first error of a build that failed, or the fold that has no place; empty otherwise.
    """

    block: BlockName
    fold: FoldId | None
    also: tuple[BlockName, ...]
    noticed: Noticed
    why: str
    gates: tuple[GateOnMutant, ...]
    seconds: float

    def name(self) -> str:
        """The mutant by what it lacks."""
        return self.block if self.fold is None else f"{self.block}/{self.fold}"
