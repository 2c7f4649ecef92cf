"""Packs files into an archive of the one form that bundles have (`verify/bundle/tarball.py`).

The compressor is pinned by version and gives the same bytes on every machine (libdeflate looks for matches the same
way whatever the processor can do), so that equal files and an equal time are an equal archive.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

from builder.store import Store
from verify.bundle.tarball import Entry, read_tarball, tar_chunks
from verify.model.ids import RepoPath, TreeId
from verify.model.patch import Mode

_LEVEL = 6


def packed(tar: bytes) -> bytes:
    """A tar as a gzip member without a name, a time or a system."""
    import deflate

    return bytes(deflate.gzip_compress(tar, _LEVEL))


def tar_of(entries: Iterable[Entry], *, below: str, seconds: int) -> bytes:
    """The tar of these files in the folder `below`."""
    top = f"{below}/".encode()
    moved = [Entry(path=RepoPath(top + each.path), mode=each.mode, data=each.data) for each in entries]
    return b"".join(tar_chunks(moved, seconds=seconds))


def tree_entries(store: Store, tree: TreeId) -> tuple[Entry, ...]:
    """Every file of a tree; a submodule has no files here and is left out."""
    return tuple(
        Entry(path=path, mode=state.mode, data=store.blob(state.blob))
        for path, state in sorted(store.listing(tree).items())
        if state.mode is not Mode.SUBMODULE
    )


def unpack_to(data: bytes, folder: Path, *, seconds: int) -> None:
    """Lay the files of an archive of ours out in a folder."""
    for entry in read_tarball(data, seconds=seconds):
        path = folder / entry.path.decode("utf-8", "surrogateescape")
        path.parent.mkdir(parents=True, exist_ok=True)
        if entry.mode is Mode.SYMLINK:
            path.symlink_to(entry.data.decode("utf-8", "surrogateescape"))
        else:
            path.write_bytes(entry.data)
            path.chmod(0o755 if entry.mode is Mode.EXECUTABLE else 0o644)


def with_licences(entries: Iterable[Entry], licences: Mapping[RepoPath, bytes]) -> tuple[Entry, ...]:
    """The files with the licences of the sources in a folder beside them."""
    texts = (
        Entry(path=RepoPath(b"licences/" + path), mode=Mode.FILE, data=data) for path, data in sorted(licences.items())
    )
    return (*entries, *texts)
