"""A disk that fails or dies at one call, chosen by its number."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from builder.disk import Disk

T = TypeVar("T")


class Killed(BaseException):
    """Stands for the end of the process: from then on no call is carried out."""


class SabotagedDisk(Disk):
    """Carries out every call but the `at`-th, which is refused with an error number, or kills.

    Nothing is really synced: what is tested is the order of calls, not the hardware.
    """

    def __init__(self, at: int = 0, refusal: int | None = None, dies: Callable[[], None] | None = None) -> None:
        self.calls = 0
        self._at = at
        self._refusal = refusal
        self._dies = dies
        self._dead = False

    def _call(self, carry_out: Callable[[], T], partly: Callable[[], object] = lambda: None) -> T:
        self.calls += 1
        if self._dead:
            raise Killed
        if self.calls == self._at:
            partly()
            if self._refusal is not None:
                raise OSError(self._refusal, os.strerror(self._refusal))
            if self._dies is not None:
                self._dies()
            self._dead = True
            raise Killed
        return carry_out()

    def create(self, path: Path, permissions: int | None) -> int:
        return self._call(lambda: Disk.create(self, path, permissions))

    def write(self, handle: int, data: bytes) -> int:
        half = data[: len(data) // 2]
        return self._call(lambda: Disk.write(self, handle, data), lambda: os.write(handle, half))

    def sync(self, handle: int) -> None:
        self._call(lambda: None)

    def rename(self, old: Path, new: Path) -> None:
        self._call(lambda: Disk.rename(self, old, new))

    def link(self, old: Path, new: Path) -> None:
        self._call(lambda: Disk.link(self, old, new))

    def unlink(self, path: Path) -> None:
        self._call(lambda: Disk.unlink(self, path))

    def make_folder(self, path: Path) -> None:
        self._call(lambda: Disk.make_folder(self, path))

    def remove_folder(self, path: Path) -> None:
        self._call(lambda: Disk.remove_folder(self, path))


class LinklessDisk(SabotagedDisk):
    """As a file system without hard links."""

    def link(self, old: Path, new: Path) -> None:
        self._call(lambda: None)
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))
