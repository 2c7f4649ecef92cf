"""The base of a bundle in git repositories that are thrown away: from the pinned archive, or lent by a git folder.

An archive must have the pinned SHA-256 before anything of it is read. A git folder is only borrowed from: nothing is
written to it, and its configuration is not read.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from verify.bundle.archive_base import import_archive
from verify.bundle.documents import ReleaseDocument
from verify.git import Git, GitFailed, find_git, make_repository
from verify.model.diagnostic import Diagnostic, Fault, InputFault, Place, Severity
from verify.model.ids import TreeId


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenBase:
    """A repository with the base's files, one with upstream's commit, and the tree that an archive's files gave.

    `findings` say what of the releases that are stood on does not give the base.
    """

    files: Git
    upstream: Git
    came_from: str
    archive_tree: TreeId | None
    findings: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NoBase:
    """Why there is no base to derive trees from."""

    reason: Diagnostic


@contextmanager
def open_base(base: Path | None, release: ReleaseDocument) -> Iterator[OpenBase | NoBase]:
    """The base for as long as the block runs, or the reason why there is none."""
    if base is None:
        yield NoBase(reason=_not_given(release))
        return
    with tempfile.TemporaryDirectory(prefix="stackproof-base-") as scratch:
        opened: OpenBase | NoBase
        try:
            opened = _opened(base, release, Path(scratch))
        except GitFailed as error:
            opened = NoBase(reason=_unusable(base, "git cannot read it", *error.output.splitlines()[-3:]))
        except Fault as fault:
            opened = NoBase(reason=fault.diagnostics[0])
        except OSError as error:
            opened = NoBase(reason=_unusable(base, f"it cannot be read: {error.strerror}"))
        yield opened


def _opened(base: Path, release: ReleaseDocument, scratch: Path) -> OpenBase:
    find_git()
    if base.is_dir():
        return _borrowed(base, scratch)
    if not base.is_file() and os.path.lexists(base):
        raise InputFault(_unusable(base, "it is neither a file nor a folder"))  # a pipe would be waited for
    kind, pinned = release.source.get("kind"), release.source.get("sha256")
    if kind not in ("sdist", "archive") or not isinstance(pinned, str):
        raise InputFault(_unusable(base, f"this release's base comes from a source of kind `{kind!s:.20}`"))
    _refuse_other(base, pinned)
    files, upstream = _repository(scratch, "files"), _repository(scratch, "upstream")
    tree = import_archive(base, release.source, files=files, upstream=upstream)
    if release.source.get("of_commit") is True and release.upstream_commit is not None:
        # The release stands on another commit of the carried repository than the one whose files the archive holds.
        tree = TreeId(upstream.text("rev-parse", "--verify", f"{release.upstream_commit}^{{tree}}"))
        return OpenBase(files=upstream, upstream=upstream, came_from="the pinned archive", archive_tree=tree)
    return OpenBase(files=files, upstream=upstream, came_from="the pinned archive", archive_tree=tree)


def _borrowed(folder: Path, scratch: Path) -> OpenBase:
    objects = next((each for each in (folder / "objects", folder / ".git/objects") if each.is_dir()), None)
    if objects is None:
        raise InputFault(_unusable(folder, "it is a folder without git objects"))
    git = _repository(scratch, "borrowed", objects.resolve())
    return OpenBase(files=git, upstream=git, came_from="a git folder", archive_tree=None)


def _repository(scratch: Path, name: str, *alternates: Path) -> Git:
    make_repository(scratch / name, alternates=alternates)
    return Git(git_dir=scratch / name, cwd=scratch / name)


def _refuse_other(archive: Path, pinned: str) -> None:
    with archive.open("rb") as file:
        met = hashlib.file_digest(file, "sha256").hexdigest()
    if met != pinned:
        raise InputFault(
            Diagnostic(
                code="sha256-differs",
                message="the archive that was given as the base is not the pinned one",
                place=Place(file=str(archive)),
                notes=(f"met sha256       {met}", f"expected sha256  {pinned:.80}"),
                help="stackproof explain sha256-differs",
            )
        )


def _not_given(release: ReleaseDocument) -> Diagnostic:
    source = release.source
    wanted = " ".join(
        f"{source[part]!s:.80}" for part in ("package", "version", "repository", "file") if part in source
    )
    return Diagnostic(
        code="base-not-given",
        message="without the base no tree can be derived",
        notes=(f"the base of this release: {source.get('kind')!s:.20} {wanted}", "base.json says how to get it"),
        help="python -m verify BUNDLE --base ARCHIVE",
        severity=Severity.NOTE,
    )


def _unusable(base: Path, why: str, *notes: str) -> Diagnostic:
    return Diagnostic(
        code="base-unusable",
        message=f"what was given as the base cannot be used: {why}",
        place=Place(file=str(base)),
        notes=notes,
        help="give the archive that base.json names, or a git folder that has the base's tree",
    )
