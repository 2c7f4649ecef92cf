"""What the parent of a release held, read from its bundle, for the notes."""

import hashlib
from pathlib import Path

from verify.bundle.documents import Bundle, open_bundle
from verify.bundle.layout import SUMS
from verify.bundle.members import read_members
from verify.bundle.notes import SINCE_SCHEMA, ParentFold, Since
from verify.bundle.sums import check_sums
from verify.diff.identity import change_identity
from verify.diff.parse import parse_canonical
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import ReleaseName, Sha256
from verify.model.verdict import Passed


def held_by_parent(folder: Path, parent: ReleaseName) -> Since:
    """The folds of the bundle in `folder`, which must be whole and of that name."""
    members = read_members(folder)
    sound = check_sums(members)
    bundle = open_bundle(members)
    if not isinstance(bundle, Bundle) or not isinstance(sound, Passed) or bundle.release.name != parent:
        raise InputFault(
            Diagnostic(
                code="parent-unusable",
                message=f"{folder} is no whole bundle of the parent `{parent}`",
                place=Place(file=str(folder)),
                notes=(sound.summary,),
                help="stackproof seal --parent DIR, with the parent's bundle as it was published",
            )
        )
    held = tuple(
        ParentFold(
            block=block,
            fold=fold.id,
            change=change_identity(parse_canonical(bundle.data(fold.patch) or b"", file=fold.patch)),
        )
        for block, fold in bundle.stack.folds()
    )
    digest = Sha256(hashlib.sha256(members.data(SUMS) or b"").hexdigest())
    return Since(schema=SINCE_SCHEMA, parent=parent, parent_sums=digest, held=held)
