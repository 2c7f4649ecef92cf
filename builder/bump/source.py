"""What `bump --to SOURCE` names, as a base that can be pinned: versions, packages, repositories, archives, folders.

    0.3.37                        another version of the same package
    0.3.36@origin/master          another commit of the repository that its sdist carries
    PACKAGE==VERSION              the engine in another package's sdist
    REPOSITORY@COMMIT             a git repository, a path or an address
    engine.tar.gz, path/engine    an archive, a folder
    dist/RELEASE                  another release of stackproof: its bundle

What is not stated (a digest, a folder inside, the commit that a name stands for) is found and told, and goes into the
pin, so that the same words later cannot mean something else.
"""

import os
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builder.bump.heads import commit_of, find_folder, read_heads
from builder.fetch import Kind, digest_of, fetch, find
from verify.bundle.layout import RELEASE, STACK
from verify.git import Git, GitFailed
from verify.manifest.read import read_release
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import CommitId, RepoPath, Sha256, is_object_id
from verify.model.progress import Progress
from verify.model.release import ArchiveSource, Base, FolderSource, GitSource, ReleaseSource, SdistSource

_VERSION = re.compile(r"[0-9][A-Za-z0-9.!+_-]*")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://|[^/\s]+@[^/\s]+:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """Where sources are looked for: the project, the cache, whether to fetch, and the paths of the present base."""

    root: Path
    cache: Path
    offline: bool
    progress: Progress
    paths: Callable[[], Sequence[RepoPath]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The base that was meant, and what was found out on the way."""

    base: Base
    told: tuple[str, ...] = ()


def find_source(
    text: str, *, now: Base, bench: Bench, folder: str = "", sha256: Sha256 | None = None, below: str = ""
) -> Source:
    """The base that `text` names, beside the present one `now`; raises `InputFault` where it names none.

    `below` is where the own base of a release lies, when that is a path.
    """
    package, equals, rest = text.partition("==")
    if equals and "/" not in package:
        version, _, ref = rest.partition("@")
        return _sdist(package, version, ref, now=now, bench=bench, folder=folder, sha256=sha256)
    path = Path(text)
    if (path / STACK).is_file() and (path / RELEASE).is_file():
        return _release(path, now=now, bench=bench, below=below)
    if path.is_dir():
        return Source(base=Base(source=FolderSource(path=_relative(path, bench.root)), upstream_commit=None))
    if path.is_file():
        return _archive(path, bench=bench, folder=folder, sha256=sha256)
    head, at, ref = text.rpartition("@")
    if at and ref and (Path(head).is_dir() or _ADDRESS.match(head)):
        return _git(head, ref, bench)
    version, _, ref = text.partition("@")
    if isinstance(now.source, SdistSource) and _VERSION.fullmatch(version):
        return _sdist(now.source.package, version, ref, now=now, bench=bench, folder=folder, sha256=sha256)
    raise InputFault(
        Diagnostic(
            code="bump-source",
            message=f"`{text}` names no source of a base",
            notes=(
                "expected a version, VERSION@REF, PACKAGE==VERSION, REPOSITORY@COMMIT, an archive or a folder",
                "a version alone needs a base that is an sdist",
            ),
            help="stackproof bump --help",
        )
    )


def _release(path: Path, *, now: Base, bench: Bench, below: str) -> Source:
    """The release in a bundle, as it declares itself; what lies below it is where it was, unless said otherwise."""
    release = read_release(path)
    given = below or (now.source.base if isinstance(now.source, ReleaseSource) else "")
    told = (f"digest of {release.name}: {release.digest}",)
    source = ReleaseSource(bundle=_relative(path, bench.root), release=release.name, digest=release.digest, base=given)
    return Source(base=Base(source=source, upstream_commit=None), told=told)


def _sdist(
    package: str, version: str, ref: str, *, now: Base, bench: Bench, folder: str, sha256: Sha256 | None
) -> Source:
    told: list[str] = []
    was = now.source if isinstance(now.source, SdistSource) and now.source.package == package else None
    if sha256 is None and was is not None and was.version == version:
        sha256 = was.sha256
    if sha256 is not None:
        archive = fetch(
            package=package,
            version=version,
            sha256=sha256,
            kind=Kind.SDIST,
            cache=bench.cache,
            offline=bench.offline,
            progress=bench.progress,
        )
    else:
        archive, sha256 = find(
            package=package,
            version=version,
            kind=Kind.SDIST,
            cache=bench.cache,
            offline=bench.offline,
            progress=bench.progress,
        )
        told.append(f"sha256 of {archive.name}: {sha256}, found and not stated by anybody")
    git_dir = was.git_dir if was is not None else ""
    inner = folder or (was.folder if was is not None else "")
    if not inner:
        inner = _found_folder(archive, bench, told, below_top=True)
    source = SdistSource(package=package, version=version, sha256=sha256, folder=inner, git_dir=git_dir)
    if not git_dir:
        return Source(base=Base(source=source, upstream_commit=None), told=tuple(told))
    heads = read_heads(archive, git_dir)
    if not heads and not ref:
        told.append(f"{archive.name} carries no upstream repository in {git_dir}, so its commit is not known")
        return Source(base=Base(source=replace(source, git_dir=""), upstream_commit=None), told=tuple(told))
    commit = commit_of(heads, ref or "HEAD", archive)
    told.append(f"{ref or 'HEAD'} of the repository in it: {commit}")
    other = bool(ref) and commit != heads.get("HEAD")
    return Source(base=Base(source=replace(source, of_commit=other), upstream_commit=commit), told=tuple(told))


def _archive(path: Path, *, bench: Bench, folder: str, sha256: Sha256 | None) -> Source:
    met = digest_of(path)
    told = [f"sha256 of {path.name}: {met}"]
    if sha256 is not None and met != sha256:
        raise InputFault(
            Diagnostic(
                code="sha256-differs",
                message=f"the base archive {path} is not the stated file",
                notes=(f"expected sha256 {sha256}", f"met sha256      {met}"),
                help=f"sha256sum {shlex.quote(str(path))}",
            )
        )
    inner = folder or _found_folder(path, bench, told, below_top=False)
    source = ArchiveSource(file=_relative(path, bench.root), sha256=met, folder=inner)
    return Source(base=Base(source=source, upstream_commit=None), told=tuple(told))


def _found_folder(archive: Path, bench: Bench, told: list[str], *, below_top: bool) -> str:
    found = find_folder(archive, bench.paths(), below_top=below_top)
    if found is None:
        raise InputFault(
            Diagnostic(
                code="bump-folder-unknown",
                message=f"no folder of {archive.name} has the files of the present base",
                help="name it: stackproof bump --to SOURCE --folder path/in/the/archive",
            )
        )
    told.append(f"the engine's folder in {archive.name}: {found}")
    return found


def _git(repository: str, ref: str, bench: Bench) -> Source:
    local = Path(repository)
    commit = CommitId(ref) if is_object_id(ref) else _resolved(local, repository, ref)
    name = _relative(local, bench.root) if local.is_dir() else repository
    told = () if commit == ref else (f"{ref} of {repository}: {commit}",)
    return Source(base=Base(source=GitSource(repository=name, commit=commit), upstream_commit=commit), told=told)


def _resolved(local: Path, repository: str, ref: str) -> CommitId:
    try:
        if local.is_dir():
            return CommitId(git_of(local).text("rev-parse", "--verify", "--end-of-options", f"{ref}^{{commit}}"))
        git = Git(git_dir=Path(os.devnull), cwd=Path.cwd())
        listed = git.run("ls-remote", "--", repository, ref, f"{ref}^{{}}", network=True).decode("utf-8", "replace")
        ids = [line.split("\t")[0] for line in listed.splitlines()]
        if ids:
            return CommitId(ids[-1])
        raise _no_ref(repository, ref, ())
    except GitFailed as error:
        raise _no_ref(repository, ref, tuple(error.output.splitlines()[-3:])) from error


def git_of(local: Path) -> Git:
    """Git on a repository that lies on this machine, bare or with a work tree."""
    inner = local / ".git"
    return Git(git_dir=(inner if inner.exists() else local).absolute(), cwd=local)


def _no_ref(repository: str, ref: str, notes: tuple[str, ...]) -> InputFault:
    return InputFault(
        Diagnostic(
            code="bump-ref-unknown",
            message=f"{repository} has no `{ref}`",
            notes=notes,
            help=f"git ls-remote {shlex.quote(repository)}",
        )
    )


def _relative(path: Path, root: Path) -> str:
    """As release.json names it: relative to the project where that is no detour."""
    whole = path.absolute()
    near = os.path.relpath(whole, root)
    return near if near.count("..") <= 2 else str(whole)
