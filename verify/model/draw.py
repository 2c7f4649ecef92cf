"""Numbers drawn by a fixed rule, the same on every machine and for every version of Python: SplitMix64."""

from collections.abc import Iterator

_MASK = (1 << 64) - 1


def drawn_numbers(seed: int) -> Iterator[int]:
    """An endless stream of 64-bit numbers that depends on the seed alone."""
    state = seed & _MASK
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)
