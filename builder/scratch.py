"""A folder for work in progress, beside where its result will stand, so that the last step is a rename.

It is gone when the work ends. What a killed process left is swept away by the next one: every scratch folder holds a
lock for as long as its owner lives, so no clock and no process id is asked.
"""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def scratch(parent: Path, prefix: str) -> Iterator[Path]:
    """An empty folder in `parent`; names that start with `prefix` belong to this use alone."""
    for left in parent.glob(f"{prefix}*.alive"):
        with contextlib.suppress(OSError), left.open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(left.with_suffix(""), ignore_errors=True)
            left.unlink(missing_ok=True)
    # The lock comes before the folder: swept in between, only the lock's name is lost, never somebody's work.
    handle, name = tempfile.mkstemp(prefix=prefix, suffix=".alive", dir=parent)
    alive, folder = Path(name), Path(name).with_suffix("")
    with os.fdopen(handle, "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            alive.unlink(missing_ok=True)
