"""Rows of logits: read from the file that a child wrote, and told in few numbers beside the rows of another run.

The one module here that computes on whole rows; numpy is imported when it is first needed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from verify.model.library import Row
from verify.probe.bindings.script import Played

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Distance:
    """How two sequences of rows differ: how many do, the first that does (-1), by how much, how many share the top."""

    rows: int
    differ: int
    first: int
    difference: float
    same_top: int


def rows_of_steps(file: Path, played: Played) -> tuple["Numbers", ...]:
    """The rows of each step, an array of (rows, vocabulary) each; raises `ValueError` where the file lacks some."""
    import numpy as np

    counts = [done.rows for done in played.done]
    data = np.fromfile(file, dtype="<f4")
    if data.size != sum(counts) * played.vocabulary:
        raise ValueError(f"{data.size} logits came for {sum(counts)} rows of {played.vocabulary}")
    data = data.reshape(-1, played.vocabulary)
    ends = np.cumsum(counts)
    return tuple(data[end - count : end] for end, count in zip(ends, counts, strict=True))


def described(rows: "Numbers", reference: "Numbers") -> Iterator[Row]:
    """Each row with its distance to the reference's row at the same place; to itself where the reference has none."""
    import numpy as np

    for index, row in enumerate(rows):
        other = reference[index] if index < len(reference) else row
        finite = bool(np.isfinite(row).all() and np.isfinite(other).all())
        wide, base = row.astype(np.float64), other.astype(np.float64)
        gap = wide - base if finite else np.zeros(1)
        norm = float(np.linalg.norm(base)) if finite else 0.0
        yield Row(
            sha256=sha256(row.tobytes()).hexdigest(),
            top=int(row.argmax()) if finite else -1,
            spread=float(wide.max() - wide.min()) if finite else 0.0,
            difference=float(np.abs(gap).max()),
            relative=float(np.linalg.norm(gap)) / norm if norm else 0.0,
            finite=finite,
        )


def distance(rows: Sequence["Numbers"], others: Sequence["Numbers"]) -> Distance:
    """Rows of some steps against those of others, in order; bits are compared, not values."""
    import numpy as np

    mine, theirs = np.concatenate(rows), np.concatenate(others)
    if mine.shape != theirs.shape:
        raise ValueError(f"{len(mine)} rows against {len(theirs)}")
    different = (mine.view(np.uint32) != theirs.view(np.uint32)).any(axis=1)
    gap = np.abs(mine.astype(np.float64) - theirs.astype(np.float64))
    largest = float(gap.max()) if gap.size else 0.0
    return Distance(
        rows=len(mine),
        differ=int(different.sum()),
        first=int(different.argmax()) if different.any() else -1,
        difference=largest if np.isfinite(largest) else -1.0,
        same_top=int((mine.argmax(axis=1) == theirs.argmax(axis=1)).sum()),
    )
