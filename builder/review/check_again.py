"""A certificate looked at once more with git's own merge of whole files: the second way to the same answer."""

import os
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from builder.review.changes import change_between, differing
from builder.review.survey import Reviewed
from builder.tree import Tree
from verify.git import environment, find_git
from verify.model.ids import BlockName, FoldId
from verify.model.review import Certificate, ReviewedFold
from verify.review.certificate import certificate_problems
from verify.review.identity import Change


def check_again(
    reviewed: Reviewed, block: BlockName, fold: FoldId, entry: ReviewedFold, certificate: Certificate
) -> tuple[str, ...]:
    """Everything that is wrong with a certificate; the trees that were reviewed must be there."""
    kept = reviewed.reviewed_patch(block, entry)
    if kept is None:
        return ("the reviewed patch was not kept",)
    patch, data = kept
    before, after = Tree.at(reviewed.overlay, entry.change.before), Tree.at(reviewed.overlay, entry.change.after)
    made = change_between(patch=patch, data=data, message=b"", before=before, after=after, outlines=reviewed.outlines)
    was = Change(id=entry.change, patch=made.patch, files=made.files, before=made.before, after=made.after)
    present = reviewed.present_change(block, fold)
    met = Tree.at(reviewed.overlay, present.id.before)
    return certificate_problems(certificate, was, present, differing=differing(before, met), merge=merge_by_git)


def merge_by_git(ours: bytes, base: bytes, theirs: bytes) -> bytes | None:
    """What `git merge-file` makes of three texts; None for a conflict."""
    with TemporaryDirectory(prefix="stackproof-merge-") as folder:
        names = []
        for name, data in (("ours", ours), ("base", base), ("theirs", theirs)):
            path = Path(folder) / name
            path.write_bytes(data)
            names.append(str(path))
        ended = subprocess.run(
            [find_git(), "merge-file", "-p", "-q", *names],
            capture_output=True,
            check=False,
            env=environment(os.environ),
        )
    return ended.stdout if ended.returncode == 0 else None
