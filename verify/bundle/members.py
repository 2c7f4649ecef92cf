"""Reads a bundle's folder: every file once, bounded, and never through a link.

A bundle comes from a stranger. Links, devices, pipes, names that a bundle does not have, too many files and too large
ones are told and not opened; nothing outside of the folder is touched. What is small enough to be a document or a
patch is kept, the rest only hashed.
"""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from verify.bundle.finding import finding
from verify.bundle.layout import STACK, SUMS, VERDICT
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import Sha256

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How large a bundle may be; files up to `kept_bytes` are kept in memory."""

    files: int = 20_000
    depth: int = 12
    file_bytes: int = 4 << 30
    total_bytes: int = 16 << 30
    kept_bytes: int = 256 << 20
    all_kept_bytes: int = 1 << 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file: its digest and, when it was small enough to be kept, its bytes."""

    sha256: Sha256
    size: int
    data: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Members:
    """Every file that could be read, by its name relative to the bundle, and what could not."""

    files: Mapping[str, Member]
    refused: tuple[Diagnostic, ...]

    def data(self, name: str) -> bytes | None:
        """The bytes of a member; None when it is not there or was not kept."""
        member = self.files.get(name)
        return None if member is None else member.data


_LIMITS = Limits()


def read_members(folder: Path, *, limits: Limits = _LIMITS) -> Members:
    """Everything in the folder; raises `InputFault` when there is no bundle at all."""
    if not folder.is_dir() or not any((folder / name).is_file() for name in (SUMS, STACK, VERDICT)):
        raise InputFault(
            Diagnostic(
                code="bundle-missing",
                message=f"there is no bundle in {folder}",
                place=Place(file=str(folder)),
                notes=(f"a bundle is a folder that holds {SUMS}, {STACK} and {VERDICT}",),
                help="name the folder that was sealed, dist/RELEASE",
            )
        )
    files: dict[str, Member] = {}
    refused: list[Diagnostic] = []
    total = kept = 0
    for name, entry in _walk(folder, "", limits.depth, refused):
        if len(files) >= limits.files:
            refused.append(finding("bundle-too-large", f"the bundle holds more than {limits.files} files", name))
            break
        try:
            size = entry.stat(follow_symlinks=False).st_size
            if size > limits.file_bytes or total + size > limits.total_bytes:
                refused.append(finding("bundle-too-large", f"`{name}` is not read: it has {size} bytes", name))
                continue
            keep = size <= limits.kept_bytes and kept + size <= limits.all_kept_bytes
            member = _read(Path(entry.path), size, keep=keep)
        except OSError as error:
            refused.append(finding("bundle-unreadable", f"`{name}` cannot be read: {error.strerror}", name))
            continue
        total += member.size
        kept += member.size if member.data is not None else 0
        files[name] = member
    return Members(files=files, refused=tuple(refused))


def _walk(folder: Path, prefix: str, depth: int, refused: list[Diagnostic]) -> Iterator[tuple[str, "os.DirEntry[str]"]]:
    try:
        with os.scandir(folder) as found:
            entries = sorted(found, key=lambda entry: os.fsencode(entry.name))
        kinds = [entry.stat(follow_symlinks=False).st_mode for entry in entries]
    except OSError as error:
        refused.append(finding("bundle-unreadable", f"`{prefix}` cannot be listed: {error.strerror}", prefix))
        return
    for entry, kind in zip(entries, kinds, strict=True):
        name = f"{prefix}{entry.name}"
        shown = os.fsencode(name).decode("utf-8", "backslashreplace")
        if stat.S_ISDIR(kind) and _NAME.fullmatch(entry.name) and depth > 1:
            yield from _walk(Path(entry.path), f"{name}/", depth - 1, refused)
        elif stat.S_ISREG(kind) and _NAME.fullmatch(entry.name):
            yield name, entry
        else:
            refused.append(finding("bundle-unsafe-file", f"`{shown}` is {_what(kind)} and is not opened", shown))


def _what(kind: int) -> str:
    if stat.S_ISLNK(kind):
        return "a symbolic link"
    if stat.S_ISDIR(kind):
        return "a folder that no bundle has"
    return "a file with a name that no bundle has" if stat.S_ISREG(kind) else "a device or a pipe"


def _read(path: Path, size: int, *, keep: bool) -> Member:
    """The file as far as it was long when it was listed; one that grows meanwhile does not hold us up."""
    digest, pieces, left = hashlib.sha256(), [], size
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as file:
        while left and (piece := file.read(min(left, 1 << 20))):
            digest.update(piece)
            left -= len(piece)
            if keep:
                pieces.append(piece)
    return Member(sha256=Sha256(digest.hexdigest()), size=size - left, data=b"".join(pieces) if keep else None)
