"""The pinned base becomes a tree: read from its source straight into git objects, and compared with upstream's own.

A base is imported once. What came out is recorded in the cache under everything that it depends on, and used again as
long as every object is still there. Where the source carries upstream's commit, the files must be exactly the files of
that commit: nothing else that a source says about itself (its `HEAD`, its change log, its own index) is believed.
"""

import hashlib
import json
import os
import shlex
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

from builder.base_release import lay_base_release
from builder.commit import root_commit
from builder.fetch import Kind, digest_of, fetch
from builder.folder import folder_members
from builder.store import Store
from builder.vendored import Vendored, read_vendored, store_files, store_members
from verify.git import GitFailed
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import CommitId, TreeId, is_object_id, show_path
from verify.model.progress import Progress
from verify.model.release import ArchiveSource, Base, FolderSource, GitSource, ReleaseSource, SdistSource

_SCHEMA = "stackproof/base/1"
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Imported:
    """The base in the store: its tree, the commit that stands for it, and whether it was there already."""

    tree: TreeId
    commit: CommitId
    from_cache: bool
    notes: tuple[str, ...] = ()


def import_base(
    *, base: Base, store: Store, cache: Path, offline: bool, progress: Progress, root: Path = Path()
) -> Imported:
    """Bring the base into the store; paths of the release are relative to `root`."""
    record = _record_file(base, cache)
    if record is not None:
        with progress.stage("base") as stage:
            known = _known(record, base, store)
            if known is not None:
                stage.outcome(f"tree {known.tree[:12]} from the object cache")
                return known
            stage.outcome("not in the object cache")
    imported = _import(base, store, cache, offline, progress, root)
    store.pin(f"base/{imported.commit}", imported.commit)
    if record is not None:
        _write_record(record, imported)
    return imported


def _import(base: Base, store: Store, cache: Path, offline: bool, progress: Progress, root: Path) -> Imported:
    match base.source:
        case SdistSource() as source:
            archive = fetch(
                package=source.package,
                version=source.version,
                sha256=source.sha256,
                kind=Kind.SDIST,
                cache=cache,
                offline=offline,
                progress=progress,
            )
            with progress.stage("import the base") as stage:
                stage.tell(f"reading {archive.name}")
                imported = _from_sdist(source, archive, base.upstream_commit, store)
                stage.outcome("; ".join(imported.notes))
                return imported
        case ArchiveSource() as source:
            _refuse_commit(base, "an archive")
            with progress.stage("import the base") as stage:
                archive = _pinned_archive(source, root)
                stage.tell(f"reading {archive.name}")
                found = read_vendored(archive, folder=source.folder, git_dir=None, below_top=False, store=store)
                return _rooted(found, store)
        case FolderSource() as source:
            _refuse_commit(base, "a folder")
            with progress.stage("import the base") as stage:
                folder = root / source.path
                stage.tell(f"reading {folder}")
                return _rooted(
                    store_members(folder_members(folder, without=source.without), store=store, what=folder), store
                )
        case GitSource() as source:
            with progress.stage("import the base") as stage:
                stage.tell(f"fetching {source.commit[:12]} from {source.repository}")
                return _from_git(source, base, store, offline=offline, root=root)
        case ReleaseSource() as source:

            def below(other: Base) -> tuple[TreeId, CommitId]:
                made = import_base(
                    base=other, store=store, cache=cache, offline=offline, progress=progress, root=root
                )  # fmt: skip
                return made.tree, made.commit

            release, stack = lay_base_release(source, root, store, below)
            folds = f"{len(stack.layers)} folds of {release.name}"
            return Imported(tree=stack.tip_tree(), commit=stack.tip_commit(), from_cache=False, notes=(folds,))
        case _:
            assert_never(base.source)


def _from_sdist(source: SdistSource, archive: Path, commit: CommitId | None, store: Store) -> Imported:
    if source.of_commit:
        return _of_commit(source, archive, commit, store)
    git_dir = source.git_dir if commit is not None else None
    found = read_vendored(archive, folder=source.folder, git_dir=git_dir, below_top=True, store=store)
    if commit is None:
        return _rooted(found, store)
    _compare(found, commit, archive, store)
    if not store.is_whole(found.tree):
        # The shipped repository knows the commit and its trees but not every file: take those from the folder.
        store_files(archive, folder=source.folder, below_top=True, store=store)
    store.cut((commit,))
    return Imported(
        tree=found.tree,
        commit=commit,
        from_cache=False,
        notes=(f"{len(found.files)} files", f"equal to upstream {commit[:12]}"),
    )


def _of_commit(source: SdistSource, archive: Path, commit: CommitId | None, store: Store) -> Imported:
    """Another commit of the shipped repository than the one whose files lie in the folder."""
    if commit is None or not source.git_dir:
        raise InputFault(
            Diagnostic(
                code="upstream-commit-unprovable",
                message="the base is to be a commit of the sdist's repository, and none is named",
                notes=("`of_commit` needs `git_dir`, and `upstream_commit` of the base",),
                help="name both in release.json, or leave `of_commit` out",
            )
        )
    if not store.has(commit):
        read_vendored(archive, folder=source.folder, git_dir=source.git_dir, below_top=True, store=store)
    if not store.has(commit) or not store.is_whole(_tree_of(commit, store)):
        raise _commit_missing(commit, archive, "")
    store.cut((commit,))
    return Imported(tree=_tree_of(commit, store), commit=commit, from_cache=False, notes=(f"commit {commit[:12]}",))


def _from_git(source: GitSource, base: Base, store: Store, *, offline: bool, root: Path) -> Imported:
    commit = source.commit
    if base.upstream_commit is not None and base.upstream_commit != commit:
        raise InputFault(
            Diagnostic(
                code="upstream-commit-differs",
                message="the base names two commits",
                notes=(f"base.source.commit    {commit}", f"base.upstream_commit  {base.upstream_commit}"),
                help="make them equal in release.json, or set base.upstream_commit to null",
            )
        )
    local = root / source.repository
    if offline and not local.is_dir():
        raise EnvironmentFault(
            Diagnostic(
                code="offline-not-cached",
                message=f"commit {commit} is not in the cache, and nothing may be downloaded",
                notes=(f"it comes from {source.repository}",),
                help="run the same command once without --offline",
            )
        )
    try:
        store.fetch(str(local.absolute()) if local.is_dir() else source.repository, commit)
    except GitFailed as error:
        raise InputFault(
            Diagnostic(
                code="base-fetch-failed",
                message=f"git could not get commit {commit} from {source.repository}",
                notes=tuple(error.output.splitlines()[-4:]),
                help=f"git ls-remote {shlex.quote(source.repository)}",
            )
        ) from error
    return Imported(tree=_tree_of(commit, store), commit=commit, from_cache=False, notes=(f"commit {commit[:12]}",))


def _rooted(found: Vendored, store: Store) -> Imported:
    """A base without upstream's commit gets one that depends on its tree alone."""
    new = root_commit(found.tree)
    with store.batch() as batch:
        commit = CommitId(batch.put(new.kind, new.data))
    return Imported(tree=found.tree, commit=commit, from_cache=False, notes=(f"{len(found.files)} files",))


def _compare(found: Vendored, commit: CommitId, archive: Path, store: Store) -> None:
    if not store.has(commit):
        raise _commit_missing(commit, archive, found.head)
    expected = _tree_of(commit, store)
    if found.tree == expected:
        return
    theirs = store.listing(expected)
    paths = sorted(path for path in theirs.keys() | found.files.keys() if theirs.get(path) != found.files.get(path))
    notes = [f"tree of the files     {found.tree}", f"tree of the commit    {expected}"]
    for path in paths[:_SHOWN]:
        ours, its = found.files.get(path), theirs.get(path)
        if ours is None:
            what = "is missing from the archive"
        elif its is None:
            what = "is not in the commit"
        elif ours.blob == its.blob:
            what = f"has mode {ours.mode.value}, in the commit {its.mode.value}"
        else:
            what = f"holds {ours.blob}, in the commit {its.blob}"
        notes.append(f"{show_path(path)} {what}")
    if len(paths) > _SHOWN:
        notes.append(f"and {len(paths) - _SHOWN} more paths")
    raise InputFault(
        Diagnostic(
            code="base-differs-from-upstream",
            message=f"the files in {archive.name} are not those of upstream commit {commit[:12]}",
            notes=tuple(notes),
            help="stackproof explain base-differs-from-upstream",
        )
    )


def _commit_missing(commit: CommitId, archive: Path, head: str) -> InputFault:
    notes = [f"the archive is {archive}"]
    if head:
        notes.insert(0, f"the archive says of itself that it is {head}")
    return InputFault(
        Diagnostic(
            code="upstream-commit-missing",
            message=f"the upstream repository in {archive.name} has no commit {commit}",
            notes=tuple(notes),
            help="correct base.upstream_commit in release.json, or the pinned sdist",
        )
    )


def _tree_of(commit: CommitId, store: Store) -> TreeId:
    return TreeId(store.commit(commit)[5:45].decode("ascii"))


def _refuse_commit(base: Base, kind: str) -> None:
    if base.upstream_commit is not None:
        raise InputFault(
            Diagnostic(
                code="upstream-commit-unprovable",
                message=f"the base names upstream commit {base.upstream_commit}, which {kind} cannot prove",
                notes=("only a source that carries upstream's objects can be compared with a commit",),
                help="set base.upstream_commit to null in release.json, or use an sdist or a git repository",
            )
        )


def _pinned_archive(source: ArchiveSource, root: Path) -> Path:
    archive = root / source.file
    if not archive.is_file():
        raise InputFault(
            Diagnostic(
                code="base-archive-missing",
                message=f"the base archive {archive} does not exist",
                help="correct base.source.file in release.json",
            )
        )
    met = digest_of(archive)
    if met != source.sha256:
        raise InputFault(
            Diagnostic(
                code="sha256-differs",
                message=f"the base archive {archive} is not the pinned file",
                notes=(f"expected sha256 {source.sha256}", f"met sha256      {met}"),
                help=f"sha256sum {shlex.quote(str(archive))}",
            )
        )
    return archive


def _record_file(base: Base, cache: Path) -> Path | None:
    """Where the import of a base is recorded: under all that its outcome depends on. A folder may change: never."""
    parts: tuple[str, ...]
    match base.source:
        case SdistSource() as source:
            parts = ("sdist", source.sha256, source.folder, source.git_dir, base.upstream_commit or "")
            parts = (*parts, "of commit") if source.of_commit else parts
        case ArchiveSource() as source:
            parts = ("archive", source.sha256, source.folder)
        case GitSource() as source:
            parts = ("git", source.commit)
        case ReleaseSource() as source:
            parts = ("release", source.digest)
        case FolderSource():
            return None
        case _:
            assert_never(base.source)
    text = json.dumps([_SCHEMA, *parts])
    return cache / "bases" / f"{hashlib.sha256(text.encode()).hexdigest()}.json"


def _known(record: Path, base: Base, store: Store) -> Imported | None:
    """What is recorded, if it is sound and every object of it is there."""
    try:
        value = json.loads(record.read_bytes())
    except (OSError, ValueError):
        return None
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        return None
    tree, commit = str(value.get("tree")), str(value.get("commit"))
    if not is_object_id(tree) or not is_object_id(commit):
        return None
    if base.upstream_commit is not None and base.upstream_commit != commit:
        return None
    if not store.has(commit) or _tree_of(CommitId(commit), store) != tree or not store.is_whole(TreeId(tree)):
        return None
    return Imported(tree=TreeId(tree), commit=CommitId(commit), from_cache=True)


def _write_record(record: Path, imported: Imported) -> None:
    record.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"schema": _SCHEMA, "tree": imported.tree, "commit": imported.commit}, indent=2) + "\n"
    handle, name = tempfile.mkstemp(prefix=".base-", dir=record.parent)
    with os.fdopen(handle, "w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    Path(name).replace(record)
