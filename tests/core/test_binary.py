"""Binary payloads: what git writes is read, what it would not write is refused, and our stream is always the same."""

import random
import zlib
from pathlib import Path

import pytest

from tests.core.real_git import Files, RealGit
from verify.diff.binary import BrokenPayload, apply_delta, decode_line, encode, inflate
from verify.diff.parse import parse_git_diff
from verify.model.ids import RepoPath
from verify.model.patch import BinaryDelta, Mode


def stream_of(text: bytes) -> bytes:
    return b"".join(decode_line(line) for line in text.split(b"\n")[1:] if line)


@pytest.mark.parametrize("size", [0, 1, 51, 52, 53, 65535, 65536, 200_000])
def test_what_is_written_inflates_to_what_it_was(size: int) -> None:
    data = random.Random(size).randbytes(size)
    text = encode(BinaryDelta(kind="literal", size=size, data=data))
    assert inflate(stream_of(text), size) == data


def test_the_written_stream_does_not_depend_on_a_zlib_library() -> None:
    stream = stream_of(encode(BinaryDelta(kind="literal", size=3, data=b"abc")))
    assert stream == b"\x78\x01\x01\x03\x00\xfc\xffabc" + zlib.adler32(b"abc").to_bytes(4, "big")


@pytest.mark.parametrize("seed", range(8))
def test_gits_own_deltas_make_gits_own_files(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    old = rng.randbytes(70_000)
    cut = rng.randint(0, 60_000)
    new = old[:cut] + rng.randbytes(300) + old[cut + rng.randint(0, 5000) :] + old[:100]
    before: Files = {RepoPath(b"f"): (Mode.FILE, old)}
    after: Files = {RepoPath(b"f"): (Mode.FILE, new)}
    git = RealGit(tmp_path)
    trees = git.tree_of(before), git.tree_of(after)
    text = git.run("diff-tree", "-p", "-r", "--binary", "--full-index", *trees)
    (change,) = parse_git_diff(text, file="p").files
    assert change.binary is not None
    assert change.binary.reverse is not None
    for payload, base, made in ((change.binary.forward, old, new), (change.binary.reverse, new, old)):
        assert (payload.data if payload.kind == "literal" else apply_delta(base, payload.data)) == made


@pytest.mark.parametrize(
    ("delta", "why"),
    [
        (b"", "cut off"),
        (b"\x04", "cut off"),
        (b"\xff" * 12, "too many digits"),
        (b"\x05\x01", "is for 5 bytes"),
        (b"\x04\x02\x01", "inside an instruction"),
        (b"\x04\x02\x03ab", "inside an instruction"),
        (b"\x04\x02\x91", "inside an instruction"),
        (b"\x04\x02\x91\x03\x02", "behind the end"),
        (b"\x04\x01\x02ab", "more bytes than it states"),
        (b"\x04\x03\x02ab", "states 3 bytes and makes 2"),
        (b"\x04\x01\x00", "does not have"),
        (b"\x04\xff\xff\xff\xff\x7f", "are refused"),
    ],
)
def test_a_delta_that_git_would_not_write_is_refused(delta: bytes, why: str) -> None:
    with pytest.raises(BrokenPayload, match=why):
        apply_delta(b"base", delta)


@pytest.mark.parametrize("line", [b"", b"A", b"Aabcd", b"?abcde", b"Bab~`\xff", b"A     "])
def test_a_line_that_is_no_base85_is_refused(line: bytes) -> None:
    with pytest.raises(BrokenPayload):
        decode_line(line)


@pytest.mark.parametrize(("stream", "size"), [(zlib.compress(b"abc"), 2), (zlib.compress(b"abc"), 4), (b"junk", 3)])
def test_a_stream_that_is_not_as_long_as_stated_is_refused(stream: bytes, size: int) -> None:
    with pytest.raises(BrokenPayload):
        inflate(stream, size)


def test_bytes_behind_a_stream_are_refused() -> None:
    with pytest.raises(BrokenPayload):
        inflate(zlib.compress(b"abc") + b"more", 3)
