"""Derives every tree once more with dulwich, where it is installed: git written anew in Python, which shares no code
with git and none with the builder.

Takes the bundle and the base's repository, which is only read; new objects stay in memory. Parsing, placing and
hashing are all dulwich's. It knows no fuzz, so that a hunk which does not fit exactly is a finding.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import COMBINED
from verify.bundle.origin import NoBase, OpenBase
from verify.bundle.trees import usable
from verify.model.diagnostic import Diagnostic
from verify.model.verdict import Outcome, Undecided

if TYPE_CHECKING:
    from dulwich.objects import ObjectID
    from dulwich.patch import FilePatch

NOT_INSTALLED = "the trees a second time: dulwich is not installed (pip install 'stackproof[second]')"
_LINK = 0o160000
_FOLDER = 0o40000
_FILE = 0o100644


class _File(NamedTuple):
    """What a path holds: its mode and the id of its blob, in hexadecimal."""

    mode: int
    blob: bytes


class _DoesNotFitError(Exception):
    """A patch does not go onto the tree before it."""


def is_installed() -> bool:
    """Whether there is a second way at all."""
    try:
        import dulwich  # noqa: F401
    except ImportError:
        return False
    return True


def check_second(bundle: Bundle, base: OpenBase | NoBase) -> Outcome:
    """dulwich, which is installed, derives the recorded tree after every fold and of the combined diff."""
    met = usable(bundle, base)
    if isinstance(met, Undecided):
        return met
    recorded = bundle.stack.base.tree
    try:
        trees = _Trees(met)
        findings = list(_derived(bundle, trees, recorded))
    except Exception as error:  # noqa: BLE001 - a library at work on strangers' bytes: whatever it raises decides nothing
        reason = Diagnostic(
            code="second-way-failed",
            message="dulwich could not derive the trees",
            notes=(f"{type(error).__name__}: {error}"[:300],),
            help="stackproof explain second-way-failed",
        )
        return Undecided(summary=reason.message, reasons=(reason,))
    return ruled(findings, f"dulwich derives {len(bundle.stack.folds())} trees, and the tip by {COMBINED}")


def _derived(bundle: Bundle, trees: "_Trees", recorded: str) -> Iterator[Diagnostic]:
    """The first fold after which the tree is another, and whether the combined diff ends at the tip."""
    tree = recorded.encode()
    for block, fold in bundle.stack.folds():
        try:
            tree = trees.after(tree, bundle.data(fold.patch) or b"")
        except _DoesNotFitError as error:
            yield finding("bundle-second-differs", f"dulwich does not apply `{fold.patch}`: {error}", fold.patch)
            break
        if tree.decode() != fold.tree:
            message = f"dulwich derives another tree after fold `{fold.id}` of block `{block}`"
            yield differs("bundle-second-differs", message, fold.patch, met=tree.decode(), expected=fold.tree)
            break
    try:
        tip = trees.after(recorded.encode(), bundle.data(COMBINED) or b"").decode()
    except _DoesNotFitError as error:
        yield finding("bundle-second-differs", f"dulwich does not apply `{COMBINED}`: {error}", COMBINED)
        return
    if tip != bundle.stack.tip.tree:
        message = f"`{COMBINED}` does not make the tip, by dulwich"
        yield differs("bundle-second-differs", message, COMBINED, met=tip, expected=bundle.stack.tip.tree)


class _Trees:
    """The base's objects, and those that were made on the way."""

    def __init__(self, base: OpenBase) -> None:
        from dulwich.object_store import DiskObjectStore

        self._base: DiskObjectStore = DiskObjectStore(str(base.files.git_dir / "objects"))
        self._folders: dict[bytes, dict[bytes, _File]] = {}
        self._blobs: dict[bytes, bytes] = {}

    def after(self, tree: bytes, patch: bytes) -> bytes:
        """The id of the tree that the patch leaves; every file of it refers to the tree before."""
        from dulwich.patch import parse_unified_diff

        gone: dict[bytes, _File | None] = {}
        made: dict[bytes, _File | None] = {}
        for each in parse_unified_diff(patch):
            source = each.rename_from or each.copy_from or _path(each.old_path)
            target = each.rename_to or each.copy_to or _path(each.new_path)
            old = None if source is None else self._at(tree, source)
            if source is not None and old is None:
                raise _DoesNotFitError(f"{source!r} is not there")
            if source is not None and source != target and each.copy_from is None:
                gone[source] = None
            content = self._content(each, old)
            if target is not None:
                mode = each.new_mode or (_FILE if old is None else old.mode)
                made[target] = _File(mode, self._keep(content, mode))
            elif content:
                raise _DoesNotFitError(f"{source!r} is deleted and not empty")
        return self._changed(tree, {**gone, **made}) or self._store({})

    def _content(self, change: "FilePatch", old: _File | None) -> bytes:
        from dulwich.pack import apply_delta
        from dulwich.patch import apply_patch_hunks, git_base85_decode

        before = b"" if old is None else self._read(old)
        if not change.binary:
            lines = apply_patch_hunks(change, _lines(before))
            if lines is None:
                raise _DoesNotFitError(f"a hunk of {change.new_path or change.old_path!r} does not fit")
            return b"".join(lines)
        data = zlib.decompress(git_base85_decode(change.binary_new or b""))
        return b"".join(apply_delta(before, data)) if change.binary_new_delta else data

    def _at(self, tree: bytes, path: bytes) -> _File | None:
        folder, _, rest = path.partition(b"/")
        found = self._folder(tree).get(folder)
        if found is None or not rest:
            return found
        return self._at(found.blob, rest) if found.mode == _FOLDER else None

    def _changed(self, tree: bytes | None, changes: Mapping[bytes, _File | None]) -> bytes | None:
        """The folder with these changes; None for one that nothing is left in."""
        entries = {} if tree is None else dict(self._folder(tree))
        below: dict[bytes, dict[bytes, _File | None]] = {}
        for path, file in changes.items():
            name, slash, rest = path.partition(b"/")
            if slash:
                below.setdefault(name, {})[rest] = file
            elif file is None:
                entries.pop(name, None)
            else:
                entries[name] = file
        for name, inner in below.items():
            met = entries.get(name)
            made = self._changed(met.blob if met is not None and met.mode == _FOLDER else None, inner)
            if made is not None:
                entries[name] = _File(_FOLDER, made)
            elif met is not None and met.mode == _FOLDER:
                del entries[name]
        return self._store(entries) if entries else None

    def _folder(self, tree: bytes) -> dict[bytes, _File]:
        from dulwich.objects import Tree

        if tree not in self._folders:
            found = self._base[_id(tree)]
            if not isinstance(found, Tree):
                raise _DoesNotFitError(f"{tree!r} is no tree")
            self._folders[tree] = {name: _File(mode, sha) for name, mode, sha in found.iteritems()}
        return self._folders[tree]

    def _store(self, entries: Mapping[bytes, _File]) -> bytes:
        from dulwich.objects import Tree

        made = Tree()
        for name, file in entries.items():
            made.add(name, file.mode, _id(file.blob))
        self._folders[made.id] = dict(entries)
        return bytes(made.id)

    def _read(self, file: _File) -> bytes:
        if file.mode == _LINK:
            return b"Subproject commit " + file.blob + b"\n"
        if file.blob not in self._blobs:
            self._blobs[file.blob] = self._base[_id(file.blob)].as_raw_string()
        return self._blobs[file.blob]

    def _keep(self, content: bytes, mode: int) -> bytes:
        from dulwich.objects import Blob

        if mode == _LINK:
            return content.removeprefix(b"Subproject commit ").strip()
        blob = bytes(Blob.from_string(content).id)
        self._blobs[blob] = content
        return blob


def _path(path: bytes | None) -> bytes | None:
    """Without the `a/` or `b/` before it."""
    return None if path is None else path.partition(b"/")[2]


def _lines(text: bytes) -> list[bytes]:
    """Cut behind line ends alone: a lone CR ends no line of a patch."""
    return [line for line in re.split(rb"(?<=\n)", text) if line]


def _id(hexadecimal: bytes) -> "ObjectID":
    from dulwich.objects import ObjectID

    return ObjectID(hexadecimal)
