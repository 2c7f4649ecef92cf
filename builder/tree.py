"""A git tree as a value: read lazily, changed by path, hashed in Python, nothing stored.

`Tree.at` takes a tree id and a source of raw objects. Only the folders on the way to a touched path are ever read;
a change makes new payloads for those folders alone and shares everything else. New blobs and trees are remembered
in the source's overlay, so that a later tree reads them and the caller can store them. What cannot be (a file below
a file, a folder in the way) is an `Obstructed` value that names the path in the way.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import EMPTY_TREE, BlobId, RepoPath, TreeId, show_path
from verify.model.patch import Mode
from verify.model.release import BlobState

_TREE = b"40000"
_MODES = {
    b"100644": Mode.FILE,
    b"100664": Mode.FILE,  # written by very old tools; git reads it as 100644
    b"100755": Mode.EXECUTABLE,
    b"120000": Mode.SYMLINK,
    b"160000": Mode.SUBMODULE,
}
_SUBMODULE_TEXT = b"Subproject commit "
_SUBMODULE_LINE = re.compile(rb"Subproject commit [0-9a-f]{40}\n")


class ObjectSource(Protocol):
    """Where raw git objects are read: payloads, without header."""

    def tree(self, id: TreeId) -> bytes:  # noqa: A002
        """The raw payload of a tree object."""

    def blob(self, id: BlobId) -> bytes:  # noqa: A002
        """The content of a blob."""


@dataclass(frozen=True, slots=True)
class NewObject:
    """A git object that was made and is not stored yet."""

    kind: Literal["blob", "tree", "commit"]
    id: str
    data: bytes


@dataclass(frozen=True, slots=True)
class FileState:
    """What a path shall hold. `data` is None when the blob is already known to the source (or is a submodule)."""

    blob: BlobId
    mode: Mode
    data: bytes | None = None


@dataclass(frozen=True, slots=True)
class Obstructed:
    """A change that no tree can hold: at `path` a file and a folder would have to stand at once."""

    path: RepoPath


def object_id(kind: str, data: bytes) -> str:
    """The SHA-1 id of a git object."""
    return hashlib.sha1(b"%s %d\0" % (kind.encode(), len(data)) + data).hexdigest()


def file_state(data: bytes, mode: Mode) -> FileState:
    """The state of a path that holds these bytes; for a submodule they are its `Subproject commit` line."""
    if mode is Mode.SUBMODULE:
        return FileState(blob=BlobId(data.removeprefix(_SUBMODULE_TEXT).strip().decode("ascii", "replace")), mode=mode)
    return FileState(blob=BlobId(object_id("blob", data)), mode=mode, data=data)


def is_submodule_text(data: bytes) -> bool:
    """Whether the bytes are what a submodule reads as: one `Subproject commit ID` line."""
    return _SUBMODULE_LINE.fullmatch(data) is not None


class Overlay:
    """A source with the objects that were made on top of it; equal ids mean equal bytes, so it only ever grows."""

    def __init__(self, source: ObjectSource) -> None:
        self._source = source
        self._new: dict[str, NewObject] = {}

    def add(self, new: NewObject) -> None:
        """Remember an object that was made."""
        self._new.setdefault(new.id, new)

    def tree(self, id: TreeId) -> bytes:  # noqa: A002
        """The raw payload of a tree object."""
        if id == EMPTY_TREE:
            return b""
        return self._new[id].data if id in self._new else self._source.tree(id)

    def blob(self, id: BlobId) -> bytes:  # noqa: A002
        """The content of a blob."""
        return self._new[id].data if id in self._new else self._source.blob(id)

    def objects(self) -> tuple[NewObject, ...]:
        """Every object that was made, in the order of its making."""
        return tuple(self._new.values())


_Index = dict[bytes, tuple[int, int]]  # name → where its entry starts, where its 20 id bytes start


class _Folder:
    """One tree object: its payload, where each entry stands in it, and the folders below that were read."""

    __slots__ = ("below", "index", "payload")

    def __init__(self, payload: bytes, index: _Index | None = None) -> None:
        self.payload = payload
        self.index = index if index is not None else _read_index(payload)
        self.below: dict[bytes, _Folder] = {}

    def get(self, name: bytes) -> tuple[bytes, bytes] | None:
        """The entry's mode (as in the payload) and raw id; None when there is none."""
        found = self.index.get(name)
        if found is None:
            return None
        start, at = found
        return self.payload[start : at - len(name) - 2], self.payload[at : at + 20]

    def with_entries(self, changes: Mapping[bytes, tuple[bytes, bytes] | None]) -> "_Folder":
        """A folder with these entries set or removed."""
        payload = bytearray(self.payload)
        in_place = True
        for name, entry in changes.items():
            found = self.index.get(name)
            if found is None or entry is None or self.payload[found[0] : found[1] - len(name) - 2] != entry[0]:
                in_place = False
                break
            payload[found[1] : found[1] + 20] = entry[1]
        if in_place:
            return _Folder(bytes(payload), self.index)
        entries = {name: self.get(name) for name in self.index}
        entries.update(changes)
        kept = ((name, entry) for name, entry in entries.items() if entry is not None)
        ordered = sorted(kept, key=lambda item: item[0] + b"/" if item[1][0] == _TREE else item[0])
        return _Folder(b"".join(b"%s %s\0%s" % (mode, name, raw) for name, (mode, raw) in ordered))


def _read_index(payload: bytes) -> _Index:
    index: _Index = {}
    at, size = 0, len(payload)
    while at < size:
        zero = payload.find(b"\0", at)
        space = payload.find(b" ", at, zero)
        if space < 0 or zero < 0 or zero + 21 > size:
            raise InputFault(Diagnostic(code="tree-malformed", message="a tree object is cut short or malformed"))
        index[payload[space + 1 : zero]] = (at, zero + 1)
        at = zero + 21
    return index


class _Change:
    """What shall become of one name: set (or removed, for None) when `touched`, and the changes below it."""

    __slots__ = ("below", "state", "touched")

    def __init__(self) -> None:
        self.touched = False
        self.state: FileState | None = None
        self.below: dict[bytes, _Change] = {}

    def brings_files(self) -> bool:
        """Whether anything is set below."""
        return any(change.state is not None or change.brings_files() for change in self.below.values())


class Tree:
    """One git tree; never changes. `id` is its object id."""

    __slots__ = ("_overlay", "_root", "id")

    def __init__(self, overlay: Overlay, root: _Folder, id: TreeId) -> None:  # noqa: A002
        self._overlay = overlay
        self._root = root
        self.id = id

    @staticmethod
    def at(source: ObjectSource, id: TreeId) -> "Tree":  # noqa: A002
        """The tree with this id; an `Overlay` as source is shared, anything else gets one of its own."""
        overlay = source if isinstance(source, Overlay) else Overlay(source)
        return Tree(overlay, _Folder(overlay.tree(id)), id)

    @property
    def overlay(self) -> Overlay:
        """The source of this tree with everything that was made on it."""
        return self._overlay

    def entry(self, path: RepoPath) -> BlobState | None:
        """What the path holds; None when there is nothing, or a folder."""
        found = self._find(path)
        if found is None or found[0] == _TREE:
            return None
        return BlobState(blob=BlobId(found[1].hex()), mode=_mode(found[0], path))

    def is_folder(self, path: RepoPath) -> bool:
        """Whether the path is a folder of the tree."""
        found = self._find(path)
        return found is not None and found[0] == _TREE

    def blob(self, path: RepoPath) -> bytes | None:
        """The bytes at the path (of a submodule its `Subproject commit` line); None when nothing is there."""
        state = self.entry(path)
        return None if state is None else self.content(state)

    def content(self, state: BlobState) -> bytes:
        """The bytes of an entry."""
        if state.mode is Mode.SUBMODULE:
            return _SUBMODULE_TEXT + state.blob.encode() + b"\n"
        return self._overlay.blob(state.blob)

    def with_changes(self, changes: Mapping[RepoPath, FileState | None]) -> "Tree | Obstructed":
        """The tree with every path set (or removed, for None), all at once; folders left empty vanish."""
        top = _Change()
        for path, state in changes.items():
            change = top
            for part in path.split(b"/"):
                change = change.below.setdefault(part, _Change())
            change.touched, change.state = True, state
        changed = self._apply(self._root, top.below, b"")
        if isinstance(changed, Obstructed):
            return changed
        folder, raw = changed
        return Tree(self._overlay, folder, TreeId(raw.hex()))

    def walk(self) -> Iterator[tuple[RepoPath, BlobState]]:
        """Every file of the tree in git's order; reads all of it."""
        yield from self._walk(self._root, b"")

    def differences(self, other: "Tree") -> Iterator[tuple[RepoPath, tuple[BlobState | None, BlobState | None]]]:
        """Every path that is not the same in both trees, with what each holds; reads only folders that differ."""
        if self.id != other.id:
            yield from _differences(self, self._root, other, other._root, b"")

    def new_objects(self) -> tuple[NewObject, ...]:
        """Every blob and tree that was made on this tree's source, in the order of its making."""
        return self._overlay.objects()

    def _walk(self, folder: _Folder, prefix: bytes) -> Iterator[tuple[RepoPath, BlobState]]:
        for name in folder.index:
            mode, raw = folder.get(name) or (b"", b"")
            path = RepoPath(prefix + name)
            if mode == _TREE:
                yield from self._walk(self._below(folder, name, raw), path + b"/")
            else:
                yield path, BlobState(blob=BlobId(raw.hex()), mode=_mode(mode, path))

    def _find(self, path: RepoPath) -> tuple[bytes, bytes] | None:
        folder = self._root
        *parents, last = path.split(b"/")
        for part in parents:
            found = folder.get(part)
            if found is None or found[0] != _TREE:
                return None
            folder = self._below(folder, part, found[1])
        return folder.get(last)

    def _below(self, folder: _Folder, name: bytes, raw: bytes) -> _Folder:
        known = folder.below.get(name)
        if known is None:
            known = folder.below[name] = _Folder(self._overlay.tree(TreeId(raw.hex())))
        return known

    def _apply(
        self, folder: _Folder, changes: Mapping[bytes, _Change], prefix: bytes
    ) -> tuple[_Folder, bytes] | Obstructed:
        entries: dict[bytes, tuple[bytes, bytes] | None] = {}
        below = dict(folder.below)
        for name, change in changes.items():
            path = RepoPath(prefix + name)
            entry = present = folder.get(name)
            if change.touched and change.state is None and present is not None and present[0] != _TREE:
                entry = None
            if change.below:
                if entry is not None and entry[0] != _TREE:
                    if change.brings_files():
                        return Obstructed(path)
                else:
                    inner = _Folder(b"") if entry is None else self._below(folder, name, entry[1])
                    made = self._apply(inner, change.below, path + b"/")
                    if isinstance(made, Obstructed):
                        return made
                    below[name] = made[0]
                    entry = (_TREE, made[1]) if made[0].payload else None
            if change.state is not None:
                if entry is not None and entry[0] == _TREE:
                    return Obstructed(path)
                entry = self._store(change.state)
            if entry is None or entry[0] != _TREE:
                below.pop(name, None)
            if entry != present:
                entries[name] = entry
        made_folder = folder.with_entries(entries)
        made_folder.below = below
        made_id = object_id("tree", made_folder.payload)
        if made_folder.payload:
            self._overlay.add(NewObject("tree", made_id, made_folder.payload))
        return made_folder, bytes.fromhex(made_id)

    def _store(self, state: FileState) -> tuple[bytes, bytes]:
        if state.data is not None:
            self._overlay.add(NewObject("blob", state.blob, state.data))
        return state.mode.value.encode(), bytes.fromhex(state.blob)


def _differences(
    left: Tree, ours: _Folder | None, right: Tree, theirs: _Folder | None, prefix: bytes
) -> Iterator[tuple[RepoPath, tuple[BlobState | None, BlobState | None]]]:
    names = set(ours.index if ours is not None else ()) | set(theirs.index if theirs is not None else ())
    for name in sorted(names):
        path = RepoPath(prefix + name)
        old = ours.get(name) if ours is not None else None
        new = theirs.get(name) if theirs is not None else None
        if old == new:
            continue
        files = _state(old, path), _state(new, path)
        if files != (None, None):
            yield path, files
        old_folder = left._below(ours, name, old[1]) if ours and old and old[0] == _TREE else None
        new_folder = right._below(theirs, name, new[1]) if theirs and new and new[0] == _TREE else None
        if old_folder or new_folder:
            yield from _differences(left, old_folder, right, new_folder, path + b"/")


def _state(entry: tuple[bytes, bytes] | None, path: RepoPath) -> BlobState | None:
    if entry is None or entry[0] == _TREE:
        return None
    return BlobState(blob=BlobId(entry[1].hex()), mode=_mode(entry[0], path))


def _mode(raw: bytes, path: RepoPath) -> Mode:
    mode = _MODES.get(raw)
    if mode is None:
        raise InputFault(
            Diagnostic(
                code="tree-malformed",
                message=f"`{show_path(path)}` has a mode that git does not have",
                notes=(f"met {raw.decode('ascii', 'replace')!r}, expected one of {', '.join(Mode)}",),
            )
        )
    return mode
