"""A whole folder as a tree: from (path, mode, blob id) of every file to tree objects, in git's own order.

Pure. Reading the files is left to `archive` and `upstream`; storing the objects to `store`.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from verify.model.ids import BlobId, RepoPath, TreeId
from verify.model.release import BlobState


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The root tree and the payload of every tree below it, children before parents."""

    root: TreeId
    trees: tuple[tuple[TreeId, bytes], ...]


class PathConflict(Exception):
    """One path is a file, and a folder for another."""

    def __init__(self, path: RepoPath) -> None:
        super().__init__(path)
        self.path = path


def blob_id(data: bytes) -> BlobId:
    """The id of a blob with this content."""
    digest = hashlib.sha1(b"blob %d\0" % len(data))
    digest.update(data)
    return BlobId(digest.hexdigest())


def snapshot(files: Mapping[RepoPath, BlobState]) -> Snapshot:
    """Make the trees of a folder with these files; raises `PathConflict`."""
    folders: dict[bytes, dict[bytes, tuple[str, str]]] = {b"": {}}
    for path, state in files.items():
        parent, _, name = path.rpartition(b"/")
        _folder(folders, parent, path)
        if name in folders[parent]:
            raise PathConflict(path)
        folders[parent][name] = (state.mode.value, state.blob)
    made: list[tuple[TreeId, bytes]] = []
    # Deeper folders first: a folder's id must be known when its parent is written.
    for folder in sorted(folders, key=lambda path: (-_depth(path), path)):
        payload = b"".join(
            mode.encode("ascii") + b" " + name + b"\0" + bytes.fromhex(id_)
            for name, (mode, id_) in sorted(folders[folder].items(), key=_git_order)
        )
        tree = TreeId(hashlib.sha1(b"tree %d\0" % len(payload) + payload).hexdigest())
        made.append((tree, payload))
        if folder:
            parent, _, name = folder.rpartition(b"/")
            folders[parent][name] = (_TREE, tree)
    return Snapshot(root=made[-1][0], trees=tuple(made))


_TREE = "40000"


def _folder(folders: dict[bytes, dict[bytes, tuple[str, str]]], folder: bytes, path: RepoPath) -> None:
    """Make sure that `folder` and its parents are there, and that none of them is a file."""
    if folder in folders:
        return
    parent, _, name = folder.rpartition(b"/")
    _folder(folders, parent, path)
    if name in folders[parent]:
        raise PathConflict(path)
    folders[parent][name] = (_TREE, "")
    folders[folder] = {}


def _depth(folder: bytes) -> int:
    return folder.count(b"/") + 1 if folder else 0


def _git_order(entry: tuple[bytes, tuple[str, str]]) -> bytes:
    # Git sorts a folder as if its name ended with a slash.
    name, (mode, _) = entry
    return name + b"/" if mode == _TREE else name
