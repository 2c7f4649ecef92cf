"""Many git objects as one pack file, and few as loose files; both complete or absent.

The usual library writes objects one by one, compressed hard and in a folder each: a base of thousands of files takes
seconds too long that way. Formats are git's own (pack version 2, index version 2). Every file is written beside its
place, synced and renamed, with fixed modes, so that a kill leaves unreferenced garbage at most, two writers of the same
object meet in peace, and neither umask nor clock shows.
"""

import hashlib
import os
import struct
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_KINDS = {"commit": 1, "tree": 2, "blob": 3}
_LEVEL = 1


def write_loose(objects: Path, name: str, kind: str, data: bytes) -> None:
    """Write the object called `name` under `objects` unless it is there."""
    folder = objects / name[:2]
    target = folder / name[2:]
    if target.exists():
        return
    if not folder.exists():
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    with _beside(target, "tmp_obj_") as out:
        out.write(zlib.compress(b"%s %d\0" % (kind.encode(), len(data)) + data, _LEVEL))


class PackWriter:
    """Collects objects into a pack; nothing is seen by anyone before `finish`."""

    def __init__(self, objects: Path) -> None:
        self._folder = objects / "pack"
        handle, name = tempfile.mkstemp(prefix="tmp_pack_", dir=self._folder)
        self._file = os.fdopen(handle, "w+b")
        self._temporary = Path(name)
        self._entries: dict[bytes, tuple[int, int]] = {}
        self._offset = self._file.write(struct.pack(">4sLL", b"PACK", 2, 0))

    def __contains__(self, name: str) -> bool:
        return bytes.fromhex(name) in self._entries

    def put(self, name: str, kind: str, data: bytes) -> None:
        """Put the object called `name` into the pack."""
        entry = _entry_header(_KINDS[kind], len(data)) + zlib.compress(data, _LEVEL)
        self._entries[bytes.fromhex(name)] = (self._offset, zlib.crc32(entry))
        self._offset += self._file.write(entry)

    def discard(self) -> None:
        """Drop what was collected."""
        self._file.close()
        self._temporary.unlink(missing_ok=True)

    def finish(self) -> None:
        """Make the pack visible: first the pack, then the index that makes git see it."""
        if not self._entries:
            self.discard()
            return
        self._file.seek(8)
        self._file.write(struct.pack(">L", len(self._entries)))
        self._file.seek(0)
        checksum = hashlib.file_digest(self._file, "sha1").digest()
        self._file.seek(0, os.SEEK_END)
        self._file.write(checksum)
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        stem = self._folder / f"pack-{checksum.hex()}"
        self._temporary.chmod(0o444)
        self._temporary.replace(stem.with_suffix(".pack"))
        with _beside(stem.with_suffix(".idx"), "tmp_idx_") as out:
            out.write(_index(self._entries, checksum))


def _entry_header(kind: int, size: int) -> bytes:
    byte = (kind << 4) | (size & 15)
    size >>= 4
    out = bytearray()
    while size:
        out.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7
    out.append(byte)
    return bytes(out)


def _index(entries: dict[bytes, tuple[int, int]], checksum: bytes) -> bytes:
    names = sorted(entries)
    counts = [0] * 256
    for name in names:
        counts[name[0]] += 1
    fanout = []
    total = 0
    for count in counts:
        total += count
        fanout.append(total)
    crcs = struct.pack(f">{len(names)}L", *(entries[name][1] for name in names))
    # Offsets from 2 GiB on go to a second table of 8-byte values; the first then holds their number there.
    small: list[int] = []
    large: list[int] = []
    for name in names:
        offset = entries[name][0]
        if offset < 0x80000000:
            small.append(offset)
        else:
            small.append(0x80000000 | len(large))
            large.append(offset)
    body = b"".join(
        (
            b"\xfftOc\0\0\0\x02",
            struct.pack(">256L", *fanout),
            b"".join(names),
            crcs,
            struct.pack(f">{len(small)}L", *small),
            struct.pack(f">{len(large)}Q", *large),
            checksum,
        )
    )
    return body + hashlib.sha1(body).digest()


@contextmanager
def _beside(target: Path, prefix: str) -> Iterator[IO[bytes]]:
    handle, name = tempfile.mkstemp(prefix=prefix, dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        temporary.chmod(0o444)
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
