"""Outlines by content: a text is parsed once a run, however many ask for it."""

from collections.abc import Callable

from verify.model.ids import BlobId, RepoPath
from verify.model.outline import Outline
from verify.syntax.glance import Glance, glance
from verify.syntax.language import Language, language_of
from verify.syntax.read import read_outline


class Outlines:
    """Reads files' outlines by the ids of their blobs; `content` gives the bytes of one."""

    def __init__(self, content: Callable[[BlobId], bytes]) -> None:
        self._content = content
        self._known: dict[tuple[Language, BlobId], Outline] = {}
        self._made: dict[tuple[Language, BlobId], Outline] = {}
        self._glances: dict[tuple[Language | None, BlobId], Glance] = {}

    def of(self, path: RepoPath, blob: BlobId) -> Outline | None:
        """The outline of a file; None where no grammar is known for its name."""
        language = language_of(path)
        if language is None:
            return None
        key = language, blob
        if key not in self._known:
            outline = read_outline(path, self._content(blob))
            assert outline is not None
            self._known[key] = outline
        return self._known[key]

    def definitions(self, path: RepoPath, blob: BlobId) -> Outline | None:
        """The outline of a file as far as it makes names, without their uses."""
        language = language_of(path)
        if language is None:
            return None
        key = language, blob
        if key in self._known:
            return self._known[key]
        if key not in self._made:
            outline = read_outline(path, self._content(blob), makes_alone=True)
            assert outline is not None
            self._made[key] = outline
        return self._made[key]

    def glance(self, path: RepoPath, blob: BlobId) -> Glance:
        """The words of a file and the names that it may make."""
        key = language_of(path), blob
        if key not in self._glances:
            self._glances[key] = glance(path, self._content(blob))
        return self._glances[key]
