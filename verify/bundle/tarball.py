"""The one form of every archive of a bundle: a gzip member with an empty header around a tar that follows from its
files.

Files in the order of their paths' bytes, one owner, two modes, one time, no folders: whoever has the files and the
time has the tar, byte for byte, so that an archive is checked by printing its tar again. Only how deflate cut it is
left free, since that is the compressor's.
"""

import hashlib
import io
import tarfile
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from verify.archive import Limits, Member, members_of
from verify.model.codec import CodecError
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath
from verify.model.patch import Mode

GZIP_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_LARGEST = 4 << 30
_STEP = 4 << 20
_RATIO = 400
"""No archive of ours unpacks to more; a run of zeros would to a thousand times."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file, or a symbolic link whose target is its data; `mode` is git's."""

    path: RepoPath
    mode: Mode
    data: bytes

    def sha256(self) -> str:
        """The digest of the data."""
        return hashlib.sha256(self.data).hexdigest()


def tar_chunks(entries: Iterable[Entry], *, seconds: int) -> Iterator[bytes]:
    """The tar of these files in pieces; `seconds` is the time of all of them."""
    size = 0
    for entry in sorted(entries, key=lambda each: each.path):
        for chunk in _entry_chunks(entry, seconds):
            size += len(chunk)
            yield chunk
    end = 2 * tarfile.BLOCKSIZE
    yield bytes(end + -(size + end) % tarfile.RECORDSIZE)


def _entry_chunks(entry: Entry, seconds: int) -> Iterator[bytes]:
    info = tarfile.TarInfo(entry.path.decode("utf-8", "surrogateescape"))
    info.mtime = seconds
    info.mode = 0o755 if entry.mode is Mode.EXECUTABLE else 0o644
    if entry.mode is Mode.SYMLINK:
        info.type, info.mode = tarfile.SYMTYPE, 0o777
        info.linkname = entry.data.decode("utf-8", "surrogateescape")
    else:
        info.size = len(entry.data)
    yield info.tobuf(tarfile.GNU_FORMAT, "utf-8", "surrogateescape")
    if entry.mode is not Mode.SYMLINK:
        yield entry.data
        yield bytes(-len(entry.data) % tarfile.BLOCKSIZE)


def read_tarball(data: bytes, *, seconds: int) -> tuple[Entry, ...]:
    """The files of an archive that is in this form; `CodecError` says why it is not."""
    tar = unpack(data)
    try:
        found = tuple(_entries(tar))
    except InputFault as fault:
        raise CodecError(f"{fault.diagnostics[0].message}: {'; '.join(fault.diagnostics[0].notes[:1])}") from fault
    at = 0
    for chunk in tar_chunks(found, seconds=seconds):
        if tar[at : at + len(chunk)] != chunk:
            raise CodecError(f"its tar is another one than that of its files, from byte {at} on")
        at += len(chunk)
    if at != len(tar):
        raise CodecError(f"its tar has {len(tar) - at} bytes behind its end")
    return found


def _entries(tar: bytes) -> Iterator[Entry]:
    for member in members_of(io.BytesIO(tar), Path("tar"), limits=Limits()):
        if not isinstance(member, Member):
            raise CodecError("it holds a hard link")
        yield Entry(path=member.path, mode=member.mode, data=member.data)


def unpack(data: bytes) -> bytes:
    """The tar of an archive; `CodecError` says why it is not one gzip member with an empty header, and no more."""
    if data[: len(GZIP_HEADER)] != GZIP_HEADER:
        raise CodecError("its gzip header is not the empty one")
    unpacker = zlib.decompressobj(31)
    pieces: list[bytes] = []
    size, rest = 0, data
    try:
        while rest and not unpacker.eof:
            pieces.append(unpacker.decompress(rest, _STEP))
            rest = unpacker.unconsumed_tail
            size += len(pieces[-1])
            if size > _LARGEST or size > _RATIO * len(data) + _STEP:
                raise CodecError(f"it unpacks to more than {size} bytes")
    except zlib.error as error:
        raise CodecError(f"it cannot be unpacked: {error}") from error
    if not unpacker.eof:
        raise CodecError("it is cut off")
    if unpacker.unused_data:
        raise CodecError(f"it has {len(unpacker.unused_data)} bytes behind its end")
    return b"".join(pieces)
