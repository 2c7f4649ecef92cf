"""What a bump did, as it is kept with the release: `blocks/bump.json`, written by `stackproof bump accept`.

It says from which release and trees the stack came and to which it went, what each fold changed before and after (by
digest), and every difference that was decided: resolved by hand, taken by upstream, dropped.
"""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.ids import BlockName, FoldId, ReleaseName, RepoPath, Sha256, TreeId


class Decision(StrEnum):
    """Why a fold does not change on the new base what it changed on the old one."""

    RESOLVED = "resolved"
    UPSTREAMED = "upstreamed"
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftFile:
    """What one fold changes in one file: digests of its signed lines on both bases, None where it changes nothing.

    `removed` and `added` count the lines that the two have not in common, `decision` says why there are any.
    """

    path: RepoPath
    was: Sha256 | None
    now: Sha256 | None
    removed: int
    added: int
    decision: Decision | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftFold:
    """One fold of the bumped stack, with the digest of the patch that the bump left; None for a dropped one."""

    block: BlockName
    fold: FoldId
    patch_sha256: Sha256 | None
    files: tuple[DriftFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftRow:
    """One file at the tip: what upstream changed, what the stack changes in sum on both bases, and what differs.

    `merged_by_git` is whether a three-way merge by git gives the new tip's file: None where git was not asked, or met a
    conflict.
    """

    path: RepoPath
    upstream_removed: int
    upstream_added: int
    was: Sha256 | None
    now: Sha256 | None
    removed: int
    added: int
    undecided: int
    merged_by_git: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BumpRecord:
    """The whole record."""

    from_release: ReleaseName
    from_base: TreeId
    from_tip: TreeId
    to_base: TreeId
    to_tip: TreeId
    folds: tuple[DriftFold, ...]
    rows: tuple[DriftRow, ...]
