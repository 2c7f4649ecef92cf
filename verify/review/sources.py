"""A tree as reviews see it: a port, so that what only computes need not read files."""

from collections.abc import Iterable
from typing import Protocol

from verify.model.ids import RepoPath
from verify.model.outline import Outline
from verify.syntax.glance import Glance


class Sources(Protocol):
    """The files of one tree."""

    def outline(self, path: RepoPath) -> Outline | None:
        """A file as its grammar sees it; None where no grammar is known for it."""

    def definitions(self, path: RepoPath) -> Outline | None:
        """The same without the uses of names: what the file makes."""

    def glance(self, path: RepoPath) -> Glance | None:
        """A file's words and the names that it may make; None where there is no such file."""

    def content(self, path: RepoPath) -> bytes | None:
        """A file's bytes; None where there is no such file."""

    def paths(self) -> Iterable[RepoPath]:
        """Every path of the tree."""
