"""A folder on disk as a base tree, hashed and not stored: its bytes stay where they are until somebody asks.

An import looks at the few files that patches touch, so that storing tens of thousands of others would be most of its
work. A blob is read again when it is wanted, and must then still have its id.
"""

from collections.abc import Iterable
from pathlib import Path

from builder.folder import folder_members
from builder.tree import FileState, Obstructed, Overlay, Tree, object_id
from verify.archive import Member
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import EMPTY_TREE, BlobId, RepoPath, TreeId, show_path
from verify.model.patch import Mode


class FolderSource:
    """The blobs of a folder by id; its trees are in the overlay that was made with it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[BlobId, tuple[RepoPath, Mode]] = {}

    def learn(self, members: Iterable[Member]) -> dict[RepoPath, FileState | None]:
        """Hash every member and forget its bytes."""
        found: dict[RepoPath, FileState | None] = {}
        for member in members:
            blob = BlobId(object_id("blob", member.data))
            self._paths.setdefault(blob, (member.path, member.mode))
            found[member.path] = FileState(blob=blob, mode=member.mode)
        return found

    def tree(self, id: TreeId) -> bytes:  # noqa: A002
        """No tree is read from a folder: all were made when it was hashed."""
        raise KeyError(id)

    def blob(self, id: BlobId) -> bytes:  # noqa: A002
        """The bytes of a file of the folder."""
        path, mode = self._paths[id]
        file = self._folder / Path(path.decode("utf-8", "surrogateescape"))
        try:
            data = (
                str(file.readlink()).encode("utf-8", "surrogateescape") if mode is Mode.SYMLINK else file.read_bytes()
            )
        except OSError:
            data = b""
        if object_id("blob", data) != id:
            raise InputFault(
                Diagnostic(
                    code="folder-changed",
                    message=f"`{show_path(path)}` changed while the folder was being read",
                    help="run the command again when nothing else writes to the folder",
                )
            )
        return data


def folder_tree(folder: Path, *, without: tuple[str, ...] = ()) -> Tree:
    """The tree of everything in the folder (see `folder_members`)."""
    source = FolderSource(folder)
    states = source.learn(folder_members(folder, without=without))
    made = Tree.at(Overlay(source), EMPTY_TREE).with_changes(states)
    if isinstance(made, Obstructed):
        raise TypeError("no folder holds a file and a folder of one name")
    return made
