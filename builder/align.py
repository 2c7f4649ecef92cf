"""Which line of one text is which line of another: the ground of a three-way merge.

Lines that stand once in both texts are anchors (their longest common order is taken); between anchors a shortest
edit script is searched. Where lines repeat, an alignment is a choice; `align` therefore makes it twice, from the
front and from the back, and whoever needs certainty asks whether both agree. A region too large for a search counts
as changed, which can only lead to a conflict and never to a wrong place.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

UNMATCHED = -2
_Pairs = list[tuple[int, int]]
_LARGEST = 4_000_000  # cells of a search between two anchors
_MOST_EDITS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """For each line of the base its line in the other text, `UNMATCHED` where it has none."""

    to_other: tuple[int, ...]

    def of(self, line: int) -> int:
        """The other line of a base line (0-based); the line in front of the first and behind the last are aligned."""
        return self.to_other[line + 1]


def align(base: Sequence[bytes], other: Sequence[bytes]) -> tuple[Alignment, Alignment]:
    """The alignment made from the front and the one made from the back."""
    numbers: dict[bytes, int] = {}
    left = [numbers.setdefault(line, len(numbers)) for line in base]
    right = [numbers.setdefault(line, len(numbers)) for line in other]
    front = _pairs(left, right)
    back = [(len(left) - 1 - a, len(right) - 1 - b) for a, b in _pairs(left[::-1], right[::-1])]
    return _alignment(front, len(left), len(right)), _alignment(back, len(left), len(right))


def _alignment(pairs: _Pairs, size: int, other_size: int) -> Alignment:
    to_other = [UNMATCHED] * size
    for a, b in pairs:
        to_other[a] = b
    return Alignment(to_other=(-1, *to_other, other_size))


def _pairs(left: list[int], right: list[int]) -> _Pairs:
    found: _Pairs = []
    todo = [(0, len(left), 0, len(right))]
    while todo:
        a, a_end, b, b_end = todo.pop()
        while a < a_end and b < b_end and left[a] == right[b]:
            found.append((a, b))
            a, b = a + 1, b + 1
        while a < a_end and b < b_end and left[a_end - 1] == right[b_end - 1]:
            a_end, b_end = a_end - 1, b_end - 1
            found.append((a_end, b_end))
        if a == a_end or b == b_end:
            continue
        anchors = _anchors(left[a:a_end], right[b:b_end])
        if not anchors:
            found += ((a + x, b + y) for x, y in _shortest(left[a:a_end], right[b:b_end]))
            continue
        for x, y in anchors:
            found.append((a + x, b + y))
        edges = [(-1, -1), *anchors, (a_end - a, b_end - b)]
        for (x, y), (next_x, next_y) in pairwise(edges):
            todo.append((a + x + 1, a + next_x, b + y + 1, b + next_y))
    return found


def _anchors(left: list[int], right: list[int]) -> _Pairs:
    """Lines that stand once on both sides, in the longest order that both sides share."""
    lefts, rights = Counter(left), Counter(right)
    where = {line: at for at, line in enumerate(right) if rights[line] == 1}
    unique = [(at, where[line]) for at, line in enumerate(left) if lefts[line] == 1 and line in where]
    tops: list[int] = []  # patience: the smallest right end of an increasing run of each length
    rows: list[int] = []
    back: list[int] = []
    for row, (_, at) in enumerate(unique):
        pile = bisect_left(tops, at)
        if pile == len(tops):
            tops.append(at)
            rows.append(row)
        else:
            tops[pile], rows[pile] = at, row
        back.append(rows[pile - 1] if pile else -1)
    chain: _Pairs = []
    row = rows[-1] if rows else -1
    while row >= 0:
        chain.append(unique[row])
        row = back[row]
    return chain[::-1]


def _shortest(left: list[int], right: list[int]) -> _Pairs:
    """A shortest edit script's common lines, greedy from the front."""
    size, other = len(left), len(right)
    if size * other > _LARGEST:
        return []
    reach = {1: 0}
    history: list[dict[int, int]] = []
    for edits in range(min(size + other, _MOST_EDITS) + 1):
        history.append(dict(reach))
        for diagonal in range(-edits, edits + 1, 2):
            down = diagonal == -edits or (
                diagonal != edits and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1)
            )
            x = reach.get(diagonal + 1, 0) if down else reach.get(diagonal - 1, 0) + 1
            y = x - diagonal
            while x < size and y < other and left[x] == right[y]:
                x, y = x + 1, y + 1
            reach[diagonal] = x
            if x >= size and y >= other:
                return _trace(history, size, other)
    return []


def _trace(history: list[dict[int, int]], x: int, y: int) -> _Pairs:
    pairs: _Pairs = []
    for edits in range(len(history) - 1, -1, -1):
        reach = history[edits]
        diagonal = x - y
        down = diagonal == -edits or (diagonal != edits and reach.get(diagonal - 1, -1) < reach.get(diagonal + 1, -1))
        before = diagonal + 1 if down else diagonal - 1
        old_x = reach.get(before, 0)
        old_y = old_x - before
        while x > old_x and y > old_y and x > 0 and y > 0:
            x, y = x - 1, y - 1
            pairs.append((x, y))
        if edits:
            x, y = old_x, old_y
    return pairs[::-1]
