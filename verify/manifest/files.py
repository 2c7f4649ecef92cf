"""The declared files' bytes: read once, bounded, and never through a link out of the project.

Projects come from strangers, so a name that is a link, a device or a pipe is refused and not opened for reading.
Everything that was read is remembered in order: the release's digest is made of it.
"""

import errno
import os
import stat
from pathlib import Path

from verify.manifest.mistakes import Mistakes
from verify.model.diagnostic import Place

_MIB = 1 << 20
DOCUMENT_LIMIT = _MIB
LOCK_LIMIT = 32 * _MIB
PATCH_LIMIT = 64 * _MIB


class Files:
    """The project's folder, seen through names relative to it."""

    def __init__(self, root: Path, mistakes: Mistakes) -> None:
        self._root = root
        self._mistakes = mistakes
        self.read_so_far: list[tuple[str, bytes]] = []

    def read(self, name: str, *, limit: int, mistakes: Mistakes | None = None) -> bytes | None:
        """A file's bytes; None when it is not there, or cannot be read (which is recorded, in `mistakes` if given)."""
        into = self._mistakes if mistakes is None else mistakes
        try:
            self._refuse_links(name)
            data = self._bytes(name, limit)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except _Unfit as unfit:
            into.add("file-unfit", f"`{name}` {unfit}", Place(file=name), step=unfit.step)
            return None
        except OSError as problem:
            into.add("file-unreadable", f"`{name}` cannot be read: {os.strerror(problem.errno or 0)}", Place(file=name))
            return None
        self.read_so_far.append((name, data))
        return data

    def exists(self, name: str) -> bool:
        """Whether there is anything of that name."""
        try:
            (self._root / name).lstat()
        except (OSError, ValueError):
            return False
        return True

    def folders(self, name: str) -> tuple[str, ...]:
        """The folders right below, hidden ones left out, sorted; none when there is no such folder."""
        try:
            with os.scandir(self._root / name) as entries:
                found = [entry.name for entry in entries if entry.is_dir() and not entry.name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as problem:
            self._mistakes.add(
                "file-unreadable", f"`{name}` cannot be listed: {os.strerror(problem.errno or 0)}", Place(file=name)
            )
            return ()
        return tuple(sorted(found, key=os.fsencode))

    def names(self, name: str) -> tuple[str, ...]:
        """The names right below a folder, hidden ones left out, sorted; none when there is no such folder."""
        try:
            with os.scandir(self._root / name) as entries:
                found = [entry.name for entry in entries if not entry.name.startswith(".")]
        except (FileNotFoundError, NotADirectoryError):
            return ()
        except OSError as problem:
            self._mistakes.add(
                "file-unreadable", f"`{name}` cannot be listed: {os.strerror(problem.errno or 0)}", Place(file=name)
            )
            return ()
        return tuple(sorted(found, key=os.fsencode))

    def _refuse_links(self, name: str) -> None:
        path = self._root
        for part in name.split("/"):
            path = path / part
            if stat.S_ISLNK(path.lstat().st_mode):
                raise _Unfit("is a symbolic link, or lies behind one", step="put the file itself there")

    def _bytes(self, name: str, limit: int) -> bytes:
        # Without O_NONBLOCK a pipe of that name would hold us up for ever.
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
        try:
            handle = os.open(self._root / name, flags)
        except OSError as problem:
            if problem.errno == errno.ENXIO:
                raise _Unfit("is not a file") from None
            raise
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise _Unfit("is not a file")
        with os.fdopen(handle, "rb") as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise _Unfit(f"is larger than {limit // _MIB} MiB")
        return data


class _Unfit(Exception):
    def __init__(self, problem: str, step: str = "") -> None:
        super().__init__(problem)
        self.step = step
