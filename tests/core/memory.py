"""An object source in memory, filled by the tree value itself, for tests that need no repository."""

from builder.tree import FileState, Obstructed, Tree, file_state
from tests.core.real_git import Files
from verify.model.ids import EMPTY_TREE, BlobId, RepoPath, TreeId


class Memory:
    """Objects by id; the empty tree is always there."""

    def __init__(self) -> None:
        self.objects: dict[str, bytes] = {EMPTY_TREE: b""}

    def tree(self, id: TreeId) -> bytes:  # noqa: A002
        return self.objects[id]

    def blob(self, id: BlobId) -> bytes:  # noqa: A002
        return self.objects[id]


def tree_in_memory(files: Files) -> tuple[Tree, Memory]:
    """A tree of these files, and the source that holds it."""
    source = Memory()
    changes: dict[RepoPath, FileState | None] = {path: file_state(data, mode) for path, (mode, data) in files.items()}
    made = Tree.at(source, EMPTY_TREE).with_changes(changes)
    assert not isinstance(made, Obstructed), made
    source.objects.update({new.id: new.data for new in made.new_objects()})
    return Tree.at(source, made.id), source
