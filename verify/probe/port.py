"""Which loopback port a process listens on: asked of the system, so that no other program can answer in its place.

The system is asked for the process's own network, which need not be ours.
"""

import os
from pathlib import Path

_LISTEN = "0A"
_LOOPBACK = "0100007F"


def listening_port(pid: int) -> int | None:
    """The port on 127.0.0.1 that the process itself listens on; None while it does not."""
    inodes = _sockets(pid)
    if not inodes:
        return None
    try:
        table = Path(f"/proc/{pid}/net/tcp").read_text(encoding="ascii")
    except OSError:
        return None  # it has ended meanwhile
    for line in table.splitlines()[1:]:
        fields = line.split()
        address, _, port = fields[1].partition(":")
        if fields[3] == _LISTEN and address == _LOOPBACK and fields[9] in inodes:
            return int(port, 16)
    return None


def _sockets(pid: int) -> set[str]:
    """The inodes of the sockets that the process holds open."""
    found: set[str] = set()
    try:
        for entry in os.scandir(f"/proc/{pid}/fd"):
            try:
                target = os.readlink(entry.path)  # noqa: PTH115 (the link is no path)
            except OSError:
                continue  # closed meanwhile
            if target.startswith("socket:["):
                found.add(target[len("socket:[") : -1])
    except OSError:
        return set()
    return found
