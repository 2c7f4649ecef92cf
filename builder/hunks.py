"""Puts hunks on bytes at exactly the lines they state, or says which hunk does not fit and why.

This is what a release rests on: no search, no offset, no fuzz. The bytes are never split into lines: the old lines
of a hunk are searched as one string, and line numbers are counted only where it is found, at C speed. Placement of
hunks whose preimage differs is another question (`builder/two_ways.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from verify.model.patch import Hunk


@dataclass(frozen=True, slots=True, kw_only=True)
class HunkMismatch:
    """The hunk (by its index) does not meet its old lines at its line; `found` is the line where they do stand."""

    hunk: int
    expected_line: int
    found_line: int | None


def apply_exact(content: bytes, hunks: Sequence[Hunk]) -> bytes | HunkMismatch:
    """The content with every hunk put at exactly its stated line, or the first hunk that does not fit."""
    out: list[bytes] = []
    done = 0  # bytes of `content` that are already out
    line = 1  # line number of content[done:]
    for index, hunk in enumerate(hunks):
        old = b"".join(hunk.old())
        wanted = hunk.old_start if old else hunk.old_start + 1
        at = offset_of_line(content, done, wanted - line)
        if at is None or not fits_at(content, at, old, new := b"".join(hunk.new())):
            return HunkMismatch(hunk=index, expected_line=wanted, found_line=_find(content, done, line, old))
        end = at + len(old)
        out += (content[done:at], new)
        line = wanted + old.count(b"\n")
        done = end
    out.append(content[done:])
    return b"".join(out)


def offset_of_line(content: bytes, start: int, lines: int) -> int | None:
    """Where the line begins that is `lines` below the line that begins at `start`; None behind the end.

    Steps over the text in blocks that are counted at C speed, then line by line within the last block.
    """
    if lines < 0:
        return None
    at = start
    block = 1 << 14
    while lines > 64 and at < len(content):
        count = content.count(b"\n", at, at + block)
        if count >= lines:
            if block <= 256:
                break
            block >>= 2
            continue
        lines -= count
        at += block
    for _ in range(lines):
        end = content.find(b"\n", at)
        if end < 0:
            return None
        at = end + 1
    return at if at <= len(content) else None


def fits_at(content: bytes, at: int, old: bytes, new: bytes) -> bool:
    """Whether the whole lines `old` stand at `at`, and `new` in their place would not join the line below."""
    joins = bool(new) and not new.endswith(b"\n") and at + len(old) != len(content)
    return not joins and stands_at(content, at, old)


def stands_at(content: bytes, at: int, old: bytes) -> bool:
    """Whether the whole lines `old` stand at `at`, which is the start of a line."""
    if not content.startswith(old, at):
        return False
    return not old or old.endswith(b"\n") or at + len(old) == len(content)


def _find(content: bytes, start: int, line: int, old: bytes) -> int | None:
    """The first line from `start` on where the whole lines `old` stand."""
    at = content.find(old, start) if old else -1
    while at >= 0:
        if (at == 0 or content[at - 1] == 0x0A) and stands_at(content, at, old):
            return line + content.count(b"\n", start, at)
        at = content.find(old, at + 1)
    return None
