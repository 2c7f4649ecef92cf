"""The engine inside an archive: a folder of files, and sometimes the upstream repository that it was checked out from.

One pass over the archive gives the id of every file in the folder. With a repository beside it the files are only
hashed, since their objects come with it: its packs are checked and indexed by git here (an index that was shipped is
not looked at), its loose objects are named by what they hold. Without one the files are stored as they pass.
"""

import re
import subprocess
import zlib
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from builder.scratch import scratch
from builder.store import Batch, Store
from builder.tree import FileState, Obstructed, Tree, object_id
from verify.archive import HardLink, Limits, Member, members
from verify.git import GitFailed
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import EMPTY_TREE, BlobId, RepoPath, TreeId, is_object_id, show_path
from verify.model.release import BlobState

_LOOSE = re.compile(rb"objects/([0-9a-f]{2})/([0-9a-f]{38})")
_PACK = re.compile(rb"objects/pack/[^/]+\.pack")
_HEADER = re.compile(rb"(blob|tree|commit|tag) ([0-9]{1,15})\0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Vendored:
    """What was found: every file of the folder, their tree, and what the shipped repository calls its `HEAD`."""

    files: dict[RepoPath, BlobState]
    tree: TreeId
    head: str


def read_vendored(archive: Path, *, folder: str, git_dir: str | None, below_top: bool, store: Store) -> Vendored:
    """Read the archive once; the trees and all objects that the archive brings are in the store afterwards.

    `below_top` says that `folder` and `git_dir` are inside the archive's one top folder, whatever that is called.
    """
    limits = Limits()
    place = _Folder(folder, below_top=below_top)
    if git_dir is None:
        with store.batch() as batch:
            files = _files(members(archive, limits=limits), place, batch)
            tree = _tree(files, archive, folder, store, batch)
        return Vendored(files=files, tree=tree, head="")
    repository = _Folder(git_dir, below_top=below_top)
    with _Shipped(store, archive, limits) as shipped:
        files = {}
        for member in members(archive, limits=limits):
            if isinstance(member, Member) and (path := repository.inside(member.path)):
                shipped.take(path, member.data)
            elif path := place.inside(member.path):
                files[path] = _state(member, path, files, place, None)
        head = shipped.finish()
    with store.batch() as batch:
        tree = _tree(files, archive, folder, store, batch)
    return Vendored(files=files, tree=tree, head=head)


def store_files(archive: Path, *, folder: str, below_top: bool, store: Store) -> None:
    """Read the archive again and store every file of the folder that the store lacks."""
    with store.batch() as batch:
        _files(members(archive, limits=Limits()), _Folder(folder, below_top=below_top), batch)


def _files(found: Iterable[Member | HardLink], place: "_Folder", batch: Batch | None) -> dict[RepoPath, BlobState]:
    files: dict[RepoPath, BlobState] = {}
    for member in found:
        if path := place.inside(member.path):
            files[path] = _state(member, path, files, place, batch)
    return files


def _state(
    member: Member | HardLink, path: RepoPath, files: dict[RepoPath, BlobState], place: "_Folder", batch: Batch | None
) -> BlobState:
    parts = path.lower().split(b"/")
    if b".git" in parts:
        raise InputFault(
            Diagnostic(
                code="base-path-git",
                message=f"the base holds `{show_path(path)}`: a tree cannot hold a path with `.git` in it",
                help="stackproof explain base-path-git",
            )
        )
    if isinstance(member, HardLink):
        first = place.inside(member.first)
        if first is None or first not in files:
            raise InputFault(
                Diagnostic(
                    code="archive-link-out",
                    message=f"the hard link `{show_path(path)}` leads to a file outside the base folder",
                    notes=(f"to `{show_path(member.first)}`",),
                    help="stackproof explain archive-link-out",
                )
            )
        return files[first]
    name = BlobId(batch.put("blob", member.data) if batch is not None else object_id("blob", member.data))
    return BlobState(blob=name, mode=member.mode)


def store_members(found: Iterable[Member], *, store: Store, what: Path) -> Vendored:
    """Store files that were read from elsewhere (a folder), and their trees."""
    with store.batch() as batch:
        files = _files(found, _Folder("", below_top=False), batch)
        tree = _tree(files, what, "", store, batch)
    return Vendored(files=files, tree=tree, head="")


def _tree(files: dict[RepoPath, BlobState], source: Path, folder: str, store: Store, batch: Batch) -> TreeId:
    """The tree of these files; every folder of it is put into the batch."""
    if not files:
        raise InputFault(
            Diagnostic(
                code="base-folder-missing",
                message=f"there is no file in the folder `{folder}` of {source.name}",
                notes=(f"looked in {source}",),
                help=f"tar tf {source}",
            )
        )
    states = {path: FileState(blob=state.blob, mode=state.mode) for path, state in files.items()}
    made = Tree.at(store, EMPTY_TREE).with_changes(states)
    if isinstance(made, Obstructed):
        raise InputFault(
            Diagnostic(
                code="archive-path-twice",
                message=f"`{show_path(made.path)}` in {source.name} is a file, and a folder of other files",
                notes=(f"met in {source}",),
                help="stackproof explain archive-path-twice",
            )
        )
    for new in made.new_objects():
        batch.put(new.kind, new.data)
    return made.id


class _Folder:
    """Which members of an archive are inside a folder, and what they are called there."""

    def __init__(self, folder: str, *, below_top: bool) -> None:
        clean = folder.strip("/")
        self._prefix = b"" if clean in ("", ".") else clean.encode() + b"/"
        self._below_top = below_top

    def inside(self, path: RepoPath) -> RepoPath | None:
        """The path below the folder; None for what is not in it, and for the folder's own link to its repository."""
        rest = path.partition(b"/")[2] if self._below_top else path
        if not rest.startswith(self._prefix) or len(rest) == len(self._prefix):
            return None
        inner = rest[len(self._prefix) :]
        return None if inner == b".git" or inner.startswith(b".git/") else RepoPath(inner)


class _Shipped:
    """The objects of a shipped repository on their way into the store; packs are indexed while the rest is read."""

    def __init__(self, store: Store, archive: Path, limits: Limits) -> None:
        self._store = store
        self._archive = archive
        self._limits = limits
        self._stack = ExitStack()
        self._scratch = self._stack.enter_context(scratch(store.git_dir, "import-"))
        self._packs: list[subprocess.Popen[bytes]] = []
        self._loose: list[tuple[str, bytes]] = []
        self._head = ""

    def __enter__(self) -> "_Shipped":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self._packs:
            if process.poll() is None:
                process.kill()
                process.wait()
        self._stack.close()

    def take(self, path: RepoPath, data: bytes) -> None:
        """Take one file of the repository; all but its objects and its `HEAD` is left where it is."""
        if _PACK.fullmatch(path):
            file = self._scratch / f"{len(self._packs)}.pack"
            file.write_bytes(data)
            with file.open("rb") as pack:
                self._packs.append(self._store.start_pack(pack))
        elif found := _LOOSE.fullmatch(path):
            self._loose.append(((found[1] + found[2]).decode(), data))
        elif path == b"HEAD":
            text = data.decode("ascii", "replace").strip()
            self._head = text if is_object_id(text) else ""

    def finish(self) -> str:
        """Wait for the packs, store the loose objects; gives what `HEAD` said."""
        with self._store.batch() as batch:
            for name, packed in self._loose:
                kind, data = self._inflate(name, packed)
                if kind != "tag" and batch.put(kind, data) != name:
                    raise self._broken(f"the object called {name} holds something else")
        for process in self._packs:
            try:
                self._store.end_pack(process)
            except GitFailed as error:
                raise self._broken(error.output) from error
        return self._head

    def _inflate(self, name: str, packed: bytes) -> tuple[str, bytes]:
        inflater = zlib.decompressobj()
        try:
            data = inflater.decompress(packed, self._limits.file_bytes)
        except zlib.error as error:
            raise self._broken(f"the object called {name} cannot be unpacked") from error
        header = _HEADER.match(data)
        if header is None or not inflater.eof or len(data) - header.end() != int(header[2]):
            raise self._broken(f"the object called {name} is not as long as it says")
        return header[1].decode(), data[header.end() :]

    def _broken(self, met: str) -> InputFault:
        return InputFault(
            Diagnostic(
                code="base-repository-broken",
                message=f"the upstream repository in {self._archive.name} is broken",
                notes=(met, f"the archive is {self._archive}"),
                help="stackproof explain base-repository-broken",
            )
        )
