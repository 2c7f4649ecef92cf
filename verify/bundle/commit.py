"""The id of a fold's commit, computed from what a bundle says of it: a second way, apart from the one that made it.

A commit of the stack has one parent; author and committer are the same at the same time. A base that carries no
upstream commit stands for itself by a commit that depends on its tree alone.
"""

import hashlib
import re

from verify.model.block import Person
from verify.model.ids import CommitId, TreeId

_DATE = re.compile(r"@(\d{1,11}) ([+-]\d{4})")
_ROOT = "author stackproof <maintainers@stackproof.dev> 0 +0000"


def fold_commit_id(*, tree: TreeId, parent: CommitId, author: Person, date: str, message: str) -> CommitId | None:
    """The id of the commit with this tree, parent, author and message; None for a date that git does not have."""
    when = _DATE.fullmatch(date)
    if when is None:
        return None
    who = f"{author.name} <{author.email}> {int(when[1])} {when[2]}"
    return _id(f"tree {tree}\nparent {parent}\nauthor {who}\ncommitter {who}\n\n{message}")


def root_commit_id(tree: TreeId) -> CommitId:
    """The id of the commit that stands for a base without an upstream commit."""
    return _id(f"tree {tree}\n{_ROOT}\n{_ROOT.replace('author', 'committer')}\n\nBase\n")


def commit_tree(text: bytes) -> str:
    """The tree that the text of a commit names."""
    return text[5:45].decode("ascii", "replace") if text.startswith(b"tree ") else ""


def commit_text_id(text: bytes) -> CommitId:
    """The id of the commit with this text."""
    return CommitId(hashlib.sha1(b"commit %d\0" % len(text) + text).hexdigest())


def _id(text: str) -> CommitId:
    return commit_text_id(text.encode("utf-8"))
