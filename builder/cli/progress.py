"""Progress on the terminal: what is being done and for how long.

On a terminal one live line with a spinner; elsewhere one line when a step starts to take long, one every half minute
after that, and one when it ends. Everything goes to stderr.
"""

import threading
import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TextIO

from verify.model.progress import Stage

_QUIET_SECONDS = 2.0
_REPEAT_SECONDS = 30.0


def show_seconds(seconds: float) -> str:
    """Elapsed time for people: `0.42 s`, `12 s`, `3 min 05 s`."""
    if seconds < 10:
        return f"{seconds:.2f} s"
    whole = round(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60:02d} s"


class TerminalProgress:
    """Tells steps on `stream`."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()

    def stage(self, what: str) -> AbstractContextManager[Stage]:
        """Enter a step."""
        return _LiveStage(self._stream, what) if self._live else _LineStage(self._stream, what)


class _Timed:
    """A step that knows when it started and what was last told."""

    def __init__(self, stream: TextIO, what: str) -> None:
        self._stream = stream
        self._what = what
        self._detail = ""
        self._outcome = ""
        self._start = time.monotonic()
        self._left = threading.Event()
        self._clock = threading.Thread(target=self._watch, daemon=True)

    def tell(self, detail: str) -> None:
        """Replace the detail."""
        self._detail = detail.replace("\n", " ")

    def outcome(self, text: str) -> None:
        """Set how it ended."""
        self._outcome = text

    def _elapsed(self) -> str:
        return show_seconds(time.monotonic() - self._start)

    def _watch(self) -> None:
        raise NotImplementedError

    def __enter__(self) -> "_Timed":
        self._clock.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        self._clock.join()
        ended = self._outcome or ("done" if kind is None else "stopped")
        self._finish(f"{self._what}: {ended} ({self._elapsed()})")

    def _finish(self, line: str) -> None:
        raise NotImplementedError


class _LineStage(_Timed):
    """For logs: few whole lines."""

    def _watch(self) -> None:
        wait = _QUIET_SECONDS
        while not self._left.wait(wait):
            wait = _REPEAT_SECONDS
            detail = f": {self._detail}" if self._detail else ""
            print(f"{self._what} ({self._elapsed()}){detail}", file=self._stream, flush=True)

    def _finish(self, line: str) -> None:
        print(line, file=self._stream, flush=True)


class _LiveStage(_Timed):
    """For people: one line that changes."""

    def _watch(self) -> None:
        import shutil

        while not self._left.wait(0.2):
            width = shutil.get_terminal_size().columns
            detail = f"  {self._detail}" if self._detail else ""
            line = f"… {self._what} ({self._elapsed()}){detail}"
            self._stream.write("\r\x1b[K" + line[: width - 1])
            self._stream.flush()

    def _finish(self, line: str) -> None:
        self._stream.write("\r\x1b[K" + line + "\n")
        self._stream.flush()
