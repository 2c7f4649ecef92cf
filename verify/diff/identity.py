"""What a change is, apart from where it stands: the digest by which a carried fold is known to be the same.

Paths, modes, removed and added bytes in order, and binary contents by their blobs; no line numbers and no context.
White space counts, and so do binary contents (hazards E1, E2).
"""

import hashlib

from verify.model.ids import Sha256
from verify.model.patch import FileChange, Patch


def change_identity(patch: Patch) -> Sha256:
    """The digest of what the patch changes."""
    digest = hashlib.sha256()
    for change in patch.files:
        for part in _parts(change):
            digest.update(b"%d:" % len(part))
            digest.update(part)
    return Sha256(digest.hexdigest())


def _parts(change: FileChange) -> list[bytes]:
    parts = [b"file", change.action.value.encode(), change.old_path or b"", change.new_path or b""]
    parts += [(change.old_mode or "").encode(), (change.new_mode or "").encode()]
    for hunk in change.hunks:
        # Unchanged lines only part one change from the next; how many there are does not matter.
        previous = b" "
        for sign, text in hunk.lines:
            if sign != b" ":
                parts += ([b"change"] if previous == b" " else []) + [sign, text]
            previous = sign
    if change.binary is not None:
        parts += [b"binary", (change.old_blob or "").encode(), (change.new_blob or "").encode()]
    return parts
