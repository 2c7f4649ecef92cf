"""A tree of the stack as claims and reviews see it: files by path, and their outlines, each read once."""

from collections.abc import Iterable

from builder.tree import Tree
from verify.model.ids import RepoPath
from verify.model.outline import Outline
from verify.model.patch import Mode
from verify.syntax.glance import Glance, glance
from verify.syntax.outlines import Outlines


class TreeSources:
    """The files of a tree; `outlines` may be shared with other trees."""

    def __init__(self, tree: Tree, outlines: Outlines | None = None) -> None:
        self.tree = tree
        self._outlines = outlines or Outlines(tree.overlay.blob)
        self._paths: tuple[RepoPath, ...] | None = None

    def outline(self, path: RepoPath) -> Outline | None:
        """A file as its grammar sees it; None where no grammar is known for it, or it is no plain file."""
        state = self.tree.entry(path)
        if state is None or state.mode not in (Mode.FILE, Mode.EXECUTABLE):
            return None
        return self._outlines.of(path, state.blob)

    def definitions(self, path: RepoPath) -> Outline | None:
        """The same without the uses of names."""
        state = self.tree.entry(path)
        if state is None or state.mode not in (Mode.FILE, Mode.EXECUTABLE):
            return None
        return self._outlines.definitions(path, state.blob)

    def glance(self, path: RepoPath) -> Glance | None:
        """A file's words and the names that it may make; None where nothing is there."""
        state = self.tree.entry(path)
        if state is None:
            return None
        if state.mode is Mode.SUBMODULE:
            return glance(path, self.tree.content(state))
        return self._outlines.glance(path, state.blob)

    def content(self, path: RepoPath) -> bytes | None:
        """A file's bytes; None where nothing is there."""
        return self.tree.blob(path)

    def paths(self) -> Iterable[RepoPath]:
        """Every path of the tree."""
        if self._paths is None:
            self._paths = tuple(path for path, _ in self.tree.walk())
        return self._paths
