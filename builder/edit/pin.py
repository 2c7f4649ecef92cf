"""Makes what was derived binding: the reference in release.json, every fold in blocks/lock.json, the release's name.

`plan_pin` says what would change and why, fold by fold; nothing is written before `apply_pin`. Only the `reference`
object is replaced in release.json. Lock and history are written by this module alone and only checked elsewhere.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from builder.edit.history import HISTORY_FILE, Named, next_history, read_history, render_history
from builder.edit.operations import record
from builder.edit.reference import with_reference
from builder.stack import make_lock
from builder.write import project_lock
from verify.manifest.lock import LOCK_FILE, render_lock
from verify.manifest.release import RELEASE_FILE
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, FoldId, TreeId
from verify.model.release import Lock, LockedFold, Reference, Release
from verify.model.stack import Stack


class Why(StrEnum):
    """Why a fold's record changes."""

    NEW = "new fold"
    GONE = "fold removed"
    MOVED = "stands at another place"
    PATCH = "patch changed"
    PREIMAGE = "meets other files"
    RESULT = "leaves other files"
    BELOW = "follows a change below"
    IDENTITY = "message, author or date changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoldChange:
    """One fold whose record changes: why, and the tree after it as recorded and as derived."""

    block: BlockName
    fold: FoldId
    why: tuple[Why, ...]
    before: TreeId | None
    after: TreeId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PinPlan:
    """What pinning would write; `unchanged` counts the folds whose record stays.

    `files` are the new contents of the files that change; `read` is what stood in them when the plan was made.
    """

    before: Reference | None
    after: Reference
    folds: tuple[FoldChange, ...]
    unchanged: int
    files: tuple[tuple[str, bytes], ...]
    read: tuple[tuple[str, bytes | None], ...]

    def is_empty(self) -> bool:
        """Whether everything is pinned as it is."""
        return not self.files


def plan_pin(*, root: Path, release: Release, stack: Stack, sealed: Reference | None = None) -> PinPlan:
    """Compare what was derived (without the lock) with what is pinned.

    `sealed` is what a bundle of the release's name holds; pinning other content under that name is refused.
    """
    lock = make_lock(stack, release.blocks)
    reference = Reference(
        base_tree=stack.base_tree,
        tip_tree=stack.tip_tree(),
        tip_commit=stack.tip_commit(),
    )
    read = tuple((name, _bytes(root / name)) for name in (RELEASE_FILE, LOCK_FILE, HISTORY_FILE))
    text = (read[0][1] or b"").decode("utf-8")
    named = Named(name=release.name, parent=release.parent, reference=reference)
    made = (
        (RELEASE_FILE, text.encode() if release.reference == reference else with_reference(text, reference).encode()),
        (LOCK_FILE, render_lock(lock)),
        (HISTORY_FILE, render_history(next_history(read_history(read[2][1]), named, sealed=sealed))),
    )
    changes = _changes(release.lock, lock)
    gone = sum(change.after is None for change in changes)
    return PinPlan(
        before=release.reference,
        after=reference,
        folds=changes,
        unchanged=len(lock.folds) - (len(changes) - gone),
        files=tuple(new for new, old in zip(made, read, strict=True) if new != old),
        read=read,
    )


def with_pin(
    root: Path, contents: Mapping[str, bytes | None], release: Release, stack: Stack, *, sealed: Reference | None
) -> dict[str, bytes | None]:
    """The files of an edit with the pin of what they give; files that stay as they stand in `root` are left out.

    `release` and `stack` are what the files were read and derived to; `sealed` as in `plan_pin`.
    """
    reference = Reference(base_tree=stack.base_tree, tip_tree=stack.tip_tree(), tip_commit=stack.tip_commit())
    made = dict(contents)
    text = (made.get(RELEASE_FILE) or (root / RELEASE_FILE).read_bytes()).decode("utf-8")
    made[RELEASE_FILE] = with_reference(text, reference).encode()
    made[LOCK_FILE] = render_lock(make_lock(stack, release.blocks))
    named = Named(name=release.name, parent=release.parent, reference=reference)
    history = read_history(_bytes(root / HISTORY_FILE))
    made[HISTORY_FILE] = render_history(next_history(history, named, sealed=sealed))
    return {name: data for name, data in made.items() if data != _bytes(root / name)}


def apply_pin(*, root: Path, plan: PinPlan, tell: Callable[[str], None], at: int = 0) -> None:
    """Write the plan; raises `InputFault` when the files changed after it was made."""
    with project_lock(root, tell=tell):
        for name, data in plan.read:
            if _bytes(root / name) != data:
                raise InputFault(
                    Diagnostic(
                        code="pin-outdated",
                        message=f"{name} changed while the stack was derived",
                        notes=("nothing was written",),
                        help="stackproof pin",
                    )
                )
        if plan.files:
            summary = f"tip tree {plan.after.tip_tree[:12]}, {len(plan.folds)} folds recorded anew"
            record(root, command="pin", summary=summary, contents=dict(plan.files), at=at)


def _changes(old: Lock | None, new: Lock) -> tuple[FoldChange, ...]:
    recorded = {(fold.block, fold.fold): fold for fold in old.folds} if old is not None else {}
    derived = {(fold.block, fold.fold): fold for fold in new.folds}
    moved = _moved([key for key in recorded if key in derived], [key for key in derived if key in recorded])
    found: list[FoldChange] = []
    below = False
    for key, fold in derived.items():
        before = recorded.get(key)
        why = (Why.NEW,) if before is None else _why(before, fold, moved=key in moved, below=below)
        below = before is None or before.commit != fold.commit
        if why:
            found.append(
                FoldChange(
                    block=key[0],
                    fold=key[1],
                    why=why,
                    before=before.tree if before is not None else None,
                    after=fold.tree,
                )
            )
    for key, fold in recorded.items():
        if key not in derived:
            found.append(FoldChange(block=key[0], fold=key[1], why=(Why.GONE,), before=fold.tree, after=None))
    return tuple(found)


def _why(old: LockedFold, new: LockedFold, *, moved: bool, below: bool) -> tuple[Why, ...]:
    patch = old.patch_sha256 != new.patch_sha256
    preimage = _sides(old, after=False) != _sides(new, after=False)
    result = _sides(old, after=True) != _sides(new, after=True)
    reasons = {
        Why.MOVED: moved,
        Why.PATCH: patch,
        # A changed patch may well touch other files; only an unchanged one that meets others says that they changed.
        Why.PREIMAGE: preimage and not patch,
        Why.RESULT: result and not patch and not preimage,
    }
    found = tuple(why for why, holds in reasons.items() if holds)
    if found:
        return found
    if old.commit == new.commit:
        return ()
    # A commit names its parent. Only the first fold whose commit differs can be blamed for its own message.
    return (Why.BELOW,) if below or old.tree != new.tree else (Why.IDENTITY,)


def _sides(fold: LockedFold, *, after: bool) -> dict[bytes, object]:
    return {file.path: file.after if after else file.before for file in fold.files}


def _moved(
    old: list[tuple[BlockName, FoldId]], new: list[tuple[BlockName, FoldId]]
) -> frozenset[tuple[BlockName, FoldId]]:
    """The folds that changed places: those not on a longest common run of both orders."""
    place = {key: number for number, key in enumerate(old)}
    best: list[list[int]] = []
    for at, key in enumerate(new):
        longest = max((run for run in best if place[new[run[-1]]] < place[key]), key=len, default=[])
        best.append([*longest, at])
    kept = {new[at] for at in max(best, key=len, default=[])}
    return frozenset(key for key in new if key not in kept)


def _bytes(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
