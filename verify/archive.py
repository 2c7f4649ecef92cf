"""Reads a tar archive from a stranger in one pass, and nothing of it reaches the disk by itself.

`members` gives each file and symbolic link with its content in memory, its path checked and its mode reduced to what
git can hold. Whatever an honest source archive never has is refused and named: paths that leave the archive, devices,
links that lead out, the same path twice, sparse files, and sizes that no engine has. A bomb is met
while it unpacks, not after.
"""

import bz2
import gzip
import lzma
import tarfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import RepoPath, show_path
from verify.model.patch import Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large an archive may be. `ratio` counts from `ratio_from` unpacked bytes on."""

    files: int = 500_000
    file_bytes: int = 1 << 30
    total_bytes: int = 8 << 30
    ratio: int = 200
    ratio_from: int = 64 << 20
    depth: int = 128
    path_bytes: int = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file or symbolic link: its path in the archive, git mode, and content (the target of a link)."""

    path: RepoPath
    mode: Mode
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class HardLink:
    """Another name for a file that came before."""

    path: RepoPath
    first: RepoPath


def members(archive: Path, *, limits: Limits) -> Iterator[Member | HardLink]:
    """Every file and symbolic link of the archive in its order; raises `InputFault` at the first thing refused."""
    with archive.open("rb") as packed:
        yield from members_of(packed, archive, limits=limits)


def members_of(packed: IO[bytes], archive: Path, *, limits: Limits) -> Iterator[Member | HardLink]:
    """The same of an open file; `archive` names it in messages."""
    try:
        source = _Counted(_unpacker(packed), packed, archive, limits)
        with tarfile.open(
            fileobj=cast("IO[bytes]", source), mode="r|", encoding="utf-8", errors="surrogateescape"
        ) as tar:
            yield from _members(tar, archive, limits)
    except (tarfile.TarError, EOFError, zlib.error, lzma.LZMAError, OSError) as error:
        raise _archive_fault(
            "archive-broken", archive, "cannot be read to its end", str(error) or "it is cut off"
        ) from error


def _members(tar: tarfile.TarFile, archive: Path, limits: Limits) -> Iterator[Member | HardLink]:
    seen: set[RepoPath] = set()
    for info in tar:
        path = _path(info.name, archive, limits)
        if info.isdir():
            continue
        shown = show_path(path)
        if path in seen:
            raise _archive_fault(
                "archive-path-twice", archive, f"holds `{shown}` twice", "which one is meant is not said"
            )
        if len(seen) >= limits.files:
            raise _archive_fault("archive-too-large", archive, "holds too many files", f"the limit is {limits.files}")
        if info.islnk():
            first = _path(info.linkname, archive, limits)
            if first not in seen:
                what = f"has a hard link `{shown}` to no earlier file of it"
                raise _archive_fault("archive-link-out", archive, what, f"to `{show_path(first)}`")
            yield HardLink(path=path, first=first)
        elif info.issym():
            yield _link(info, path, archive)
        else:
            yield _file(tar, info, path, archive, limits)
        seen.add(path)


def _link(info: tarfile.TarInfo, path: RepoPath, archive: Path) -> Member:
    target = info.linkname.encode("utf-8", "surrogateescape")
    if _leads_out(path, target):
        what = f"has a link `{show_path(path)}` that leads out of it"
        raise _archive_fault("archive-link-out", archive, what, f"to `{show_path(RepoPath(target))}`")
    return Member(path=path, mode=Mode.SYMLINK, data=target)


def _file(tar: tarfile.TarFile, info: tarfile.TarInfo, path: RepoPath, archive: Path, limits: Limits) -> Member:
    shown = show_path(path)
    if not info.isreg() or info.issparse():
        what = f"holds `{shown}`, which is no file, folder or link"
        raise _archive_fault("archive-entry-kind", archive, what, f"it is {_kind(info)}")
    if info.size > limits.file_bytes:
        what = f"holds `{shown}` of {info.size} bytes"
        raise _archive_fault("archive-too-large", archive, what, f"the limit is {limits.file_bytes}")
    content = tar.extractfile(info)
    data = content.read() if content is not None else b""
    if len(data) != info.size:
        raise EOFError
    # As git does: only the owner's execute bit is kept.
    return Member(path=path, mode=Mode.EXECUTABLE if info.mode & 0o100 else Mode.FILE, data=data)


def _path(name: str, archive: Path, limits: Limits) -> RepoPath:
    raw = name.encode("utf-8", "surrogateescape")
    while raw.startswith(b"./"):
        raw = raw[2:].lstrip(b"/")
    raw = raw.rstrip(b"/")
    parts = raw.split(b"/")
    if raw in (b"", b"."):
        return RepoPath(b"")
    if b".." in parts or b"." in parts or b"" in parts or b"\0" in raw:
        raise _archive_fault(
            "archive-path-out", archive, "holds a path that leaves it", f"the path is `{show_path(RepoPath(raw))}`"
        )
    if len(parts) > limits.depth or len(raw) > limits.path_bytes:
        raise _archive_fault(
            "archive-too-large", archive, "holds a path that is too deep or too long", f"it has {len(parts)} parts"
        )
    return RepoPath(raw)


def _leads_out(path: RepoPath, target: bytes) -> bool:
    if target.startswith(b"/") or not target or b"\0" in target:
        return True
    # The top folder of the archive is no place to be either, so its level does not count.
    depth = path.count(b"/")
    for part in target.split(b"/"):
        if part == b"..":
            depth -= 1
        elif part not in (b"", b"."):
            depth += 1
        if depth < 0:
            return True
    return False


def _kind(info: tarfile.TarInfo) -> str:
    if info.issparse():
        return "a sparse file"
    if info.isdev():
        return "a device or a pipe"
    return f"an entry of type {info.type!r}"


class _Counted:
    """The unpacked stream, watched: it stops a bomb while it unpacks."""

    def __init__(self, unpacked: IO[bytes], packed: IO[bytes], archive: Path, limits: Limits) -> None:
        self._unpacked = unpacked
        self._packed = packed
        self._archive = archive
        self._limits = limits
        self._total = 0

    def read(self, size: int) -> bytes:
        data = self._unpacked.read(size)
        self._total += len(data)
        limits = self._limits
        if self._total > limits.total_bytes:
            raise _archive_fault(
                "archive-too-large", self._archive, "unpacks to too much", f"the limit is {limits.total_bytes} bytes"
            )
        if self._total > limits.ratio_from and self._total > limits.ratio * self._packed.tell():
            raise _archive_fault(
                "archive-too-large",
                self._archive,
                "unpacks to far more than it holds",
                f"{self._total} bytes from {self._packed.tell()}, the limit is {limits.ratio} times",
            )
        return data


def _unpacker(packed: IO[bytes]) -> IO[bytes]:
    start = packed.read(6)
    packed.seek(0)
    if start.startswith(b"\x1f\x8b"):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=packed, mode="rb"))
    if start.startswith(b"BZh"):
        return bz2.BZ2File(packed)
    if start.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMAFile(packed)
    return packed


def _archive_fault(code: str, archive: Path, what: str, met: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code=code,
            message=f"the archive {archive.name} {what}",
            notes=(met, f"the archive is {archive}"),
            help="stackproof explain " + code,
        )
    )
