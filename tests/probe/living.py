"""Which processes work in a folder: how one of another process namespace is known from here."""

import time
from pathlib import Path


def living_in(folder: Path) -> set[int]:
    """Processes that have not ended and whose current folder lies in this one."""
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                works_there = (entry / "cwd").readlink().is_relative_to(folder.resolve())
                state = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()[0]
            except OSError:
                continue
            if works_there and state != "Z":
                found.add(int(entry.name))
    return found


def gone_from(folder: Path, seconds: float = 5.0) -> bool:
    """Whether, after a while at most, nobody works there any more."""
    deadline = time.monotonic() + seconds
    while living_in(folder):
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
