"""Which files can give a name its meaning in a file: what it includes or imports, and what stands beside those. Pure.

Includes are followed through every file that they may mean: one beside the includer, else all whose path ends like
that, also what such a file is configured from (`x.h.in`). Beside a header stand the sources of its name. In CMake
everything is one world, and so is every language without a grammar, by the ending of its files' names.
"""

import re
from collections.abc import Iterable, Iterator

from verify.model.ids import RepoPath
from verify.review.sources import Sources
from verify.review.units import is_prose
from verify.syntax.language import language_of

_INCLUDE = re.compile(rb"^[ \t]*#[ \t]*include[ \t]+[\"<]([^\">\n]+)[\">]", re.MULTILINE)
_IMPORT = re.compile(rb"^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import[ \t]+([^\n#]+)|import[ \t]+([^\n#]+))", re.MULTILINE)
_MODULE = re.compile(rb"[\w.]+")
_SOURCES = (b".c", b".cc", b".cpp", b".cxx", b".cu", b".m", b".inl")


def reach(sources: Sources, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
    """Every file that can give names on lines of these files a meaning, themselves included."""
    return Reach(sources).of(paths)


class Reach:
    """The same for one tree that is asked often: what a file includes is made out once."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._index = _Index(sources.paths())
        self._links: dict[RepoPath, tuple[RepoPath, ...]] = {}

    def of(self, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
        """Every file that these can reach."""
        found: set[RepoPath] = set()
        waiting = [path for path in paths if self._sources.content(path) is not None]
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self._linked(path)
        return frozenset(found | {each for path in found for each in self._index.beside(path)})

    def near(self, paths: Iterable[RepoPath]) -> frozenset[RepoPath]:
        """What these include themselves, and the sources beside that."""
        found = {each for path in paths for each in (path, *self._linked(path))}
        return frozenset(found | {each for path in found for each in self._index.beside(path)})

    def _linked(self, path: RepoPath) -> tuple[RepoPath, ...]:
        known = self._links.get(path)
        if known is None:
            known = self._links[path] = tuple(dict.fromkeys(self._linked_by(path)))
        return known

    def _linked_by(self, path: RepoPath) -> Iterator[RepoPath]:
        if _is_cmake(path):
            yield from self._index.cmake
            return
        if language_of(path) is None and not is_prose(path):
            yield from self._index.alike(path)
        content = self._sources.content(path) or b""
        if path.endswith(b".py"):
            yield from _imported(content, self._index)
        else:
            for name in _INCLUDE.findall(content):
                yield from self._index.included(name, path)


class _Index:
    """Paths by their last part."""

    def __init__(self, paths: Iterable[RepoPath]) -> None:
        self.by_name: dict[bytes, list[RepoPath]] = {}
        self.by_ending: dict[bytes, list[RepoPath]] = {}
        self.cmake: list[RepoPath] = []
        for path in paths:
            self.by_name.setdefault(path.rpartition(b"/")[2], []).append(path)
            self.by_ending.setdefault(_ending(path), []).append(path)
            if _is_cmake(path):
                self.cmake.append(path)

    def alike(self, path: RepoPath) -> list[RepoPath]:
        """The files whose names end like this one's; without an ending, those of its very name."""
        ending = _ending(path)
        return self.by_ending[ending] if ending else self.by_name[path.rpartition(b"/")[2]]

    def included(self, name: bytes, by: RepoPath) -> Iterator[RepoPath]:
        """What an include may mean."""
        folder = by.rpartition(b"/")[0]
        parts = [part for part in (folder + b"/" + name).split(b"/") if part not in (b"", b".")]
        here = _normal(parts)
        last = name.rpartition(b"/")[2]
        candidates = self.by_name.get(last, [])
        for template in (last + b".in", last + b".cmake.in"):
            yield from self.by_name.get(template, [])
        if here in candidates:
            yield RepoPath(here)
            return
        tail = b"/" + _normal([part for part in name.split(b"/") if part not in (b"", b".", b"..")])
        yield from (path for path in candidates if (b"/" + path).endswith(tail))

    def module(self, name: bytes) -> Iterator[RepoPath]:
        """The files that a module of this dotted name may be."""
        tail = name.strip(b".").replace(b".", b"/")
        for ending in (tail + b".py", tail + b"/__init__.py"):
            for path in self.by_name.get(ending.rpartition(b"/")[2], []):
                if (b"/" + path).endswith(b"/" + ending):
                    yield path

    def beside(self, path: RepoPath) -> Iterator[RepoPath]:
        """The sources of a header's name: in its folder, else anywhere."""
        folder, _, name = path.rpartition(b"/")
        stem, dot, ending = name.rpartition(b".")
        if dot and ending.startswith(b"h"):
            found = [each for source in _SOURCES for each in self.by_name.get(stem + source, [])]
            here = [each for each in found if each.rpartition(b"/")[0] == folder]
            yield from here or found


def _imported(content: bytes, index: _Index) -> Iterator[RepoPath]:
    for module, names, plain in _IMPORT.findall(content):
        if plain:
            for name in plain.split(b","):
                found = _MODULE.match(name.strip())
                if found:
                    yield from index.module(found[0])
            continue
        yield from index.module(module)
        for name in _MODULE.findall(names):
            yield from index.module(module.strip(b".") + b"." + name if module.strip(b".") else name)


def _is_cmake(path: RepoPath) -> bool:
    return path.endswith((b"CMakeLists.txt", b".cmake"))


def _ending(path: RepoPath) -> bytes:
    stem, dot, ending = path.rpartition(b"/")[2].rpartition(b".")
    return ending.lower() if dot and stem else b""


def _normal(parts: Iterable[bytes]) -> bytes:
    done: list[bytes] = []
    for part in parts:
        if part == b"..":
            if done:
                done.pop()
        else:
            done.append(part)
    return b"/".join(done)
