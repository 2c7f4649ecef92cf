"""Whose measurements count: roles, the people and machines that sign, and hardware that not everybody has."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """As what somebody measures; `local` is whoever judges, on the machine at hand, and says no more of himself."""

    CI = "ci"
    MAINTAINER = "maintainer"
    CONTRIBUTOR = "contributor"
    LOCAL = "local"


@dataclass(frozen=True, slots=True, kw_only=True)
class Hardware:
    """A machine that some gates need, in words for people."""

    name: str
    about: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Signer:
    """Whose signature on foreign evidence is believed: a name, a role, and a public key as ssh writes it."""

    name: str
    role: Role
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePolicy:
    """Which roles' measurements are evidence; what others measured is kept as a claim."""

    counts: tuple[Role, ...] = (Role.CI, Role.MAINTAINER, Role.LOCAL)
    signers: tuple[Signer, ...] = ()

    def signer(self, name: str) -> Signer | None:
        """The signer of that name."""
        return next((each for each in self.signers if each.name == name), None)


OUR_POLICY = EvidencePolicy()
"""What holds where a release says nothing."""


def role_of(made_by: str) -> Role:
    """The role that a record's `made_by` begins with; whoever says none that is known is a contributor."""
    word = made_by.partition(" ")[0]
    return Role(word) if word in {role.value for role in Role} else Role.CONTRIBUTOR
