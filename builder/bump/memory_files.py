"""Remembered resolutions as files of the project: `blocks/<block>/resolutions/<key>.json` and `.patch` beside it.

They go with the block into version control, so that what one maintainer resolved is resolved for all. They are no part
of what a release declares: a resolution is used where a stack is carried and leaves an ordinary exact patch.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from builder.bump.memory import Resolution, Wanted
from verify.diff.parse import parse_canonical
from verify.diff.paths import unsafe_path
from verify.diff.quote import quote_name, unquote_name
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.ids import BlobId, BlockName, FoldId, RepoPath, is_name, is_object_id
from verify.model.patch import Mode

SCHEMA = "stackproof/resolution/1"
_LARGEST = 16 << 20

Memory = Mapping[Wanted, Resolution]


def resolution_files(block: BlockName, key: str) -> tuple[str, str]:
    """Where a resolution lies: its record and its patch."""
    return f"blocks/{block}/resolutions/{key}.json", f"blocks/{block}/resolutions/{key}.patch"


def read_memory(root: Path, blocks: Iterable[BlockName]) -> tuple[Memory, tuple[Diagnostic, ...]]:
    """Every resolution of these blocks that can be read, and what is wrong with the others (they are not used)."""
    found: dict[Wanted, Resolution] = {}
    broken: list[Diagnostic] = []
    for block in blocks:
        folder = root / "blocks" / block / "resolutions"
        for path in sorted(folder.glob("*.json")) if folder.is_dir() else ():
            name = f"blocks/{block}/resolutions/{path.name}"
            try:
                known = _read(root, block, path.stem)
            except (OSError, ValueError, KeyError, TypeError, RecursionError, InputFault) as error:
                broken.append(
                    Diagnostic(
                        code="resolution-broken",
                        message="a kept resolution cannot be read, so it is not used",
                        place=Place(file=name),
                        notes=(str(error),),
                        help=f"git checkout -- {name}, or remove it",
                    )
                )
                continue
            found[known.wanted] = known
    return found, tuple(broken)


def render_resolution(known: Resolution) -> dict[str, bytes]:
    """The files of a resolution."""
    wanted = known.wanted
    document = {
        "schema": SCHEMA,
        "block": wanted.block,
        "fold": known.fold,
        "path": quote_name(wanted.path).decode("ascii"),
        "preimage": wanted.preimage,
        "postimage": wanted.postimage,
        "met": wanted.met,
        "result": known.result,
        "mode": known.mode.value if known.mode is not None else None,
    }
    record, patch = resolution_files(wanted.block, wanted.key())
    return {record: (json.dumps(document, indent=2) + "\n").encode(), patch: known.text}


def _read(root: Path, block: BlockName, stem: str) -> Resolution:
    record, patch = resolution_files(block, stem)
    for name in (record, patch):
        if (root / name).is_symlink() or (root / name).stat().st_size > _LARGEST:
            raise ValueError(f"{name} is a link, or too large")
    document = json.loads((root / record).read_bytes())
    if document["schema"] != SCHEMA:
        raise ValueError(f"expected schema {SCHEMA}")
    path = unquote_name(document["path"].encode("utf-8"))
    if path is None or unsafe_path(path) is not None:
        raise ValueError(f"{document['path']!r} is no path of a tree")
    if document["block"] != block or not is_name(document["fold"]):
        raise ValueError(f"it is of block {document['block']!r}, fold {document['fold']!r}")
    blobs = [_blob(document[name]) for name in ("preimage", "postimage", "met", "result")]
    wanted = Wanted(block=block, path=RepoPath(path), preimage=blobs[0], postimage=blobs[1], met=blobs[2])
    if wanted.key() != stem:
        raise ValueError(f"its name would be {wanted.key()}")
    text = (root / patch).read_bytes()
    return Resolution(
        wanted=wanted,
        fold=FoldId(document["fold"]),
        result=blobs[3],
        mode=Mode(document["mode"]) if document["mode"] is not None else None,
        patch=parse_canonical(text, file=patch),
        text=text,
        file=record,
    )


def _blob(value: object) -> BlobId | None:
    if value is None:
        return None
    if not isinstance(value, str) or not is_object_id(value):
        raise ValueError(f"{value!r} is no full object id")
    return BlobId(value)
