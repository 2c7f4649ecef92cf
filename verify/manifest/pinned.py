"""What `stackproof pin` wrote, against what is declared: the lock must be of these very folds and patches.

Everything else that the lock records (blobs, trees, commits) is derived again and compared by `builder.stack`.
"""

import hashlib
from collections.abc import Collection

from verify.manifest.document import open_document
from verify.manifest.files import LOCK_LIMIT, Files
from verify.manifest.lock import LOCK_FILE, read_lock
from verify.manifest.mistakes import Mistakes
from verify.manifest.release import RELEASE_FILE, Declared
from verify.manifest.value import Value
from verify.model.block import Block, Fold
from verify.model.diagnostic import Place
from verify.model.ids import BlockName, FoldId
from verify.model.release import Lock, LockedFold


def read_pinned(
    declared: Declared, blocks: tuple[Block, ...], files: Files, mistakes: Mistakes, pinned: bool
) -> Lock | None:
    """The lock; with `pinned` false it need not fit, and one that cannot be read counts as none."""
    into = mistakes if pinned else Mistakes()
    before = len(into)
    data = files.read(LOCK_FILE, limit=LOCK_LIMIT, mistakes=into)
    if data is None:
        if declared.reference is not None and before == len(into):
            into.add(
                "lock-missing",
                "release.json has a reference, and blocks/lock.json is missing",
                Place(file=LOCK_FILE),
                step=f"git checkout -- {LOCK_FILE}",
            )
        return None
    lock, places = read_lock(open_document(LOCK_FILE, data, into))
    if before != len(into):
        return None
    if pinned:
        read = {name for name, _ in files.read_so_far}
        _check(lock, places, declared, blocks, read, mistakes)
    return lock


def _check(
    lock: Lock,
    places: tuple[Value, ...],
    declared: Declared,
    blocks: tuple[Block, ...],
    read: Collection[str],
    mistakes: Mistakes,
) -> None:
    # While other mistakes stand, a fold that seems to be missing may only be misspelled.
    whole = not mistakes
    if declared.reference is None:
        mistakes.add(
            "reference-missing",
            f"{LOCK_FILE} is there, and `reference` in release.json is null",
            Place(file=RELEASE_FILE),
            step="stackproof pin",
        )
    folds = {(block.name, fold.id): fold for block in blocks for fold in block.folds}
    locked = {(entry.block, entry.fold): (entry, place) for entry, place in zip(lock.folds, places, strict=True)}
    for key, fold in folds.items():
        if key in locked and fold.patch_file in read:
            _check_patch(fold, locked[key][0], mistakes)
    if len(locked) != len(lock.folds):
        places[0].mistakes.add(
            "lock-stale", "the lock names a fold twice", places[0].place(), step=f"git checkout -- {LOCK_FILE}"
        )
    elif whole:
        _check_order(tuple(folds), locked, blocks, mistakes)


def _check_patch(fold: Fold, entry: LockedFold, mistakes: Mistakes) -> None:
    met = hashlib.sha256(fold.patch_bytes).hexdigest()
    if met != entry.patch_sha256:
        mistakes.add(
            "patch-not-locked",
            f"the patch of fold `{entry.fold}` of block `{entry.block}` is not the one that was pinned",
            Place(file=fold.patch_file),
            notes=(f"expected sha256 {entry.patch_sha256} ({LOCK_FILE})", f"met      sha256 {met}"),
            step=f"git checkout -- {fold.patch_file}  # or, to take the change over: stackproof pin",
        )


def _check_order(
    folds: tuple[tuple[BlockName, FoldId], ...],
    locked: dict[tuple[BlockName, FoldId], tuple[LockedFold, Value]],
    blocks: tuple[Block, ...],
    mistakes: Mistakes,
) -> None:
    files = {block.name: block.file for block in blocks}
    for block, fold in folds:
        if (block, fold) not in locked:
            mistakes.add(
                "lock-stale",
                f"fold `{fold}` of block `{block}` is not in the lock",
                Place(file=files[block]),
                step="stackproof pin",
            )
    for key, (entry, place) in locked.items():
        if key not in folds:
            place.wrong(
                "lock-stale",
                f"the lock has fold `{entry.fold}` of block `{entry.block}`, which is not declared",
                step="stackproof pin",
            )
    if set(folds) == set(locked) and folds != tuple(locked):
        first = next(met for met, wanted in zip(locked, folds, strict=True) if met != wanted)
        locked[first][1].wrong(
            "lock-stale",
            "the lock has the folds in another order than release.json and the blocks",
            notes=(f"the first that differs is fold `{first[1]}` of block `{first[0]}`",),
            step="stackproof pin",
        )
