"""stack.json: what the blocks declare and what was derived of them, as a program without YAML reads it.

Takes and gives the document as typed values; `builder.seal` fills it. Everything in it is either computed again when
a bundle is checked (trees, commits, digests, order) or belongs to a declared file whose digest is in it.
"""

from dataclasses import dataclass

from verify.model.block import Disposition, Person, Switch
from verify.model.ids import BlockName, CommitId, FoldId, GateName, ReleaseName, Sha256, TreeId

SCHEMA = "stackproof/bundle-stack/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One end of the stack: a tree and the commit that records it."""

    tree: TreeId
    commit: CommitId


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredFile:
    """A file as declared, verbatim in the bundle under the same name."""

    file: str
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleGate:
    """A gate as declared."""

    name: GateName
    kind: str
    required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleFold:
    """One fold: who made it, its commit message, its patch, and the tree and commit after it."""

    id: FoldId
    author: Person
    date: str
    message: str
    source: str
    disposition: Disposition
    reason: str
    patch: str
    patch_sha256: Sha256
    tree: TreeId
    commit: CommitId


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleBlock:
    """One block: why it exists, until when, what it owns and needs, its folds, and the tree after the last of them."""

    name: BlockName
    title: str
    why: str
    until: str
    owns: tuple[str, ...]
    requires: tuple[BlockName, ...]
    switches: tuple[Switch, ...]
    claims: tuple[str, ...]
    gates: tuple[BundleGate, ...]
    folds: tuple[BundleFold, ...]
    tree: TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleStack:
    """The whole of stack.json.

    `digest` names the release by the declared files' bytes, in the order of `declared`. `gates` are release.json's.
    """

    schema: str
    release: ReleaseName
    parent: ReleaseName | None
    engine: str
    digest: Sha256
    declared: tuple[DeclaredFile, ...]
    base: Point
    gates: tuple[BundleGate, ...]
    blocks: tuple[BundleBlock, ...]
    tip: Point

    def folds(self) -> tuple[tuple[BlockName, BundleFold], ...]:
        """Every fold with its block, in the order of applying."""
        return tuple((block.name, fold) for block in self.blocks for fold in block.folds)

    def seconds(self) -> int:
        """The time of the last fold, in seconds: the one clock of a bundle. A stack without folds is of no time."""
        folds = self.folds()
        return int(folds[-1][1].date.removeprefix("@").split(" ")[0]) if folds else 0

    def all_gates(self) -> tuple[tuple[BlockName | None, BundleGate], ...]:
        """Every declared gate with the block that declares it."""
        own: list[tuple[BlockName | None, BundleGate]] = [(None, gate) for gate in self.gates]
        return (*own, *((block.name, gate) for block in self.blocks for gate in block.gates))
