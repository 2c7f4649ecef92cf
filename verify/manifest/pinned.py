"""What `stackproof pin` wrote, as far as files alone can show: both halves are there, each patch is the pinned one.

Which folds the lock has, and the blobs, trees and commits that it records, are compared where they are derived
(`builder.stack`) and judged (`verify.gates.tree_equal`).
"""

import hashlib

from verify.manifest.document import open_document
from verify.manifest.files import LOCK_LIMIT, Files
from verify.manifest.lock import LOCK_FILE, read_lock
from verify.manifest.mistakes import Mistakes
from verify.manifest.release import RELEASE_FILE, Declared
from verify.model.block import Block
from verify.model.diagnostic import Place
from verify.model.release import Lock


def read_pinned(
    declared: Declared, blocks: tuple[Block, ...], files: Files, mistakes: Mistakes, pinned: bool
) -> Lock | None:
    """The lock; with `pinned` false it need not fit, and one that cannot be read counts as none."""
    into = mistakes if pinned else Mistakes()
    before = len(into)
    data = files.read(LOCK_FILE, limit=LOCK_LIMIT, mistakes=into)
    lock = read_lock(open_document(LOCK_FILE, data, into)) if data is not None else None
    if before != len(into):
        return None
    if lock is None and declared.reference is not None:
        into.add(
            "lock-file-missing",
            f"release.json has a reference, and {LOCK_FILE} is missing",
            Place(file=LOCK_FILE),
            step=f"git checkout -- {LOCK_FILE}",
        )
    if lock is not None and declared.reference is None and declared.reference_known:
        into.add(
            "reference-missing",
            f"{LOCK_FILE} is there, and `reference` in release.json is null",
            Place(file=RELEASE_FILE),
            step="stackproof pin",
        )
    if lock is not None:
        _check_patches(lock, blocks, {name for name, _ in files.read_so_far}, into)
    return lock


def _check_patches(lock: Lock, blocks: tuple[Block, ...], read: set[str], mistakes: Mistakes) -> None:
    recorded = {(entry.block, entry.fold): entry.patch_sha256 for entry in lock.folds}
    for block in blocks:
        for fold in block.folds:
            expected = recorded.get((block.name, fold.id))
            met = hashlib.sha256(fold.patch_bytes).hexdigest()
            if expected is not None and fold.patch_file in read and met != expected:
                mistakes.add(
                    "lock-patch",
                    f"the patch of fold `{fold.id}` of block `{block.name}` is not the one that was pinned",
                    Place(file=fold.patch_file),
                    notes=(f"expected sha256 {expected} ({LOCK_FILE})", f"met      sha256 {met}"),
                    step=f"stackproof pin  # or, to throw the change away: git checkout -- {fold.patch_file}",
                )
