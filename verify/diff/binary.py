"""The payload of a `GIT binary patch`: base85 lines around a zlib stream, and git's delta code.

Printing writes *stored* deflate blocks by hand, because two zlib libraries compress the same bytes to different
streams, and a canonical patch must be the same bytes everywhere; git inflates both. Reading accepts any zlib stream
and never inflates more than the size the patch states.
"""

import zlib
from base64 import b85decode, b85encode

from verify.model.patch import BinaryDelta

MAX_BINARY = 128 * 1024 * 1024
_LINE = 52
_STORED = 65535
_LENGTHS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_LENGTH_OF = {letter: size for size, letter in enumerate(_LENGTHS, start=1)}


class BrokenPayload(Exception):
    """The payload is not what git would write; the text says why."""


def encode(delta: BinaryDelta) -> bytes:
    """One side of a binary patch as text: `literal SIZE` or `delta SIZE`, the lines, an empty line."""
    stream = _stored(delta.data)
    out = [f"{delta.kind} {delta.size}\n".encode()]
    for at in range(0, len(stream), _LINE):
        chunk = stream[at : at + _LINE]
        out += (_LENGTHS[len(chunk) - 1 : len(chunk)], b85encode(chunk, pad=True), b"\n")
    out.append(b"\n")
    return b"".join(out)


def _stored(data: bytes) -> bytes:
    out = [b"\x78\x01"]
    for at in range(0, max(len(data), 1), _STORED):
        block = data[at : at + _STORED]
        last = at + _STORED >= len(data)
        out += (bytes([last]), len(block).to_bytes(2, "little"), (len(block) ^ 0xFFFF).to_bytes(2, "little"), block)
    out.append(zlib.adler32(data).to_bytes(4, "big"))
    return b"".join(out)


def decode_line(line: bytes) -> bytes:
    """The bytes of one base85 line (without its line end)."""
    size = _LENGTH_OF.get(line[0]) if line else None
    if size is None or len(line) - 1 != (size + 3) // 4 * 5:
        raise BrokenPayload("a base85 line has another length than its first letter says")
    try:
        return b85decode(line[1:])[:size]
    except ValueError as error:
        raise BrokenPayload("a base85 line holds a byte that base85 does not have") from error


def inflate(stream: bytes, size: int, *, before: int = 0) -> bytes:
    """The inflated stream, which must have exactly `size` bytes; `before` counts those of earlier payloads."""
    if before + size > MAX_BINARY:
        raise BrokenPayload(f"it states {size} bytes; more than {MAX_BINARY} in one patch are refused")
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(stream, size + 1)
        if len(data) <= size and not inflater.eof:
            data += inflater.decompress(inflater.unconsumed_tail, 1)
    except zlib.error as error:
        raise BrokenPayload(f"its zlib stream is broken ({error})") from error
    if len(data) != size or not inflater.eof or inflater.unused_data:
        raise BrokenPayload(f"it states {size} bytes and its zlib stream holds another number")
    return data


def apply_delta(base: bytes, delta: bytes) -> bytes:
    """The content that a git delta makes of `base`."""
    stated, at = _size(delta, 0)
    if stated != len(base):
        raise BrokenPayload(f"the delta is for {stated} bytes and met {len(base)}")
    size, at = _size(delta, at)
    if size > MAX_BINARY:
        raise BrokenPayload(f"the delta makes {size} bytes; more than {MAX_BINARY} are refused")
    out, made = [], 0
    while at < len(delta):
        op = delta[at]
        piece, at = _copy(base, op, delta, at + 1) if op & 0x80 else _insert(op, delta, at + 1)
        made += len(piece)
        if made > size:
            raise BrokenPayload("the delta makes more bytes than it states")
        out.append(piece)
    if made != size:
        raise BrokenPayload(f"the delta states {size} bytes and makes {made}")
    return b"".join(out)


def _size(delta: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(delta) and shift < 64:
        byte = delta[at]
        value |= (byte & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if byte < 0x80:
            return value, at
    raise BrokenPayload("a size in the delta is cut off, or has too many digits")


def _copy(base: bytes, op: int, delta: bytes, at: int) -> tuple[bytes, int]:
    start = size = 0
    for bit in range(7):
        if op >> bit & 1:
            if at >= len(delta):
                raise _cut_off()
            if bit < 4:
                start |= delta[at] << 8 * bit
            else:
                size |= delta[at] << 8 * (bit - 4)
            at += 1
    size = size or 0x10000
    if start + size > len(base):
        raise BrokenPayload("the delta copies from behind the end of the file")
    return base[start : start + size], at


def _insert(op: int, delta: bytes, at: int) -> tuple[bytes, int]:
    if op == 0:
        raise BrokenPayload("the delta holds an instruction that git does not have")
    if at + op > len(delta):
        raise _cut_off()
    return delta[at : at + op], at + op


def _cut_off() -> BrokenPayload:
    return BrokenPayload("the delta ends inside an instruction")
