"""One fold on its new tree: whole where it goes, else every hunk that settles, and what is behind each that does not.

Hunks go the two ways of `builder/two_ways.py`, also where they would stand at their very line. Where the whole fold is
refused, each file is tried by itself, so that one conflict hides no other; a file that a remembered resolution is about
is made by it, once that has been checked again. Pure: trees in, trees out.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from builder.bump.behind import Futures, share_of, taken_with, upstream_behind
from builder.bump.compared import Compared
from builder.bump.memory import Resolution, Wanted
from builder.bump.outcome import (
    OPEN,
    BumpedFold,
    Cause,
    FoldKey,
    Outcome,
    Piece,
    Share,
    UsedResolution,
    fold_outcome,
)
from builder.edit.refresh import sections_of
from builder.exchange.lay_submission import HunkFate, Refused, Rules, Taken, lay_submission
from builder.exchange.tree_diff import patch_between
from builder.layer import Laid, lay
from builder.placement import Fate
from builder.tree import FileState, Obstructed, Tree
from verify.diff.render import file_order, render_patch
from verify.diff.submission import Dialect, Section
from verify.model.block import Fold
from verify.model.diagnostic import Diagnostic
from verify.model.ids import BlockName, RepoPath
from verify.model.patch import Action, FileChange, Patch

RULES = Rules(dialect=Dialect.GIT, drop_empty=False, take_present=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """What a fold is carried with: the trees it met and left, both bases, later contents, and what is remembered.

    `waits_for` names the fold that is not resolved where a piece (path, first and behind line of what it met, None for
    the file) rests on one.
    """

    met: Tree
    left: Tree
    base: tuple[Tree, Tree]
    compared: Compared
    futures: Futures
    remembered: Callable[[Wanted], Resolution | None]
    waits_for: Callable[[RepoPath, tuple[int, int] | None], FoldKey | None]
    followed: Callable[[RepoPath], RepoPath]

    def recorded(self, path: RepoPath) -> bytes | None:
        """What the fold met at a path, by the name that the new base has for it."""
        return self.met.blob(self.first_name(path))

    def first_name(self, path: RepoPath) -> RepoPath:
        """The name that a path had when the fold was recorded."""
        return self.followed(path)


def carry_fold(block: BlockName, fold: Fold, patch: Patch, *, onto: Tree, ground: Ground) -> BumpedFold:
    """The fold on the tree `onto`; `patch` is its own one, with the names that the new base has for its files."""
    if all(onto.entry(path) == ground.met.entry(ground.first_name(path)) for path in _paths(patch)):
        laid = lay(patch, onto, file=fold.patch_file, text=fold.patch_bytes)
        if isinstance(laid, Laid):
            text = fold.patch_bytes if patch is fold.patch else render_patch(patch)
            return BumpedFold(
                block=block,
                fold=fold.id,
                outcome=Outcome.UNCHANGED,
                pieces=tuple(_as_it_was(patch)),
                patch=patch,
                text=text,
                before=onto.id,
                tree=laid.tree,
                files=laid.files,
            )
    sections = sections_of(patch, ground.met)
    whole = lay_submission([sections], onto, RULES, file=fold.patch_file, recorded_at=ground.recorded)
    work = _Work(block, fold, onto, ground)
    if isinstance(whole, Taken):
        for section, change in zip(sections, patch.files, strict=True):
            work.settled(section, change, whole.fates)
        return work.done(whole.patch, whole, ())
    for section, change in zip(sections, patch.files, strict=True):
        work.by_itself(section, change)
    return work.finish()


class _Work:
    """The pieces of one fold while its files are gone through."""

    def __init__(self, block: BlockName, fold: Fold, onto: Tree, ground: Ground) -> None:
        self.block = block
        self.fold = fold
        self.onto = onto
        self.ground = ground
        self.pieces: list[Piece] = []
        self.kept: list[Section] = []
        self.resolved: dict[RepoPath, FileState | None] = {}
        self.used: list[UsedResolution] = []
        self.findings: list[Diagnostic] = []

    def settled(self, section: Section, change: FileChange, fates: Sequence[HunkFate]) -> None:
        """A file that goes on: its hunks by their fates, or the file as a whole."""
        path = _named(change)
        lines = {hunk.source_line for hunk in section.hunks}
        mine = [fate for fate in fates if fate.source_line in lines]
        beside = change.action is Action.RENAME or change.new_mode is not None
        if not mine or (beside and change.action is not Action.CREATE and self._has_whole(change, path)):
            self.pieces.append(self._file(change, path))
        self.pieces += (self._piece(fate, section, path) for fate in mine)

    def by_itself(self, section: Section, change: FileChange) -> None:
        """A file of a fold that is not taken whole."""
        path = _named(change)
        one = lay_submission([[section]], self.onto, RULES, file=self.fold.patch_file, recorded_at=self.ground.recorded)
        if isinstance(one, Taken):
            self.kept.append(section)
            self.settled(section, change, one.fates)
            return
        pieces = [self._piece(fate, section, path) for fate in one.fates]
        if not pieces:
            pieces = [self._refused(change, path, one)]
        if not any(piece.outcome in OPEN for piece in pieces) and len(one.findings) > _unsettled(one):
            pieces.append(self._refused(change, path, one))
        if any(piece.outcome in OPEN for piece in pieces) and self._remembered(change, path, pieces):
            return
        self.findings += one.findings
        if change.action in (Action.MODIFY, Action.RENAME):
            # What upstream took with later folds is there in another form, and goes on no more than what is open.
            numbers = {piece.hunk for piece in pieces if piece.outcome not in OPEN and not piece.others}
            hunks = tuple(hunk for number, hunk in enumerate(section.hunks, start=1) if number in numbers)
            if hunks or section.rename or section.new_mode is not None:
                self.kept.append(replace(section, hunks=hunks))
        self.pieces += pieces

    def finish(self) -> BumpedFold:
        """The fold with what goes on, and what was resolved."""
        laid = lay_submission(
            [self.kept], self.onto, RULES, file=self.fold.patch_file, recorded_at=self.ground.recorded
        )
        if isinstance(laid, Refused):
            # Files that go on one by one do not together: nothing of the fold is said to be there then.
            self.findings += laid.findings
            self.pieces = [replace(each, outcome=Outcome.CONFLICT, cause=Cause.FILE_THERE) for each in self.pieces]
            return self.done(Patch(files=()), None, ())
        changes = [each for each in laid.patch.files if not _paths(Patch(files=(each,))) & self.resolved.keys()]
        after = self.onto.with_changes(self.resolved)
        assert not isinstance(after, Obstructed)  # each file of it stands where the fold had one
        changes += patch_between(self.onto, after).files
        return self.done(Patch(files=tuple(sorted(changes, key=file_order))), None, tuple(self.used))

    def done(self, patch: Patch, taken: Taken | None, used: tuple[UsedResolution, ...]) -> BumpedFold:
        """The fold with this patch, laid once more exactly."""
        text = taken.text if taken is not None else render_patch(patch)
        laid = lay(patch, self.onto, file=self.fold.patch_file, text=text)
        assert isinstance(laid, Laid), laid  # it was made for this very tree
        outcome = fold_outcome(self.pieces)
        if outcome is Outcome.MERGED and _changed_lines(patch) < _changed_lines(self.fold.patch):
            outcome = Outcome.PARTLY  # upstream has a part of a hunk, which the merge leaves out
        same = outcome is Outcome.MOVED and text == self.fold.patch_bytes
        return BumpedFold(
            block=self.block,
            fold=self.fold.id,
            outcome=Outcome.UNCHANGED if same else outcome,
            pieces=tuple(self.pieces),
            patch=patch,
            text=text,
            before=self.onto.id,
            tree=laid.tree,
            files=laid.files,
            resolutions=used,
            findings=tuple(self.findings),
        )

    def _file(self, change: FileChange, path: RepoPath) -> Piece:
        """What a file that goes on is as a whole: made, removed, moved, of another mode; there already or not."""
        there = self._has_whole(change, path)
        outcome, cause = (Outcome.UPSTREAMED, Cause.HAS_IT) if there else (Outcome.UNCHANGED, Cause.NONE)
        lines = sum(sign != b" " for hunk in change.hunks for sign, _ in hunk.lines)
        share = Share(added=lines, removed=0, added_there=lines if there else 0, removed_gone=0, by_reverse=there)
        return Piece(path=path, hunk=0, outcome=outcome, cause=cause, source_line=change.source_line, share=share)

    def _has_whole(self, change: FileChange, path: RepoPath) -> bool:
        """Whether the new base has what the change says of the file beside its lines."""
        now = self.onto.entry(path)
        if change.action is Action.RENAME and change.old_path is not None:
            return self.onto.entry(change.old_path) is None and now is not None
        if change.action is Action.MODIFY and change.binary is None:
            return now is not None and change.new_mode is not None and now.mode is change.new_mode
        return now == (self.ground.left.entry(self.ground.first_name(path)) if change.new_path is not None else None)

    def _piece(self, fate: HunkFate, section: Section, path: RepoPath) -> Piece:
        placement = fate.placement
        outcome, cause = _SAID[placement.fate]
        if outcome is Outcome.MOVED and placement.offset == 0:
            outcome, cause = Outcome.UNCHANGED, Cause.NONE
        piece = Piece(
            path=path,
            hunk=fate.number,
            outcome=outcome,
            cause=cause,
            line=placement.line,
            offset=placement.offset,
            source_line=fate.source_line,
            notes=placement.notes,
        )
        return piece if outcome in (Outcome.UNCHANGED, Outcome.MOVED) else self._looked_into(piece, section)

    def _looked_into(self, piece: Piece, section: Section) -> Piece:
        """The piece with what of upstream is behind it, and where it is not settled, with the reason."""
        ground, hunk = self.ground, section.hunks[piece.hunk - 1]
        origin = section.moved[0] if section.rename and section.moved[0] is not None else piece.path
        recorded, present = ground.recorded(RepoPath(origin)), self.onto.blob(RepoPath(origin))
        left = ground.left.blob(ground.first_name(piece.path))
        if recorded is None or present is None or left is None:
            return piece
        first = ground.first_name(RepoPath(origin))
        piece = replace(
            piece,
            upstream=upstream_behind(
                ground.compared,
                path=RepoPath(origin),
                base=(ground.base[0].blob(first), ground.base[1].blob(RepoPath(origin))),
                recorded=recorded,
                hunk=hunk,
            ),
            share=share_of(ground.compared, hunk=hunk, recorded=recorded, left=left, present=present),
        )
        if piece.outcome is Outcome.UPSTREAMED:
            lines = [sign for sign, _ in hunk.lines]
            added, removed = lines.count(b"+"), lines.count(b"-")
            full = replace(piece.share, added=added, removed=removed, added_there=added, removed_gone=removed)
            return replace(piece, share=full)
        if piece.outcome not in OPEN:
            return piece
        start = hunk.old_start - 1 if hunk.old() else hunk.old_start
        span = start, start + len(hunk.old())
        waits = ground.waits_for(first, span)
        if waits is not None:
            return replace(piece, outcome=Outcome.CONFLICT, cause=Cause.WAITS, waits_for=waits)
        others = taken_with(
            ground.compared, hunk=hunk, recorded=recorded, present=present, futures=ground.futures(first)
        )
        if others:
            share = piece.share
            full = replace(share, added_there=share.added, removed_gone=share.removed)
            return replace(piece, outcome=Outcome.UPSTREAMED, cause=Cause.HAS_IT, others=others, share=full)
        fronts = ground.compared.alignments(recorded, present)
        if all(alignment.of(line) < 0 for alignment in fronts for line in range(*span)) and span[0] < span[1]:
            return replace(piece, outcome=Outcome.SUPERSEDED, cause=Cause.LINES_GONE)
        if any(note.startswith("by merge it belongs") for note in piece.notes):
            return replace(piece, cause=Cause.WAYS_DIFFER)
        return piece

    def _refused(self, change: FileChange, path: RepoPath, refused: Refused) -> Piece:
        """A file that does not go on as a whole."""
        old = change.old_path if change.old_path is not None else path
        codes = {finding.code for finding in refused.findings}
        waits = self.ground.waits_for(self.ground.first_name(old), None)
        outcome = Outcome.CONFLICT
        if waits is not None:
            cause = Cause.WAITS
        elif "path-missing" in codes:
            outcome, cause = Outcome.SUPERSEDED, Cause.FILE_GONE
        elif "path-exists" in codes:
            cause = Cause.FILE_THERE
        elif codes & {"path-mode", "path-obstructed", "submodule-line"}:
            cause = Cause.FILE_KIND
        elif "binary-mismatch" in codes:
            cause = Cause.BINARY
        else:
            cause = Cause.SAME_LINES
        lines = [sign for hunk in change.hunks for sign, _ in hunk.lines]
        share = Share(
            added=lines.count(b"+"), removed=lines.count(b"-"), added_there=0, removed_gone=0, by_reverse=False
        )
        notes = tuple(dict.fromkeys(finding.message for finding in refused.findings))
        return Piece(
            path=path, hunk=0, outcome=outcome, cause=cause, source_line=change.source_line, notes=notes,
            share=share, waits_for=waits,
        )  # fmt: skip

    def _remembered(self, change: FileChange, path: RepoPath, pieces: list[Piece]) -> bool:
        """Let a remembered resolution make the file; whether there is one that holds."""
        ground = self.ground
        old = change.old_path if change.old_path is not None else path
        wanted = wanted_file(
            self.block, change, met=ground.met, left=ground.left, onto=self.onto, first_name=ground.first_name
        )
        known = ground.remembered(wanted)
        if known is None:
            return False
        state = known.state(self.onto.overlay)
        if isinstance(state, Diagnostic):
            self.findings.append(state)
            return False
        if old != path:
            self.resolved[old] = None
        self.resolved[path] = state
        self.used.append(UsedResolution(key=known.wanted.key(), path=path, result=known.result))
        self.pieces += (
            replace(piece, outcome=Outcome.RESOLVED) if piece.outcome in OPEN else piece for piece in pieces
        )
        return True


def wanted_file(
    block: BlockName,
    change: FileChange,
    *,
    met: Tree,
    left: Tree,
    onto: Tree,
    first_name: Callable[[RepoPath], RepoPath],
) -> Wanted:
    """The file of a fold that a resolution is kept under."""
    path = _named(change)
    old = change.old_path if change.old_path is not None else path
    before, after, now = met.entry(first_name(old)), left.entry(first_name(path)), onto.entry(old)
    return Wanted(
        block=block,
        path=path,
        preimage=before.blob if before is not None else None,
        postimage=after.blob if after is not None else None,
        met=now.blob if now is not None else None,
    )


_SAID = {
    Fate.EXACT: (Outcome.UNCHANGED, Cause.NONE),
    Fate.OFFSET: (Outcome.MOVED, Cause.OFFSET),
    Fate.MERGED: (Outcome.MERGED, Cause.CONTEXT),
    Fate.ALREADY_THERE: (Outcome.UPSTREAMED, Cause.HAS_IT),
    Fate.AMBIGUOUS: (Outcome.CONFLICT, Cause.OPEN_PLACE),
    Fate.CONFLICT: (Outcome.CONFLICT, Cause.SAME_LINES),
}


def _as_it_was(patch: Patch) -> list[Piece]:
    pieces: list[Piece] = []
    for change in patch.files:
        path = _named(change)
        numbers = range(1, len(change.hunks) + 1) if change.hunks else (0,)
        pieces += (Piece(path=path, hunk=number, outcome=Outcome.UNCHANGED, cause=Cause.NONE) for number in numbers)
    return pieces


def _unsettled(refused: Refused) -> int:
    return sum(not fate.placement.placed and fate.placement.fate is not Fate.ALREADY_THERE for fate in refused.fates)


def _named(change: FileChange) -> RepoPath:
    path = change.new_path if change.new_path is not None else change.old_path
    if path is None:
        raise ValueError("a file change names no path")
    return path


def _paths(patch: Patch) -> set[RepoPath]:
    return {path for change in patch.files for path in (change.old_path, change.new_path) if path is not None}


def _changed_lines(patch: Patch) -> int:
    """How many lines a patch adds and removes."""
    return sum(sign != b" " for change in patch.files for hunk in change.hunks for sign, _ in hunk.lines)
