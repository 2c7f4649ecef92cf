"""Two lists as one that keeps the order of both as far as that can be. Pure."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

K = TypeVar("K", bound=Hashable)


def in_order(first: Sequence[K], second: Sequence[K]) -> list[K]:
    """The first list with what only the second has, each behind what it follows there.

    Both may have added something at one place: what the first list has stays in front.
    """
    merged = list(first)
    at = 0
    for item in second:
        if item in merged:
            at = merged.index(item) + 1
        else:
            while at < len(merged) and merged[at] not in second:
                at += 1
            merged.insert(at, item)
            at += 1
    return merged
