"""Operations of traced graphs, compared: which are the same on both sides, and which is the first that is not.

Operations are matched by name, kind and occurrence, so that one which only one side computes does not shift the rest.
Results of several graphs (tokens that went through a few at a time) are put together along the dimension that counts
tokens, which is the one where shapes of the two sides differ and sums agree. Attention scores are taken before the mask
there: a wide graph has already written keys that a narrow one has not, so only what a token may see is compared.
"""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from verify.model.library import OperationDifference

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Numbers = npt.NDArray[np.float64]

SHOWN = 24
"""How many differing operations are told one by one."""

_TYPES = {"f32": "<f4", "f16": "<f2", "i32": "<i4", "i64": "<i8"}
_LAYER = re.compile(r"-([0-9]+)(?: |$)")
_SCORES = re.compile(r"^kq-[0-9]+$")
"""What the engine calls attention scores before the mask: a row a token, a column a cell."""
_UNNAMED = re.compile(r"^(node|leaf)_[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class TracedOperation:
    """One line of a trace: name, kind, element type, shape (fastest first), digest, and its bytes where kept."""

    name: str
    op: str
    type: str
    shape: tuple[int, ...]
    sha256: str
    data: bytes | None

    def label(self) -> tuple[str, str]:
        """What it is matched by; the numbers of unnamed ones depend on all that came before."""
        return _UNNAMED.sub(r"\1", self.name), self.op

    def layer(self) -> int:
        """The layer in its name, -1 where there is none."""
        found = _LAYER.search(self.name)
        return int(found[1]) if found else -1

    def numbers(self) -> "Numbers | None":
        """Its elements, slowest dimension first; None where they are not kept or of a type that is not read."""
        import numpy as np

        if self.data is None or self.type not in _TYPES:
            return None
        return np.frombuffer(self.data, dtype=_TYPES[self.type]).astype(np.float64).reshape(self.shape[::-1])


Graph = Sequence[TracedOperation]


@dataclass(slots=True)
class Compared:
    """What has been found so far, over all graphs that were compared."""

    compared: int = 0
    differ: int = 0
    first: list[OperationDifference] = field(default_factory=list)
    lacking: dict[str, None] = field(default_factory=dict)


def read_operations(path: Path) -> list[TracedOperation]:
    """The operations that a child wrote under this name, in the order of computing."""
    found = []
    with path.with_suffix(".bin").open("rb") as data, path.with_suffix(".ops").open(encoding="utf-8") as lines:
        for line in lines:
            said = json.loads(line)
            found.append(
                TracedOperation(
                    name=said["name"],
                    op=said["op"],
                    type=said["type"],
                    shape=tuple(said["shape"]),
                    sha256=said["sha256"],
                    data=data.read(said["size"]) if said["size"] else None,
                )
            )
    return found


def compare(
    prompt: str, one: Sequence[Graph], two: Sequence[Graph], *, start: int, arms: tuple[str, str], found: Compared
) -> None:
    """Graphs that read the same tokens, from `start` on, on two sides; what differs is added to `found`."""
    mine, theirs = _by_label(one), _by_label(two)
    for label, arm in [(each, arms[0]) for each in mine.keys() - theirs.keys()] + [
        (each, arms[1]) for each in theirs.keys() - mine.keys()
    ]:
        found.lacking[f"{arm}: {label[0]} {label[1]}"] = None
    for index, label in enumerate(theirs):
        if label not in mine:
            continue
        difference = _difference(prompt, index, start, mine[label], theirs[label])
        if difference is None:
            continue
        found.compared += 1
        if isinstance(difference, OperationDifference):
            found.differ += 1
            if len(found.first) < SHOWN:
                found.first.append(difference)


@dataclass(frozen=True, slots=True)
class _Same:
    """Nothing differs."""


def _by_label(graphs: Sequence[Graph]) -> dict[tuple[str, str, int], list[TracedOperation]]:
    """Each operation by name, kind and occurrence, one entry a graph; those that not every graph has are left out."""
    found: dict[tuple[str, str, int], list[TracedOperation]] = {}
    for graph in graphs:
        seen: Counter[tuple[str, str]] = Counter()
        for operation in graph:
            label = operation.label()
            found.setdefault((*label, seen[label]), []).append(operation)
            seen[label] += 1
    return {label: operations for label, operations in found.items() if len(operations) == len(graphs)}


def _difference(
    prompt: str, index: int, start: int, one: Sequence[TracedOperation], two: Sequence[TracedOperation]
) -> OperationDifference | _Same | None:
    """How an operation differs; None where the two sides cannot be put beside each other."""
    last = two[-1]
    if len(one) == len(two) == 1:
        if (one[0].sha256, one[0].shape, one[0].type) == (last.sha256, last.shape, last.type):
            return _Same()
        mine, theirs = one[0].numbers(), last.numbers()
    else:
        axis = _token_axis(one, two)
        if axis is None:
            return None
        mine, theirs = _joined(one, axis), _joined(two, axis)
        if _SCORES.match(last.name) and mine is not None and theirs is not None:
            mine, theirs = _visible(mine, start), _visible(theirs, start)
    relative = maximum = -1.0
    if mine is not None and theirs is not None and mine.shape == theirs.shape:
        relative, maximum = _apart(mine, theirs)
        if maximum == 0.0 and len(one) + len(two) > 2:
            return _Same()
    elif mine is None and len(one) + len(two) > 2:
        return None
    return OperationDifference(
        index=index,
        prompt=prompt,
        name=last.name,
        op=last.op,
        layer=last.layer(),
        type=last.type,
        shape=last.shape,
        relative=relative,
        maximum=maximum,
    )


def _token_axis(one: Sequence[TracedOperation], two: Sequence[TracedOperation]) -> int | None:
    """The dimension along which the parts of both sides add up to the same; the slowest where several do."""
    for axis in reversed(range(len(one[0].shape))):
        sizes = {sum(each.shape[axis] for each in side) for side in (one, two)}
        others = {each.shape[:axis] + each.shape[axis + 1 :] for each in (*one, *two)}
        if len(sizes) == len(others) == 1 and one[0].shape[axis] != two[0].shape[axis]:
            return axis
    return None


def _joined(parts: Sequence[TracedOperation], axis: int) -> "Numbers | None":
    import numpy as np

    arrays = [each.numbers() for each in parts]
    whole = [each for each in arrays if each is not None]
    return np.concatenate(whole, axis=len(parts[0].shape) - 1 - axis) if len(whole) == len(arrays) else None


def _visible(scores: "Numbers", start: int) -> "Numbers":
    """Scores with zeros for the cells behind each token; tokens fill a fresh context from its first cell on."""
    import numpy as np

    tokens, cells = scores.shape[-2:]
    return np.where(np.arange(cells)[None, :] <= start + np.arange(tokens)[:, None], scores, 0.0)


def _apart(one: "Numbers", two: "Numbers") -> tuple[float, float]:
    """Relative L2 and the largest difference; -1 where one side is not finite and the other is another value."""
    import numpy as np

    gap = np.where(one == two, 0.0, one - np.where(one == two, 0.0, two))
    gap = np.where(one == two, 0.0, gap)
    if not np.isfinite(gap).all():
        return -1.0, -1.0
    norm = float(np.linalg.norm(np.where(np.isfinite(one), one, 0.0)))
    size = float(np.linalg.norm(gap))
    return (size / norm if norm else float(size > 0)), float(np.abs(gap).max())


def digest_of(graphs: Sequence[Graph]) -> str:
    """Names all results of some graphs."""
    digest = sha256()
    for graph in graphs:
        for each in graph:
            digest.update(repr((each.label(), each.type, each.shape, each.sha256)).encode())
    return digest.hexdigest()
