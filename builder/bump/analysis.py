"""All that is known of a bump before anybody decides: outcomes, drift, deletions, what is owed, files that moved.

Nothing is built and nothing is written; the stack, both bases and what was remembered go in.
"""

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.bump.compared import Compared
from builder.bump.deletions import SilentDeletion, silent_deletions
from builder.bump.drift import Drift, drift_of
from builder.bump.meaning import Meaning, meaning_of
from builder.bump.memory_files import read_memory
from builder.bump.outcome import Cause, FoldKey
from builder.bump.renamed import Renamed, renamed_files
from builder.bump.stack_on import Bumped, Follow, stack_on
from builder.edit.desk import Desk
from verify.git import Git, GitFailed
from verify.model.diagnostic import Diagnostic
from verify.model.ids import RepoPath, TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Analysis:
    """See the module; `findings` are resolutions that were not believed."""

    bumped: Bumped
    drift: Drift
    deletions: tuple[SilentDeletion, ...]
    meaning: Meaning
    renamed: tuple[Renamed, ...]
    findings: tuple[Diagnostic, ...]

    def upstream_lines(self) -> int:
        """How many lines upstream changed in the files that the stack changes."""
        return sum(row.upstream_removed + row.upstream_added for row in self.drift.rows)

    def is_clean(self) -> bool:
        """Whether the bump can be accepted as it is."""
        undecided = any(not each.decided for each in self.deletions)
        return not self.bumped.open_folds() and not self.drift.strays and not undecided


def analyse(
    desk: Desk,
    base: TreeId,
    *,
    follow: Follow | None = None,
    dropped: frozenset[FoldKey] = frozenset(),
    meaning: bool = True,
) -> Analysis:
    """The stack of a desk on another base, which the desk's store has."""
    compared = Compared()
    memory, broken = read_memory(desk.root, [block.name for block in desk.release.blocks])
    bumped = stack_on(
        blocks=desk.release.blocks,
        old=desk.stack,
        base=base,
        overlay=desk.overlay,
        memory=memory,
        follow=follow,
        dropped=dropped,
        compared=compared,
    )
    plain = drift_of(bumped, desk.release.blocks, compared)
    by_git = merged_by_git(
        desk, bumped, tuple(row.path for row in plain.rows if row.upstream_added + row.upstream_removed)
    )
    gone = [
        bumped.follow.get(piece.path, piece.path)
        for fold in bumped.folds
        for piece in fold.pieces
        if piece.cause is Cause.FILE_GONE
    ]
    return Analysis(
        bumped=bumped,
        drift=drift_of(bumped, desk.release.blocks, compared, by_git),
        deletions=silent_deletions(bumped, compared),
        meaning=meaning_of(bumped, desk.release.blocks, compared) if meaning else Meaning(owed=(), unread=()),
        renamed=renamed_files(gone, desk.tree(desk.stack.base_tree), desk.tree(base)),
        findings=(
            *broken,
            *(each for fold in bumped.folds for each in fold.findings if each.code == "resolution-broken"),
        ),
    )


def merged_by_git(desk: Desk, bumped: Bumped, paths: tuple[RepoPath, ...]) -> Mapping[RepoPath, bool]:
    """A second way to each file of the new tip: git merges the old tip's and the new base's, from the old base's.

    A file is missing from the answer where git meets a conflict, or one of the four is not there.
    """
    if not paths:
        return {}
    back = {new: old for old, new in bumped.follow.items()}
    old_base, new_base = desk.tree(desk.stack.base_tree), desk.tree(bumped.base)
    old_tip = desk.tree(desk.stack.tip_tree())
    found: dict[RepoPath, bool] = {}
    with tempfile.TemporaryDirectory(prefix="stackproof-merge-") as name:
        folder = Path(name)
        git = Git(git_dir=desk.store.git_dir, cwd=folder)
        for path in paths:
            first = back.get(path, path)
            texts = old_tip.blob(first), old_base.blob(first), new_base.blob(path), bumped.tip.blob(path)
            ours, base, theirs, made = texts
            if ours is None or base is None or theirs is None or made is None or b"\0" in base[:8000]:
                continue
            for file, data in zip(("ours", "base", "theirs"), (ours, base, theirs), strict=True):
                (folder / file).write_bytes(data)
            try:
                found[path] = git.run("merge-file", "-p", "--quiet", "ours", "base", "theirs") == made
            except GitFailed:
                continue
    return found
