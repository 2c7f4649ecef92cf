"""A copy of the project with the files that shall be written, read as if they had been."""

import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from builder.scratch import scratch
from verify.manifest.read import read_release
from verify.model.release import Release


def rehearse(root: Path, contents: Mapping[str, bytes | None], *, near: Path) -> Release:
    """The release as it will be read once these files are written; raises `InputFault` with what it would not be.

    `near` is a folder of ours in which the copy may be made.
    """
    with scratch(near, "proof-") as copy:
        shutil.copy(root / "release.json", copy)
        shutil.copytree(root / "blocks", copy / "blocks", symlinks=True)
        for name, data in contents.items():
            target = copy / name
            if data is None:
                target.unlink(missing_ok=True)
                _drop_empty(target.parent, copy)
            else:
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(data)
        return read_release(copy, pinned=False)


def _drop_empty(folder: Path, top: Path) -> None:
    """As the writer does: an empty fold folder would be told as one that nobody lists."""
    with suppress(OSError):
        while folder != top:
            folder.rmdir()
            folder = folder.parent
