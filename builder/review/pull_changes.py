"""What a pull request on the fork changes, fold by fold, and which of it nobody has approved."""

from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from builder.compare import What, compare
from builder.review.pull_request import Repository, merge_base, write_declared
from verify.gates.case import Case
from verify.manifest.read import read_release
from verify.model.diagnostic import Diagnostic, Fault, Place, Severity
from verify.review.packet import SAME


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What changed, in words, and changed folds that nobody has approved, as notes."""

    words: tuple[str, ...]
    owed: tuple[Diagnostic, ...]


def told_changes(repository: Repository, base: str, head: str, case: Case) -> Told:
    """What the pull request changes, fold by fold, and the changed folds that nobody has approved."""
    with TemporaryDirectory(prefix="stackproof-base-") as folder:
        if not write_declared(repository, merge_base(repository, base, head), Path(folder)):
            return Told(words=("the project is new: its base has no release.json",), owed=())
        try:
            old = read_release(Path(folder), pinned=False)
        except Fault as fault:
            return Told(words=(f"the base cannot be read: {fault.diagnostics[0].message}",), owed=())
    changes = [fold for block in compare(old, case.release).blocks for fold in block.folds]
    words = []
    same = sum(each.what in (What.IDENTICAL, What.OFFSET) for each in changes)
    words.append(f"{same} of {len(changes)} folds are the same change as at the base")
    standings = case.reviews.folds if case.reviews is not None else ()
    states = {(each.block, each.fold): each for each in standings}
    folds = {(block.name, fold.id): fold for block in case.release.blocks for fold in block.folds}
    owed = []
    for each in changes:
        if each.what in (What.IDENTICAL, What.OFFSET):
            continue
        key = each.block, each.fold
        fold = folds.get(key)
        lines = [sign for file in fold.patch.files for hunk in file.hunks for sign, _ in hunk.lines] if fold else []
        size = f" (+{lines.count(b'+')}/-{lines.count(b'-')})" if fold else ""
        state = states.get(key)
        words.append(f"{each.block}/{each.fold}: {each.what}{size}" + (f", {state.state}" if state else ""))
        if fold is not None and (state is None or state.state not in SAME):
            owed.append(_unapproved(fold.patch_file, each.block, each.fold))
    return Told(words=tuple(words), owed=tuple(owed))


def _unapproved(file: str, block: str, fold: str) -> Diagnostic:
    return Diagnostic(
        code="review-to-do",
        message=f"fold `{fold}` of block `{block}` is changed here, and nobody has approved it as it is",
        place=Place(file=file, line=1),
        help=f"stackproof review packet {block}/{fold}",
        severity=Severity.NOTE,
    )
