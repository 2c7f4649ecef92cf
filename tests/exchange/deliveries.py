"""A delivery repository made by a fixed rule, in the form and size of real ones: same arguments, same bytes.

Sixteen numbered patches, each the squash of a feature with its pull requests named in the message; a combined diff;
a release.json in words of its own. `scale=1.0` gives some 43,000 insertions and 3.7 MB of patches.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from builder.exchange.tree_diff import patch_between
from builder.tree import FileState, Tree, file_state
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from verify.diff.render import render_patch
from verify.model.draw import drawn_numbers
from verify.model.ids import RepoPath
from verify.model.patch import Mode

BLOCKS = (
    "common", "kv-layout", "prefill", "rotation", "moe", "quant", "sampling", "server-slots", "cache-reuse",
    "checkpoints", "speculative", "metrics", "loader", "rpc", "tools", "docs",
)  # fmt: skip
WORDS = ("tensor", "graph", "slot", "cell", "batch", "head", "layer", "token", "buffer", "backend", "stream", "mask")


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Where the delivery and its base lie, the trees, and what the patches amount to."""

    folder: Path
    base: Path
    base_tree: str
    tip_tree: str
    insertions: int
    size: int


def make_delivery(out: Path, *, scale: float = 1.0, blocks: tuple[str, ...] = BLOCKS) -> Delivery:
    """Write the base to `out/base` and the delivery to `out/delivery`."""
    numbers = drawn_numbers(34)
    files: Files = {
        RepoPath(b"src/part-%02d/file-%d.cpp" % (part, number)): (Mode.FILE, _text(numbers, int(60 + 500 * scale)))
        for part in range(16)
        for number in range(8)
    }
    for path, (_, data) in files.items():
        file = out / "base" / path.decode()
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    base = tree = tree_in_memory(files)[0]
    contents = {path: data for path, (_, data) in files.items()}
    folder = out / "delivery"
    (folder / "patches").mkdir(parents=True)
    recorded = []
    insertions = size = 0
    for number, block in enumerate(blocks, start=1):
        changes = dict(_changes(numbers, number, block, contents, scale))
        after = tree.with_changes(changes)
        assert isinstance(after, Tree)
        patch = render_patch(patch_between(tree, after))
        insertions += sum(line.startswith(b"+") and not line.startswith(b"+++ ") for line in patch.split(b"\n"))
        data = _mail(number, block, len(blocks)) + patch + b"-- \n2.39.5\n\n"
        size += len(data)
        name = f"{number:04d}-{block}.patch"
        (folder / "patches" / name).write_bytes(data)
        recorded.append({"name": name, "sha256": _sha256(data)})
        tree = after
    combined = render_patch(patch_between(base, tree))
    (folder / "combined.patch").write_bytes(combined)
    document = {
        "release": "fork-r34",
        "upstream": {"tag": "b4567", "tree": base.id},
        "reference_tree": tree.id,
        "patches": recorded,
        "combined": {"path": "combined.patch", "sha256": _sha256(combined)},
    }
    (folder / "release.json").write_text(json.dumps(document, indent=2))
    return Delivery(
        folder=folder, base=out / "base", base_tree=base.id, tip_tree=tree.id, insertions=insertions, size=size
    )


def _text(numbers: Iterator[int], lines: int) -> bytes:
    return b"".join(_line(numbers) for _ in range(lines))


def _line(numbers: Iterator[int]) -> bytes:
    drawn = next(numbers)
    first, second = WORDS[drawn % 12], WORDS[(drawn >> 8) % 12]
    return f"    {first}_{drawn % 99991}->{second}.recompute({drawn % 7919}, ctx->{second}s[{drawn % 31}]);\n".encode()


def _changes(
    numbers: Iterator[int], number: int, block: str, contents: dict[RepoPath, bytes], scale: float
) -> Iterator[tuple[RepoPath, FileState]]:
    """Insertions at many places of a dozen files, and two new files."""
    paths = sorted(contents)
    for _ in range(12):
        path = paths[next(numbers) % len(paths)]
        lines = contents[path].splitlines(keepends=True)
        for _ in range(10):
            at = next(numbers) % len(lines)
            lines[at:at] = [_line(numbers) for _ in range(int(3 + 10.2 * scale))]
            del lines[next(numbers) % len(lines)]
        contents[path] = b"".join(lines)
        yield path, file_state(contents[path], Mode.FILE)
    for suffix in ("h", "cpp"):
        path = RepoPath(f"src/{block}/{block}-{number}.{suffix}".encode())
        contents[path] = _text(numbers, int(5 + 560 * scale))
        yield path, file_state(contents[path], Mode.FILE)


def _mail(number: int, block: str, count: int) -> bytes:
    head = f"From {'0' * 40} Mon Sep 17 00:00:00 2001\nFrom: Ada Lovelace <ada@analytical.org>\n"
    head += f"Date: Mon, 2 Mar 2026 10:{number:02d}:00 +0000\n"
    head += f"Subject: [PATCH {number}/{count}] {block}: what the fork adds\n\n"
    body = f"Folds PR #{100 + number} and #{200 + number}.\n\nCo-authored-by: Grace Hopper <grace@navy.mil>\n"
    return f"{head}{body}---\n\n".encode()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
