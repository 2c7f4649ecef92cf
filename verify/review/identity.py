"""What exactly a review is about: one fold's change, by content, and the trees that it stands between. Pure."""

import hashlib
from dataclasses import dataclass

from verify.diff.identity import change_identity
from verify.model.block import Fold
from verify.model.ids import Sha256, TreeId
from verify.model.patch import Patch
from verify.model.release import LockedFile
from verify.model.review import ChangeId
from verify.review.sources import Sources


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change with what is needed to grade it: its patch, each file's two sides, and both trees to look into."""

    id: ChangeId
    patch: Patch
    files: tuple[LockedFile, ...]
    before: Sources
    after: Sources


def change_id(patch: Patch, data: bytes, message: bytes, before: TreeId, after: TreeId) -> ChangeId:
    """The identity of a change from its parts."""
    return ChangeId(
        patch=Sha256(hashlib.sha256(data).hexdigest()),
        identity=change_identity(patch),
        message=Sha256(hashlib.sha256(message).hexdigest()),
        before=before,
        after=after,
    )


def message_of(fold: Fold) -> bytes:
    """Author, date and message in one: what credit and history say of the change."""
    author = f"{fold.author.name} <{fold.author.email}>"
    return f"{author}\n{fold.date}\n\n{fold.subject}\n\n{fold.body}\n".encode()
