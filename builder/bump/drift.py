"""Zero drift: the new tip less the old tip is the new base less the old base, file by file, but for what was decided.

Both stacks are summed up by their own hunks (`verify/diff/net.py`), and the lines are compared in order, byte for byte.
A line that only one of them changes belongs to a fold; whether something was decided about that fold in that file
tells a decision from drift. Pure.
"""

import difflib
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from builder.bump.compared import Compared, added_lines, removed_lines
from builder.bump.outcome import OPEN, BumpedFold, FoldKey, Outcome
from builder.bump.stack_on import Bumped, followed
from builder.tree import Tree
from verify.diff.net import Item, NetFile, file_lines, lines_digest, net_changes
from verify.model.block import Block
from verify.model.bump import Decision, DriftFile, DriftFold, DriftRow
from verify.model.ids import RepoPath, Sha256
from verify.model.patch import Patch

ByGit = Mapping[RepoPath, bool]
"""Whether a three-way merge by git gives the new tip's file; a path is missing where git met a conflict."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """The table: folds and files; `strays` are the lines that differ and that nothing was decided about."""

    folds: tuple[DriftFold, ...]
    rows: tuple[DriftRow, ...]
    strays: tuple[tuple[RepoPath, Item], ...]


def drift_of(bumped: Bumped, blocks: Sequence[Block], compared: Compared, by_git: ByGit | None = None) -> Drift:
    """The table of a stack on its new base."""
    decided = _decisions(bumped)
    folds = tuple(_folds(bumped, blocks, decided))
    old = net_changes(
        (block.name, fold.id, followed(fold.patch, bumped.follow)) for block in blocks for fold in block.folds
    )
    new = net_changes((fold.block, fold.fold, fold.patch) for fold in bumped.folds)
    bases = Tree.at(bumped.tip.overlay, bumped.old.base_tree), Tree.at(bumped.tip.overlay, bumped.base)
    back = {new_name: old_name for old_name, new_name in bumped.follow.items()}
    rows: list[DriftRow] = []
    strays: list[tuple[RepoPath, Item]] = []
    for path in sorted(old.keys() | new.keys()):
        was, now = old.get(path), new.get(path)
        lost, gained = _differing(was, now)
        stray = _strays(path, lost, gained, folds, decided)
        strays += ((path, item) for item in stray)
        up = compared.upstream_runs(bases, (back.get(path, path), path))
        rows.append(
            DriftRow(
                path=path,
                upstream_removed=sum(len(removed_lines(run)) for run in up),
                upstream_added=sum(len(added_lines(run)) for run in up),
                was=lines_digest(was.lines()) if was is not None else None,
                now=lines_digest(now.lines()) if now is not None else None,
                removed=len(lost),
                added=len(gained),
                undecided=len(stray),
                merged_by_git=(by_git or {}).get(path),
            )
        )
    return Drift(folds=folds, rows=tuple(rows), strays=tuple(strays))


def _strays(
    path: RepoPath,
    lost: Sequence[Item],
    gained: Sequence[Item],
    folds: Sequence[DriftFold],
    decided: Mapping[tuple[FoldKey, RepoPath], Decision],
) -> list[Item]:
    """The lines that no decision explains.

    A fold that changes what it always did can still differ in the sum, where it goes over lines of a fold that was
    decided about: that is then the reason.
    """
    same = {
        (fold.block, fold.fold)
        for fold in folds
        if not any(file.path == path and (file.removed or file.added) for file in fold.files)
    }
    any_decided = any(at == path for _, at in decided)
    found = []
    for item, is_new in [*((item, False) for item in lost), *((item, True) for item in gained)]:
        key = item.block, item.fold
        decision = decided.get((key, path))
        explained = decision is not None and not (is_new and decision is not Decision.RESOLVED)
        if not explained and not (key in same and any_decided):
            found.append(item)
    return found


def _decisions(bumped: Bumped) -> dict[tuple[FoldKey, RepoPath], Decision]:
    found: dict[tuple[FoldKey, RepoPath], Decision] = {}
    for fold in bumped.folds:
        for piece in fold.pieces:
            key = fold.key(), piece.path
            if piece.outcome is Outcome.RESOLVED:
                found[key] = Decision.RESOLVED
            elif piece.outcome is Outcome.UPSTREAMED or (
                fold.outcome is Outcome.PARTLY and piece.outcome is Outcome.MERGED and piece.share.there()
            ):
                found.setdefault(key, Decision.UPSTREAMED)
    open_paths = {(fold.key(), piece.path) for fold in bumped.folds for piece in fold.pieces if piece.outcome in OPEN}
    for open_path in open_paths:
        found.pop(open_path, None)
    gone = set(bumped.dropped)
    for layer in bumped.old.layers:
        of = layer.block, layer.fold
        if of in gone:
            for file in layer.files:
                found[of, bumped.follow.get(file.path, file.path)] = Decision.DROPPED
    return found


def _folds(
    bumped: Bumped, blocks: Sequence[Block], decided: Mapping[tuple[FoldKey, RepoPath], Decision]
) -> Iterable[DriftFold]:
    done: dict[FoldKey, BumpedFold] = {fold.key(): fold for fold in bumped.folds}
    for block in blocks:
        for fold in block.folds:
            key = block.name, fold.id
            now = done.get(key)
            before = _by_path(followed(fold.patch, bumped.follow))
            after = _by_path(now.patch) if now is not None else {}
            files = []
            for path in sorted(before.keys() | after.keys()):
                was, new = before.get(path, ()), after.get(path, ())
                lost, gained = _differing_lines(was, new)
                files.append(
                    DriftFile(
                        path=path,
                        was=lines_digest(was) if path in before else None,
                        now=lines_digest(new) if path in after else None,
                        removed=len(lost),
                        added=len(gained),
                        decision=decided.get((key, path)) if lost or gained else None,
                    )
                )
            sha256 = Sha256(hashlib.sha256(now.text).hexdigest()) if now is not None else None
            yield DriftFold(block=block.name, fold=fold.id, patch_sha256=sha256, files=tuple(files))


def _by_path(patch: Patch) -> dict[RepoPath, tuple[tuple[bytes, bytes], ...]]:
    found: dict[RepoPath, tuple[tuple[bytes, bytes], ...]] = {}
    for change in patch.files:
        path = change.new_path if change.new_path is not None else change.old_path
        if path is not None:
            found[path] = (*found.get(path, ()), *file_lines(change))
    return found


def _differing(was: NetFile | None, now: NetFile | None) -> tuple[list[Item], list[Item]]:
    old, new = (was.items if was is not None else ()), (now.items if now is not None else ())
    lost, gained = _differing_lines([(i.sign, i.text) for i in old], [(i.sign, i.text) for i in new])
    return [old[at] for at in lost], [new[at] for at in gained]


def _differing_lines(
    was: Sequence[tuple[bytes, bytes]], now: Sequence[tuple[bytes, bytes]]
) -> tuple[list[int], list[int]]:
    """The places of the lines that the two rows have not in common."""
    if was == now:
        return [], []
    lost: list[int] = []
    gained: list[int] = []
    for tag, a, a_end, b, b_end in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        if tag != "equal":
            lost += range(a, a_end)
            gained += range(b, b_end)
    return lost, gained
