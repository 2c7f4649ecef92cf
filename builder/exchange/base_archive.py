"""A tree as a tar archive in the project: the base of a stack whose base lies nowhere on disk.

The archive is the same bytes for the same tree: entries in git's order, no dates, no owners.
"""

import hashlib
import io
import os
import tarfile
import tempfile
from pathlib import Path

from builder.tree import Tree
from verify.model.patch import Mode

NAME = "base.tar"


def archive_source(tree: Tree, out: Path) -> dict[str, object]:
    """Write the tree beside release.json, and say where the base of the release is."""
    out.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{NAME}-", dir=out)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w+b") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.GNU_FORMAT, errors="surrogateescape") as tar:
                for path, state in tree.walk():
                    data = tree.content(state)
                    entry = tarfile.TarInfo(path.decode("utf-8", "surrogateescape"))
                    if state.mode is Mode.SYMLINK:
                        entry.type, entry.linkname = tarfile.SYMTYPE, data.decode("utf-8", "surrogateescape")
                        tar.addfile(entry)
                        continue
                    entry.size = len(data)
                    entry.mode = 0o755 if state.mode is Mode.EXECUTABLE else 0o644
                    tar.addfile(entry, io.BytesIO(data))
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        temporary.chmod(0o644)
        temporary.replace(out / NAME)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return {"kind": "archive", "file": NAME, "sha256": digest, "folder": "."}
