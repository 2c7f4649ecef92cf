"""Which lines of two texts correspond: the runs of removed and added lines from one to the other; pure.

Lines that stand once on both sides are the anchors (patience): moved braces and blank lines never pull a function
apart. Between two anchors, where no line is unique, the shortest edit is searched as far as it stays small; beyond
that the old lines go and the new ones come. The answer depends on the two texts alone, on no version of any tool.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence

from builder.canonical import Run

_MOST_EDITS = 200

_Lines = Sequence[bytes]
_Span = tuple[int, int, int, int]  # from and to on the old side, from and to on the new one


def runs_between(old: bytes, new: bytes) -> tuple[Run, ...]:
    """What has to be removed and added, in order, to make `new` of `old`."""
    olds, news = split_lines(old), split_lines(new)
    kept = [*sorted(_kept(olds, news)), (len(olds), len(news))]
    runs = []
    at = old_line = new_line = 0
    for next_old, next_new in kept:
        removed, added = olds[old_line:next_old], news[new_line:next_new]
        if removed or added:
            signed = (*((b"-", line) for line in removed), *((b"+", line) for line in added))
            runs.append(Run(at=at, line=old_line + 1, lines=signed))
        at += sum(map(len, olds[old_line : next_old + 1]))
        old_line, new_line = next_old + 1, next_new + 1
    return tuple(runs)


def split_lines(text: bytes) -> list[bytes]:
    """The lines with their ends; only LF ends a line, and the last one may have no end."""
    lines = [line + b"\n" for line in text.split(b"\n")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def _kept(old: _Lines, new: _Lines) -> Iterator[tuple[int, int]]:
    """Pairs of places that hold the same line and are kept; no two of them cross."""
    todo: list[_Span] = [(0, len(old), 0, len(new))]
    while todo:
        a, b, c, d = todo.pop()
        while a < b and c < d and old[a] == new[c]:
            yield a, c
            a, c = a + 1, c + 1
        while a < b and c < d and old[b - 1] == new[d - 1]:
            b, d = b - 1, d - 1
            yield b, d
        if a == b or c == d:
            continue
        anchors = _anchors(old, new, (a, b, c, d))
        if anchors:
            yield from anchors
            ends = [*anchors, (b, d)]
            starts = [(a, c), *((i + 1, j + 1) for i, j in anchors)]
            todo += ((a, b, c, d) for (a, c), (b, d) in zip(starts, ends, strict=True))
        else:
            yield from ((a + i, c + j) for i, j in _shortest(old[a:b], new[c:d]))


def _anchors(old: _Lines, new: _Lines, span: _Span) -> list[tuple[int, int]]:
    """The longest row of lines that are unique on both sides and stand in the same order there."""
    a, b, c, d = span
    olds, news = Counter(old[a:b]), Counter(new[c:d])
    place = {new[j]: j for j in range(c, d) if news[new[j]] == 1}
    pairs = [(i, place[old[i]]) for i in range(a, b) if olds[old[i]] == 1 and old[i] in place]
    ends: list[int] = []  # the smallest last place of a row of each length
    last: list[int] = []  # the pair that it belongs to
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        before.append(last[length - 1] if length else -1)
        ends[length : length + 1], last[length : length + 1] = [j], [number]
    row = []
    number = last[-1] if last else -1
    while number >= 0:
        row.append(pairs[number])
        number = before[number]
    return row[::-1]


def _shortest(old: _Lines, new: _Lines) -> list[tuple[int, int]]:
    """The lines that the shortest edit keeps; none when it takes too many steps to find."""
    reach = {1: 0}  # how far along `old` each diagonal was followed
    history: list[dict[int, int]] = []
    for edits in range(min(len(old) + len(new), _MOST_EDITS) + 1):
        history.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            x = _start(reach, diagonal, edits)
            while x < len(old) and 0 <= x - diagonal < len(new) and old[x] == new[x - diagonal]:
                x += 1
            reach[diagonal] = x
            if x == len(old) and x - diagonal == len(new):
                return _walked_back(history, len(old), len(new))
    return []


def _start(reach: dict[int, int], diagonal: int, edits: int) -> int:
    """Where the diagonal is entered: by an added line from the one above, or by a removed one from the one below."""
    down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
    return reach[diagonal + 1] if down else reach[diagonal - 1] + 1


def _walked_back(history: list[dict[int, int]], x: int, y: int) -> list[tuple[int, int]]:
    kept = []
    for edits in range(len(history) - 1, -1, -1):
        reach, diagonal = history[edits], x - y
        start = _start(reach, diagonal, edits)
        while x > start and x > 0 and y > 0:
            x, y = x - 1, y - 1
            kept.append((x, y))
        down = diagonal == -edits or (diagonal != edits and reach[diagonal - 1] < reach[diagonal + 1])
        x, y = (start, y - 1) if down else (start - 1, y)
    return kept
