"""A text that is searched for whole lines at C speed, and asked for line numbers only where something is found.

Places are looked at from a guessed line outwards, and as few as the caller takes, so that a file of one line a million
times is no reason to wait.
"""

from collections.abc import Iterator

from builder.hunks import offset_of_line

Place = tuple[int, int]  # byte and line (1-based)


class WholeLines:
    """One text; see the module."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def near(self, lines: bytes, guess: int) -> Iterator[Place]:
        """Every place where these whole lines stand, the nearest to the guessed line first, below before above."""
        start = offset_of_line(self.content, 0, max(guess, 1) - 1)
        start = len(self.content) if start is None else start
        first = guess if start < len(self.content) else self.content.count(b"\n") + 1
        below, above = self._below(lines, start, first), self._above(lines, start, first)
        low, high = next(above, None), next(below, None)
        while low is not None or high is not None:
            if high is not None and (low is None or high[1] - guess <= guess - low[1]):
                yield high
                high = next(below, None)
            elif low is not None:
                yield low
                low = next(above, None)

    def _below(self, lines: bytes, start: int, line: int) -> Iterator[Place]:
        at, known = self.content.find(lines, start), start
        while at >= 0 and lines:
            if self._is_whole(lines, at):
                line += self.content.count(b"\n", known, at)
                known = at
                yield at, line
            at = self.content.find(lines, at + 1)

    def _above(self, lines: bytes, start: int, line: int) -> Iterator[Place]:
        at, known = self.content.rfind(lines, 0, start + len(lines) - 1) if lines else -1, start
        while at >= 0:
            if self._is_whole(lines, at):
                line -= self.content.count(b"\n", at, known)
                known = at
                yield at, line
            at = self.content.rfind(lines, 0, at + len(lines) - 1)

    def _is_whole(self, lines: bytes, at: int) -> bool:
        starts = at == 0 or self.content[at - 1] == 0x0A
        return starts and (lines.endswith(b"\n") or at + len(lines) == len(self.content))

    def at_end(self, lines: bytes) -> list[Place]:
        """The place of these whole lines as the last ones."""
        at = len(self.content) - len(lines)
        if at < 0 or not self.content.endswith(lines) or not self._is_whole(lines, at):
            return []
        return [(at, self.content.count(b"\n", 0, at) + 1)]

    def place_of(self, line: int) -> list[Place]:
        """The place where a line (1-based) starts; the line behind the last one starts at the end."""
        at = offset_of_line(self.content, 0, line - 1)
        return [] if at is None else [(at, line)]
