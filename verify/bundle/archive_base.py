"""Lets git make the tree of an archive's files, and take in upstream's own objects where the archive carries them.

The files go to `git fast-import` as they are read; nothing is unpacked to a disk. Packs and loose objects of a carried
repository go to a second repository, so that no object in it can stand for a file of the archive.
"""

import os
import re
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO

from verify.archive import HardLink, Limits, Member, members
from verify.diff.paths import unsafe_path
from verify.diff.quote import quote_name
from verify.git import Git, finish
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import RepoPath, TreeId, show_path

_PACK = re.compile(rb"objects/pack/[^/]+\.pack")
_LOOSE = re.compile(rb"objects/[0-9a-f]{2}/[0-9a-f]{38}")
_BRANCH = "refs/heads/base"
_HEAD = f"commit {_BRANCH}\ncommitter base <base@localhost> 0 +0000\ndata 0\n".encode()


def import_archive(archive: Path, source: Mapping[str, object], *, files: Git, upstream: Git) -> TreeId:
    """The tree of the archive's folder, made in `files`; upstream's objects are in `upstream` afterwards."""
    read_end, write_end = os.pipe()
    with os.fdopen(read_end, "rb") as stdin:
        importing = files.start("-c", "pack.compression=0", "fast-import", "--quiet", "--depth=0", stdin=stdin)
    carried = _Carried(upstream)
    try:
        with os.fdopen(write_end, "wb") as stream:
            _send(members(archive, limits=Limits()), _Places(source, archive), stream, carried)
    except BrokenPipeError:
        pass  # git has ended early and says why below
    except BaseException:
        importing.kill()
        importing.wait()
        carried.stop()
        raise
    finish(importing, what="fast-import")
    carried.finish()
    return TreeId(files.text("rev-parse", f"{_BRANCH}^{{tree}}"))


class _Places:
    """Where the engine and upstream's repository are in the archive, and what is called what inside."""

    def __init__(self, source: Mapping[str, object], archive: Path) -> None:
        self.archive = archive
        self._below_top = source.get("kind") == "sdist"
        self._folder = _prefix(source.get("folder"))
        self._git_dir = _prefix(source.get("git_dir"))

    def object(self, path: RepoPath) -> bytes | None:
        """The path inside upstream's repository."""
        rest = self._rest(path)
        return rest[len(self._git_dir) :] if self._git_dir and rest.startswith(self._git_dir) else None

    def file(self, path: RepoPath) -> RepoPath | None:
        """The path inside the engine's folder; its own link to its repository is no file of it."""
        rest = self._rest(path)
        if not rest.startswith(self._folder) or len(rest) == len(self._folder):
            return None
        inner = rest[len(self._folder) :]
        return None if inner == b".git" or inner.startswith(b".git/") else RepoPath(inner)

    def _rest(self, path: RepoPath) -> bytes:
        return path.partition(b"/")[2] if self._below_top else path


def _prefix(folder: object) -> bytes:
    clean = folder.strip("/") if isinstance(folder, str) else ""
    return b"" if clean in ("", ".") else clean.encode() + b"/"


def _send(found: Iterable[Member | HardLink], places: _Places, stream: IO[bytes], carried: "_Carried") -> None:
    """Everything of the archive to where it belongs."""
    stream.write(_HEAD)
    for member in found:
        inside = places.object(member.path)
        path = places.file(member.path)
        if inside is not None:
            if isinstance(member, Member):
                carried.take(inside, member.data)
        elif path is not None:
            _refuse_unsafe(path, places.archive)
            if isinstance(member, HardLink):
                first = places.file(member.first) or RepoPath(b"")
                stream.write(b"C %s %s\n" % (_quoted(first), _quoted(path)))
            else:
                head = b"M %s inline %s\ndata %d\n" % (member.mode.value.encode(), _quoted(path), len(member.data))
                stream.writelines((head, member.data, b"\n"))


def _refuse_unsafe(path: RepoPath, archive: Path) -> None:
    why = unsafe_path(path)
    if why is not None:
        raise InputFault(
            Diagnostic(
                code="archive-path-out",
                message=f"the archive holds a path that no tree can have: {why}",
                place=Place(file=str(archive)),
                notes=(f"the path is `{show_path(path)}`",),
                help="stackproof explain archive-path-out",
            )
        )


def _quoted(path: RepoPath) -> bytes:
    """As git's fast-import wants it: always in quotes where a plain spelling could be read otherwise."""
    quoted = quote_name(path)
    return quoted if quoted.startswith(b'"') else b'"' + quoted + b'"'


class _Carried:
    """The objects of a carried repository on their way; packs are checked by git while the archive is read on."""

    def __init__(self, git: Git) -> None:
        self._git = git
        self._running: list[subprocess.Popen[bytes]] = []

    def take(self, name: bytes, data: bytes) -> None:
        """Take one file of the repository; what is no object is left where it is."""
        if _PACK.fullmatch(name):
            file = self._git.git_dir / f"carried-{len(self._running)}.pack"
            file.write_bytes(data)
            with file.open("rb") as pack:
                self._running.append(self._git.start("index-pack", "--stdin", stdin=pack))
            file.unlink()
        elif _LOOSE.fullmatch(name):
            target = self._git.git_dir / name.decode("ascii")
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(data)

    def finish(self) -> None:
        """Wait until the packs are in."""
        while self._running:
            finish(self._running.pop(), what="index-pack")

    def stop(self) -> None:
        """Give up."""
        for process in self._running:
            process.kill()
            process.wait()
