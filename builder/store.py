"""The object store: a bare git repository in the cache, and the only door to the git library.

`Store` gives raw tree, blob and commit payloads (it is the `ObjectSource` that trees are read from), takes new objects,
records where history was cut, and pins what must outlive a `git gc`. Every object is named by its own content, so
writing one twice, from two processes or after a kill, is always the same object.
"""

import contextlib
import fcntl
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from builder.pack import PackWriter, write_loose
from builder.tree import NewObject, object_id
from verify.git import Git, finish, make_repository
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import BlobId, CommitId, RepoPath, TreeId
from verify.model.patch import Mode
from verify.model.release import BlobState

if TYPE_CHECKING:
    import pygit2

# Loose files up to here, a pack above: a loose file costs a sync each, a pack costs every later look-up a little.
_LOOSE_LIMIT = 64
_LOOSE_BYTES = 16 << 20


class Store:
    """Objects in `git_dir`; see the module."""

    def __init__(self, git_dir: Path, repository: "pygit2.Repository") -> None:
        self.git_dir = git_dir
        self._repository = repository
        self._odb = repository.odb

    @classmethod
    def open(cls, path: Path) -> "Store":
        """Open the store at `path`; an empty one is made there first when nothing is."""
        if not (path / "HEAD").exists():
            _make(path)
        import pygit2

        try:
            repository = pygit2.Repository(str(path), pygit2.enums.RepositoryOpenFlag.BARE)
        except pygit2.GitError as error:
            raise EnvironmentFault(
                Diagnostic(
                    code="object-store-broken",
                    message=f"the object store at {path} cannot be opened",
                    notes=(str(error),),
                    help=f"rm -rf {shlex.quote(str(path))}",
                )
            ) from error
        return cls(path, repository)

    def tree(self, id: TreeId) -> bytes:  # noqa: A002
        """The raw payload of a tree."""
        return self._read(id, "tree")

    def blob(self, id: BlobId) -> bytes:  # noqa: A002
        """The content of a blob."""
        return self._read(id, "blob")

    def commit(self, id: CommitId) -> bytes:  # noqa: A002
        """The raw text of a commit."""
        return self._read(id, "commit")

    def has(self, name: str) -> bool:
        """Whether the object is here."""
        return name in self._odb

    def entries(self, tree: TreeId) -> Iterator[tuple[bytes, str, str]]:
        """What a tree holds, one level: name, mode in octal without a leading zero, id."""
        payload = self.tree(tree)
        at = 0
        while at < len(payload):
            space = payload.index(b" ", at)
            end = payload.index(b"\0", space)
            yield payload[space + 1 : end], payload[at:space].decode("ascii"), payload[end + 1 : end + 21].hex()
            at = end + 21

    def listing(self, tree: TreeId) -> dict[RepoPath, BlobState]:
        """Every file below a tree, by path."""
        found: dict[RepoPath, BlobState] = {}
        todo: list[tuple[bytes, str]] = [(b"", tree)]
        while todo:
            prefix, folder = todo.pop()
            for name, mode, entry in self.entries(TreeId(folder)):
                if mode == "40000":
                    todo.append((prefix + name + b"/", entry))
                else:
                    state = BlobState(blob=BlobId(entry), mode=_mode(mode))
                    found[RepoPath(prefix + name)] = state
        return found

    def is_whole(self, tree: TreeId) -> bool:
        """Whether the tree and all that is below it are here."""
        if not self.has(tree):
            return False
        seen: set[str] = {tree}
        todo = [tree]
        while todo:
            for _, mode, name in self.entries(todo.pop()):
                if name in seen or mode == "160000":
                    continue
                seen.add(name)
                if name not in self._odb:
                    return False
                if mode == "40000":
                    todo.append(TreeId(name))
        return True

    @contextlib.contextmanager
    def batch(self) -> Iterator["Batch"]:
        """Take objects one by one; they are visible when the block is left, and none of them after an exception."""
        batch = Batch(self)
        try:
            yield batch
        except BaseException:
            batch.discard()
            raise
        batch.finish()

    def write(self, objects: Iterable[NewObject]) -> int:
        """Store what is not here yet; gives how many were new. An object with a wrong id is our defect."""
        with self.batch() as batch:
            for item in objects:
                found = batch.put(item.kind, item.data)
                if found != item.id:
                    raise ValueError(f"{item.kind} {item.id} is in fact {found}")
        return batch.added

    def start_pack(self, pack: BinaryIO) -> "subprocess.Popen[bytes]":
        """Let git check every object of a pack and index it into the store, in the background; see `end_pack`."""
        git = Git(git_dir=self.git_dir, cwd=self.git_dir)
        return git.start("index-pack", "--stdin", stdin=pack)

    def end_pack(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait until the pack is in; raises `GitFailed` when it is broken."""
        finish(process, what="index-pack")

    def fetch(self, repository: str, commit: CommitId) -> None:
        """Get one commit with its files from another repository, without its history."""
        with self._locked():
            git = Git(git_dir=self.git_dir, cwd=self.git_dir)
            git.run("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--depth=1", "--", repository, commit,
                    network=True)  # fmt: skip

    def cut(self, commits: Iterable[CommitId]) -> None:
        """Record commits as the ends of known history: their parents were never fetched."""
        wanted = set(commits)
        with self._locked():
            shallow = self.git_dir / "shallow"
            known = set(shallow.read_text("ascii").split()) if shallow.exists() else set()
            if wanted <= known:
                return
            _replace(shallow, "".join(f"{name}\n" for name in sorted(known | wanted)).encode("ascii"))

    def pin(self, name: str, commit: CommitId) -> None:
        """Keep a commit and all that it reaches from being collected, under `refs/stackproof/NAME`."""
        folder = self.git_dir / "refs"
        *folders, last = ("stackproof", *name.split("/"))
        for part in folders:
            folder = folder / part
            if not folder.exists():
                folder.mkdir(exist_ok=True)
                folder.chmod(0o755)
        line = f"{commit}\n".encode("ascii")
        if not (folder / last).exists() or (folder / last).read_bytes() != line:
            _replace(folder / last, line)

    def resolve(self, revision: str) -> CommitId:
        """The commit that a revision (a branch, a tag, a full or short id) names."""
        import pygit2

        try:
            found = self._repository.revparse_single(revision).peel(pygit2.Commit)
        except (KeyError, ValueError, pygit2.GitError) as error:
            raise InputFault(
                Diagnostic(
                    code="revision-unknown",
                    message=f"`{revision}` names no commit of {self.git_dir}",
                    notes=(str(error).strip("'"),),
                    help=f"git --git-dir {shlex.quote(str(self.git_dir))} log --oneline -1 {shlex.quote(revision)}",
                )
            ) from error
        return CommitId(str(found.id))

    def blob_named(self, start: str) -> BlobId | None:
        """The blob whose id starts like this, where there is exactly one."""
        import pygit2

        try:
            found = self._repository[start]
        except (KeyError, ValueError, pygit2.GitError):
            return None
        return BlobId(str(found.id)) if found.type_str == "blob" else None

    def set_branch(self, name: str, commit: CommitId) -> None:
        """Point a new branch at a commit; one that exists and stands elsewhere is never moved."""
        import pygit2

        ref = f"refs/heads/{name}"
        try:
            present = self._repository.references.get(ref)
            if present is None:
                self._repository.references.create(ref, commit)
            elif str(present.target) != commit:
                raise InputFault(
                    Diagnostic(
                        code="branch-exists",
                        message=f"branch `{name}` of {self.git_dir} stands at another commit",
                        notes=(f"it stands at {present.target}", f"it would move to {commit}"),
                        help="name another branch with --branch",
                    )
                )
        except (ValueError, pygit2.GitError) as error:
            raise InputFault(
                Diagnostic(
                    code="branch-wrong",
                    message=f"branch `{name}` cannot be made in {self.git_dir}",
                    notes=(str(error),),
                    help="name another branch with --branch",
                )
            ) from error

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        with (self.git_dir / "stackproof.lock").open("wb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _read(self, name: str, kind: str) -> bytes:
        import pygit2

        try:
            found, data = self._odb.read(name)
        except (KeyError, pygit2.GitError) as error:
            raise self._missing(name, kind, str(error)) from error
        if found != _KINDS[kind]:
            raise self._missing(name, kind, "an object of another kind has this id")
        return bytes(data)

    def _missing(self, name: str, kind: str, detail: str) -> EnvironmentFault:
        return EnvironmentFault(
            Diagnostic(
                code="object-missing",
                message=f"{kind} {name} cannot be read from the object store",
                notes=(f"the store is {self.git_dir}", detail),
                help=f"rm -rf {shlex.quote(str(self.git_dir))}",
            )
        )


class Batch:
    """Objects on their way into a store: few become loose files, many become one pack."""

    def __init__(self, store: Store) -> None:
        self.added = 0
        self._store = store
        self._objects = store.git_dir / "objects"
        self._early: dict[str, tuple[str, bytes]] = {}
        self._early_size = 0
        self._pack: PackWriter | None = None

    def put(self, kind: str, data: bytes) -> str:
        """Take an object unless it is known; gives its id."""
        name = object_id(kind, data)
        if name in self._early or self._store.has(name) or (self._pack is not None and name in self._pack):
            return name
        self.added += 1
        if self._pack is not None:
            self._pack.put(name, kind, data)
            return name
        self._early[name] = (kind, data)
        self._early_size += len(data)
        if len(self._early) > _LOOSE_LIMIT or self._early_size > _LOOSE_BYTES:
            self._pack = PackWriter(self._objects)
            for early, (its_kind, its_data) in self._early.items():
                self._pack.put(early, its_kind, its_data)
            self._early.clear()
        return name

    def finish(self) -> None:
        """Make every object visible."""
        if self._pack is not None:
            self._pack.finish()
        for name, (kind, data) in self._early.items():
            write_loose(self._objects, name, kind, data)

    def discard(self) -> None:
        """Forget what was taken."""
        if self._pack is not None:
            self._pack.discard()


_KINDS = {"commit": 1, "tree": 2, "blob": 3}


def _mode(octal: str) -> Mode:
    # Old trees hold 100664; git reads it as 100644.
    return Mode.FILE if octal == "100664" else Mode(octal)


def _make(path: Path) -> None:
    """Lay the repository out beside its place and move it there; whoever comes second keeps the first one's."""
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    scratch.chmod(0o755)
    make_repository(scratch)
    try:
        scratch.rename(path)
    except OSError as error:
        shutil.rmtree(scratch, ignore_errors=True)
        if not (path / "HEAD").exists():
            raise EnvironmentFault(
                Diagnostic(
                    code="object-store-broken",
                    message=f"what lies at {path} is no object store any more: it has no HEAD",
                    notes=(f"the system says: {error.strerror or error}", "nothing in it is precious"),
                    help=f"rm -rf {shlex.quote(str(path))}",
                )
            ) from error


def _replace(target: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=f".{target.name}-", dir=target.parent)
    with os.fdopen(handle, "wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    Path(name).chmod(0o644)
    Path(name).replace(target)
