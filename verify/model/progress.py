"""How long work tells what it is doing: a port, so that the core and the edge need no terminal."""

from contextlib import AbstractContextManager
from typing import Protocol


class Stage(Protocol):
    """One running step."""

    def tell(self, detail: str) -> None:
        """Say what is being done now (replaces the last detail)."""

    def outcome(self, text: str) -> None:
        """Say how the step ended; shown beside its time when it is left."""


class Progress(Protocol):
    """Where steps are announced."""

    def stage(self, what: str) -> AbstractContextManager[Stage]:
        """Enter a step; its elapsed time is shown until it is left."""


class _SilentStage:
    def tell(self, detail: str) -> None:
        """Drop it."""

    def outcome(self, text: str) -> None:
        """Drop it."""

    def __enter__(self) -> "_SilentStage":
        return self

    def __exit__(self, *_: object) -> None:
        return None


class Silent:
    """Tells nobody; for tests and for `--json` into a pipe."""

    def stage(self, what: str) -> AbstractContextManager[Stage]:
        """Enter a step that nobody sees."""
        del what
        return _SilentStage()


class Prefixed:
    """Tells the same progress, each step's name behind a prefix that says which part of the whole it is."""

    def __init__(self, progress: Progress, prefix: str) -> None:
        self._progress = progress
        self._prefix = prefix

    def stage(self, what: str) -> AbstractContextManager[Stage]:
        """Enter a step of that part."""
        return self._progress.stage(f"{self._prefix}: {what}")
