"""Random trees and random patches on them, from a seed: the shapes that patch tools stumble over.

`random_files` makes a tree, `random_patch` a canonical patch on it and the files that must come out. The expected
files are computed by list surgery and not by the code under test.
"""

import random
import zlib

from builder.canonical import Run, canonical_hunks
from builder.tree import object_id
from tests.core.real_git import SUBMODULE, Files
from verify.model.ids import BlobId, RepoPath
from verify.model.patch import Action, BinaryChange, BinaryDelta, FileChange, Hunk, Mode, Patch

_WORDS = (
    b"\n", b"}\n", b"{\n", b"    return 0;\n", b"int f(void)\n", b"\tx = 1;\n", b"x = 1;  \n", b"-- \n", b"--- a/x\n",
    b"+++ b/x\n",
    b"@@ -1,2 +1,2 @@\n", b"diff --git a/x b/x\n", b"crlf\r\n", b"lone\rcr\n", b"form\x0cfeed\n", b"nul\x00byte\n",
    b"\xff\xfe8bit\n", "ümlaut\n".encode(), b"\\ No newline at end of file\n", b" \n", b"a\n", b"b\n", b"c\n",
)  # fmt: skip
_NAMES = (
    b"a", b"a.c", b"a-b", b"ab", b"with space", b"two  spaces", b"tab\there", b'quo"te', b"back\\slash",
    "ümlaut".encode(),
    b"\xff\xfe", b"new\nline", b"b", b"b b", b"src", b"z~", b"dev", b"null", b"A", b".hidden", b"@", b"-dash",
)  # fmt: skip
Expected = dict[RepoPath, tuple[Mode, bytes]]


def random_content(rng: random.Random) -> bytes:
    """A text of a few or some dozen lines out of few different ones, so that contexts repeat."""
    words = rng.sample(_WORDS, rng.randint(2, 8))
    lines = [rng.choice(words) for _ in range(rng.choice((0, 1, 2, 5, 20, 60)))]
    text = b"".join(lines)
    return text[:-1] if text and rng.random() < 0.2 and not text.endswith(b"\n\n") else text


def random_path(rng: random.Random) -> RepoPath:
    """A path of one to four odd names."""
    return RepoPath(b"/".join(rng.choice(_NAMES) for _ in range(rng.choice((1, 1, 2, 2, 3, 4)))))


def random_files(rng: random.Random, count: int) -> Files:
    """A tree of about that many files, links and submodules."""
    files: Files = {}
    for _ in range(count):
        path = random_path(rng)
        if not _clashes(path, set(files)):
            files[path] = _random_file(rng)
    return files


def _random_file(rng: random.Random) -> tuple[Mode, bytes]:
    mode = rng.choice((Mode.FILE,) * 8 + (Mode.EXECUTABLE, Mode.EXECUTABLE, Mode.SYMLINK, Mode.SUBMODULE))
    if mode is Mode.SUBMODULE:
        return mode, SUBMODULE + rng.randbytes(20).hex().encode() + b"\n"
    if mode is Mode.SYMLINK:
        return mode, rng.choice((b"../elsewhere", b"a b", b"\xff", b"x"))
    return mode, random_content(rng)


def _clashes(path: RepoPath, taken: set[RepoPath]) -> bool:
    parts = path.split(b"/")
    above = {RepoPath(b"/".join(parts[:n])) for n in range(1, len(parts) + 1)}
    return bool(above & taken) or any(other.startswith(path + b"/") for other in taken)


def random_patch(rng: random.Random, files: Files, changes: int) -> tuple[Patch, Files]:
    """A patch of about that many file changes and the files after it."""
    after: Files = dict(files)
    named: set[RepoPath] = set()
    made: list[FileChange] = []
    for _ in range(changes):
        kind = rng.choice(
            ("edit",) * 10 + ("create", "create", "delete", "rename", "copy", "chmod", "retype", "binary", "binary")
        )
        if kind == "create":
            path = random_path(rng)
            if _clashes(path, set(after) | set(files)):
                continue
            state = _random_file(rng)
            made.append(_whole(None, state, path))
            after[path] = state
            named.add(path)
            continue
        free = [path for path in files if path not in named]
        if not free:
            break
        old = rng.choice(free)
        made += _change(rng, kind, old, files, after, named)
    return Patch(files=tuple(made)), after


def _change(
    rng: random.Random, kind: str, old: RepoPath, files: Files, after: Files, named: set[RepoPath]
) -> list[FileChange]:
    mode, data = files[old]
    named.add(old)
    plain = mode in (Mode.FILE, Mode.EXECUTABLE)
    if kind == "delete":
        del after[old]
        return [_whole((mode, data), None, old)]
    if kind == "retype":
        state = (Mode.FILE, random_content(rng)) if mode is Mode.SYMLINK else (Mode.SYMLINK, b"target")
        after[old] = state
        return [_whole((mode, data), None, old), _whole(None, state, old)]
    if kind in ("rename", "copy"):
        new = random_path(rng)
        if _clashes(new, set(after) | set(files)):
            return []
        runs = random_runs(rng, data) if plain and rng.random() < 0.6 else ()
        if kind == "rename":
            del after[old]
        after[new] = (mode, edited(data, runs))
        named.add(new)
        action = Action.RENAME if kind == "rename" else Action.COPY
        return [_modify(action, old, new, None, None, hunks_of(data, runs))]
    if not plain:
        return []
    if kind == "chmod":
        other = Mode.EXECUTABLE if mode is Mode.FILE else Mode.FILE
        runs = random_runs(rng, data) if rng.random() < 0.5 else ()
        after[old] = (other, edited(data, runs))
        return [_modify(Action.MODIFY, old, old, mode, other, hunks_of(data, runs))]
    if kind == "binary":
        new_data = rng.randbytes(rng.choice((0, 1, 3, 100, 2000)))
        if new_data == data:
            return []
        after[old] = (mode, new_data)
        return [_binary(old, data, new_data, delta=rng.random() < 0.5 and bool(data))]
    runs = random_runs(rng, data)
    if not runs:
        return []
    after[old] = (mode, edited(data, runs))
    return [_modify(Action.MODIFY, old, old, None, None, hunks_of(data, runs))]


def lines_of(data: bytes) -> list[bytes]:
    """The lines of a text with their ends."""
    parts = data.split(b"\n")
    return [part + b"\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])


def random_runs(rng: random.Random, data: bytes) -> tuple[Run, ...]:
    """Edits at random places of the text, from one line to several, at times close to each other."""
    lines = lines_of(data)
    runs: list[Run] = []
    at = line = 0
    while True:
        skip = rng.choice((0, 1, 1, 2, 3, 5, 6, 7, 8, 20)) + (1 if runs else 0)
        if line + skip > len(lines) or len(runs) == 6:
            break
        at += sum(map(len, lines[line : line + skip]))
        line += skip
        removed = lines[line : line + rng.choice((0, 0, 1, 1, 2, 4))]
        is_end = line + len(removed) == len(lines)
        joins = not removed and line > 0 and not lines[line - 1].endswith(b"\n")
        added = [rng.choice(_WORDS) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
        if added and is_end and rng.random() < 0.3:
            added[-1] = b"last"
        if (not removed and not added) or joins or removed == added:
            if line >= len(lines):
                break
            continue
        signed = [(b"-", text) for text in removed]
        signed += [(b"+", text) for text in added]
        if len(signed) > 2 and rng.random() < 0.1 and all(text.endswith(b"\n") for _, text in signed):
            rng.shuffle(signed)  # an odd but legal order; removed and added lines keep their own
            signed = _reordered(signed, removed, added)
        runs.append(Run(at=at, line=line + 1, lines=tuple(signed)))
        at += sum(map(len, removed))
        line += len(removed)
        if is_end:
            break
    return tuple(runs)


def _reordered(
    signed: list[tuple[bytes, bytes]], removed: list[bytes], added: list[bytes]
) -> list[tuple[bytes, bytes]]:
    olds, news = iter(removed), iter(added)
    return [(sign, next(olds if sign == b"-" else news)) for sign, _ in signed]


def edited(data: bytes, runs: tuple[Run, ...]) -> bytes:
    """The text with the edits made, by list surgery."""
    lines = lines_of(data)
    for run in reversed(runs):
        added = [text for sign, text in run.lines if sign == b"+"]
        lines[run.line - 1 : run.line - 1 + run.removed()] = added
    return b"".join(lines)


def hunks_of(data: bytes, runs: tuple[Run, ...]) -> tuple[Hunk, ...]:
    return tuple(printed.hunk for printed in canonical_hunks(data, runs))


def _modify(
    action: Action, old: RepoPath, new: RepoPath, old_mode: Mode | None, new_mode: Mode | None, hunks: tuple[Hunk, ...]
) -> FileChange:
    return FileChange(
        action=action, old_path=old, new_path=new, old_mode=old_mode, new_mode=new_mode, hunks=hunks,
        binary=None, old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip


def _whole(old: tuple[Mode, bytes] | None, new: tuple[Mode, bytes] | None, path: RepoPath) -> FileChange:
    removed = lines_of(old[1]) if old else []
    added = lines_of(new[1]) if new else []
    signed = tuple([(b"-", text) for text in removed] + [(b"+", text) for text in added])
    runs = (Run(at=0, line=1, lines=signed),) if signed else ()
    return FileChange(
        action=Action.CREATE if old is None else Action.DELETE,
        old_path=None if old is None else path,
        new_path=None if new is None else path,
        old_mode=old[0] if old else None,
        new_mode=new[0] if new else None,
        hunks=hunks_of(old[1] if old else b"", runs),
        binary=None, old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip


def _binary(path: RepoPath, old: bytes, new: bytes, *, delta: bool) -> FileChange:
    if delta:
        code = _varint(len(old)) + _varint(len(new)) + b"".join(_ops(old, new))
        forward = BinaryDelta(kind="delta", size=len(code), data=code)
    else:
        forward = BinaryDelta(kind="literal", size=len(new), data=new)
    reverse = BinaryDelta(kind="literal", size=len(old), data=old) if zlib.crc32(new) % 2 else None
    return FileChange(
        action=Action.MODIFY, old_path=path, new_path=path, old_mode=None, new_mode=None, hunks=(),
        binary=BinaryChange(forward=forward, reverse=reverse),
        old_blob=BlobId(object_id("blob", old)), new_blob=BlobId(object_id("blob", new)), source_line=0,
    )  # fmt: skip


def _ops(old: bytes, new: bytes) -> list[bytes]:
    """A delta that copies the common beginning and inserts the rest."""
    same = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    same = min(same, 0xFFFF)
    ops = [b"\xb0" + same.to_bytes(2, "little")] if same else []
    return ops + [bytes([len(new[at : at + 127])]) + new[at : at + 127] for at in range(same, len(new), 127)]


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
