"""A block is one feature of the fork; a fold is one change taken into it. Values as declared in block.yaml."""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.claim import Claim
from verify.model.gate import GateDecl
from verify.model.ids import BlockName, FoldId
from verify.model.patch import Patch


class Disposition(StrEnum):
    """What became of a submitted patch."""

    FOLDED = "folded"
    SPLIT = "split"
    PARTLY_TAKEN = "partly-taken"
    DEFERRED = "deferred"
    DROPPED = "dropped"
    UPSTREAMED = "upstreamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Who: a name and an address, as in a git identity."""

    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """An environment variable of the engine that turns a block's feature off, so that both arms run from one build.

    `off` is the value that turns it off; unset or any other value leaves it on.
    """

    name: str
    off: str
    about: str


class Refusal(StrEnum):
    """Why a submission, or an alternative that was tried, is not in the stack."""

    DEFERRED = "deferred"
    DROPPED = "dropped"
    REJECTED = "rejected"
    UPSTREAMED = "upstreamed"


@dataclass(frozen=True, slots=True, kw_only=True)
class NotTaken:
    """A change that is not in the stack: whose it is, where it came from, why it is not taken, and what was measured.

    `author` is None and `date` empty where nobody stated them; `numbers` are the measurements in words.
    """

    id: FoldId
    subject: str
    author: Person | None
    date: str
    source: str
    disposition: Refusal
    reason: str
    numbers: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Tombstone:
    """What must not come back: no fold may add a line that holds `text` as a whole word.

    `paths` are globs of the files it is looked for in; all when empty. `source` is the fold that it was dropped with.
    """

    text: str
    paths: tuple[str, ...]
    reason: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """One change: its author, date (git's `@SECONDS +ZZZZ`), message, source and canonical patch.

    `patch` is fold.patch parsed, `patch_bytes` the file itself; `source` says where the change came from in words
    (a pull request, a commit, `maintainers`). `licence` is that of files it brings, empty where it says none, and
    `source_bytes` is source.patch as it was submitted, None without one.
    """

    id: FoldId
    subject: str
    body: str
    author: Person
    date: str
    source: str
    disposition: Disposition
    reason: str
    patch: Patch
    patch_bytes: bytes
    patch_file: str
    licence: str = ""
    source_bytes: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One feature: why it exists, until when, which paths it owns (globs), what it needs, its folds in order.

    `claims` are those in words alone, `runnable_claims` those that can be run on a tree.
    """

    name: BlockName
    title: str
    why: str
    until: str
    owns: tuple[str, ...]
    requires: tuple[BlockName, ...]
    switches: tuple[Switch, ...]
    claims: tuple[str, ...]
    gates: tuple[GateDecl, ...]
    folds: tuple[Fold, ...]
    file: str
    not_taken: tuple[NotTaken, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    runnable_claims: tuple[Claim, ...] = ()

    def all_claims(self) -> tuple[str, ...]:
        """Every claim in words."""
        return (*self.claims, *(claim.says for claim in self.runnable_claims))
