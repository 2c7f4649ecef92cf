"""What release.json, blocks/ and blocks/lock.json declare, read and typed."""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.artifact import SOURCES_ALONE, Artifacts
from verify.model.block import Block, NotTaken, Tombstone
from verify.model.bump import BumpRecord
from verify.model.deviation import Deviation, EndedDeviation, Standing, newest_day
from verify.model.gate import GateDecl
from verify.model.ids import (
    BlobId,
    BlockName,
    CommitId,
    ConfigName,
    FoldId,
    ModelName,
    ReleaseName,
    RepoPath,
    Sha256,
    TreeId,
)
from verify.model.patch import Mode
from verify.model.review import OUR_REVIEWS, ReviewPolicy, Reviews
from verify.model.trust import OUR_POLICY, EvidencePolicy, Hardware


@dataclass(frozen=True, slots=True, kw_only=True)
class SdistSource:
    """The engine from a source distribution on the package index; `git_dir` is its upstream repository inside.

    With `of_commit` the tree is not that of the folder but of the base's upstream commit, which the repository has too.
    """

    package: str
    version: str
    sha256: Sha256
    folder: str
    git_dir: str
    of_commit: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveSource:
    """The engine from a local tar archive."""

    file: str
    sha256: Sha256
    folder: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GitSource:
    """The engine from a git repository (a path or URL) at a commit."""

    repository: str
    commit: CommitId


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSource:
    """The engine from a folder, as it lies on disk; `without` names entries of its top that are no part of it."""

    path: str
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseSource:
    """The engine as another release leaves it: its bundle's folder, its name, the digest of its declared files.

    `base` says where that release's own base lies, when its source is a path; empty when it is none.
    """

    bundle: str
    release: ReleaseName
    digest: Sha256
    base: str = ""


Source = SdistSource | ArchiveSource | GitSource | FolderSource | ReleaseSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Base:
    """The pinned upstream: where it comes from, and its commit where the source carries one."""

    source: Source
    upstream_commit: CommitId | None


class Proof(StrEnum):
    """Which trees a configuration is built on."""

    PREFIX = "prefix"
    ALONE = "alone"
    TIP = "tip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """One way to build the engine: CMake build type, options (`-DNAME=VALUE`, sorted by name), targets, proofs."""

    name: ConfigName
    build_type: str
    options: tuple[tuple[str, str], ...]
    targets: tuple[str, ...]
    proofs: tuple[Proof, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageModel:
    """A model file out of a wheel on the package index; both are pinned."""

    name: ModelName
    package: str
    version: str
    wheel_sha256: Sha256
    member: str
    sha256: Sha256
    licence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneratedModel:
    """A tiny model that our own generator writes, byte for byte the same everywhere."""

    name: ModelName
    generator: str
    sha256: Sha256
    licence: str


ModelPin = PackageModel | GeneratedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """The trees and the tip commit that the release promises; written by `stackproof pin`."""

    base_tree: TreeId
    tip_tree: TreeId
    tip_commit: CommitId


@dataclass(frozen=True, slots=True, kw_only=True)
class BlobState:
    """What a path held: a blob (or submodule commit) and its mode."""

    blob: BlobId
    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFile:
    """One path that a fold changes: what it met and what it left; None where the path is not there."""

    path: RepoPath
    before: BlobState | None
    after: BlobState | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LockedFold:
    """What the lock records of one fold: its patch, each file's two sides, the tree and commit after it."""

    block: BlockName
    fold: FoldId
    patch_sha256: Sha256
    files: tuple[LockedFile, ...]
    tree: TreeId
    commit: CommitId


@dataclass(frozen=True, slots=True, kw_only=True)
class Lock:
    """blocks/lock.json: every fold in stack order."""

    folds: tuple[LockedFold, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """All that is declared. `reference` and `lock` are None before the first `stackproof pin`.

    `digest` is the SHA-256 over the bytes of every file that was read, in stack order; it names this very release.
    """

    name: ReleaseName
    parent: ReleaseName | None
    engine: str
    base: Base
    blocks: tuple[Block, ...]
    configurations: tuple[Configuration, ...]
    models: tuple[ModelPin, ...]
    gates: tuple[GateDecl, ...]
    reference: Reference | None
    lock: Lock | None
    digest: Sha256
    not_taken: tuple[NotTaken, ...] = ()
    tombstones: tuple[Tombstone, ...] = ()
    deviations: tuple[Deviation, ...] = ()
    ended_deviations: tuple[EndedDeviation, ...] = ()
    hardware: tuple[Hardware, ...] = ()
    policy: EvidencePolicy = OUR_POLICY
    review_policy: ReviewPolicy = OUR_REVIEWS
    reviews: tuple[tuple[BlockName, Reviews], ...] = ()
    artifacts: Artifacts = SOURCES_ALONE
    bump: BumpRecord | None = None

    def standing(self, base_tree: TreeId) -> Standing:
        """What ends accepted deviations, for this release on that base."""
        folds = [fold.date for block in self.blocks for fold in block.folds]
        return Standing(
            release=self.name,
            parent=self.parent,
            base_tree=base_tree,
            upstream_commit=self.base.upstream_commit,
            day=newest_day(folds),
        )

    def reviews_of(self, block: BlockName) -> Reviews:
        """What lies in a block's `reviews/`."""
        return dict(self.reviews).get(block, Reviews())

    def all_tombstones(self) -> tuple[Tombstone, ...]:
        """The release's own tombstones, then each block's in stack order."""
        return self.tombstones + tuple(stone for block in self.blocks for stone in block.tombstones)

    def all_gates(self) -> tuple[GateDecl, ...]:
        """The release's own gates, then each block's in stack order."""
        return self.gates + tuple(gate for block in self.blocks for gate in block.gates)
