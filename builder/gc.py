"""Keeps the cache within bounds: what the current release does not need goes, the longest unused first.

Takes the cache and what is needed; gives the items that are to go, and removes them. Pinned downloads, models and git
objects are not touched: they are what everything else is made of. A lane that is in use is left alone.
"""

import contextlib
import os
import subprocess
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from builder.compile.sources import remove_folder
from verify.model.evidence import Evidence
from verify.model.ids import Sha256

GIB = 1 << 30


class Kind(StrEnum):
    """What an item is."""

    BUILD = "build"
    LANE = "lane"
    LOG = "log"
    EVIDENCE = "evidence"
    LEFT_OVER = "left over"


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing in the cache: its size in bytes, when it was last written, and whether the release needs it."""

    kind: Kind
    path: Path
    size: int
    used_at: float
    needed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Needed:
    """What must stay: builds by key digest, lanes by name, logs by name, records by key digest."""

    builds: Collection[Sha256]
    lanes: Collection[str]
    logs: Collection[str]
    records: Collection[Sha256]


def items_in(cache: Path, needed: Needed) -> tuple[Item, ...]:
    """Everything that may go, and what may not, by kind and name."""
    found: list[Item] = []
    for path in _children(cache / "builds"):
        kind = Kind.LEFT_OVER if path.name.startswith(".") else Kind.BUILD
        found.append(_item(kind, path, needed=path.name in needed.builds))
    for path in _children(cache / "lanes"):
        if path.is_dir():
            found.append(_item(Kind.LANE, path, needed=path.name in needed.lanes))
    for path in _children(cache / "logs"):
        found.append(_item(Kind.LOG, path, needed=path.name in needed.logs))
    for path in sorted((cache / "evidence").glob("*/??/*")):
        kind = Kind.LEFT_OVER if path.name.startswith(".new-") else Kind.EVIDENCE
        found.append(_item(kind, path, needed=path.stem in needed.records))
    return tuple(found)


def to_remove(items: Iterable[Item], *, limit: int) -> tuple[Item, ...]:
    """What goes: all that was left over, then what is not needed, the longest unused first, until `limit` is met."""
    items = tuple(items)
    gone = [item for item in items if item.kind is Kind.LEFT_OVER]
    size = sum(item.size for item in items) - sum(item.size for item in gone)
    rest = (item for item in items if item.kind is not Kind.LEFT_OVER and not item.needed)
    for item in sorted(rest, key=lambda item: (item.used_at, str(item.path))):
        if size <= limit:
            break
        gone.append(item)
        size -= item.size
    return tuple(gone)


def remove(items: Iterable[Item], cache: Path) -> tuple[Item, ...]:
    """Remove them; gives those that are really gone."""
    return tuple(item for item in items if _remove(item, cache))


def _remove(item: Item, cache: Path) -> bool:
    if item.kind is Kind.LANE:
        return _remove_lane(item.path, cache)
    if item.path.is_dir() and not item.path.is_symlink():
        # gone from its place at once, so that nobody finds half of it
        aside = item.path.with_name(f".gc-{item.path.name[:16]}-{os.getpid()}")
        with contextlib.suppress(FileNotFoundError):
            item.path.rename(aside)
            remove_folder(aside)
    else:
        item.path.unlink(missing_ok=True)
    return True


def _remove_lane(folder: Path, cache: Path) -> bool:
    from filelock import FileLock, Timeout

    lock = FileLock(cache / "lanes" / f"{folder.name}.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False  # somebody builds there
    try:
        remove_folder(folder)
    finally:
        lock.release()
    return True


def bound_compiler_cache(*, ccache: str, folder: Path, limit: int) -> None:
    """Let ccache itself bring its folder below the limit; what it drops is compiled again when it is needed."""
    if folder.is_dir():
        subprocess.run(
            [ccache, f"--max-size={max(1, limit >> 20)}M", "--cleanup"],
            env={"CCACHE_DIR": str(folder), "CCACHE_CONFIGPATH": str(folder / "none.conf"), "PATH": os.defpath},
            capture_output=True,
            check=False,
        )
        (folder / "none.conf").unlink(missing_ok=True)


def records_of(builds: Collection[str], records: Iterable[Evidence]) -> frozenset[Sha256]:
    """The records that rest on builds: those of the builds (`builds` by key digest) and of what was run on them.

    A probe's key holds what identifies a build somewhere in its parts, so the parts are searched.
    """
    return frozenset(
        record.key.digest
        for record in records
        if record.key.digest in builds or any(build in text for _, text in record.key.parts for build in builds)
    )


def _children(folder: Path) -> Iterator[Path]:
    if folder.is_dir():
        yield from sorted(folder.iterdir())


def _item(kind: Kind, path: Path, *, needed: bool) -> Item:
    stat = path.lstat()
    return Item(kind=kind, path=path, size=_size(path), used_at=stat.st_mtime, needed=needed)


def _size(path: Path) -> int:
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    total = 0
    for folder, _, names in os.walk(path):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(folder, name)).st_size  # noqa: PTH118
    return total
