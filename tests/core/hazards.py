"""Hazard shapes from a generator: files and patches on which the usual tools answer wrong without a word.

Every generator takes a seed and gives another shape of the same hazard, so that a rule is never fitted to one example.
"""

import random
from dataclasses import dataclass

from builder.canonical import Run, canonical_hunks, split_lines
from verify.model.patch import Hunk


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A recorded file, the file as upstream has it now, a change on the recorded one, and the right result.

    `right` is None where nothing may be placed.
    """

    recorded: bytes
    present: bytes
    hunks: tuple[Hunk, ...]
    right: bytes | None


def _function(name: str, body: list[bytes]) -> list[bytes]:
    return [b"int %s(void)\n" % name.encode(), b"{\n", *body, b"}\n", b"\n"]


def _body(rng: random.Random) -> list[bytes]:
    return [b"\tstep_%d();\n" % number for number in range(rng.randint(7, 14))]


def _hunk(recorded: bytes, line: int, removed: int, added: list[bytes]) -> tuple[Hunk, ...]:
    lines = split_lines(recorded)
    at = sum(map(len, lines[: line - 1]))
    signed = [(b"-", text) for text in lines[line - 1 : line - 1 + removed]] + [(b"+", text) for text in added]
    return tuple(item.hunk for item in canonical_hunks(recorded, (Run(at=at, line=line, lines=tuple(signed)),)))


def same_bodies(seed: int) -> Shape:
    """E3: two functions with one body, and upstream inserts a third above them."""
    rng = random.Random(seed)
    body = _body(rng)
    names = rng.sample(["alpha", "beta", "gamma", "delta", "omega"], 3)
    first, second = _function(names[0], body), _function(names[1], body)
    third = _function(names[2], body)
    at = rng.randint(3, len(body) - 4)
    target = rng.choice((0, 1))  # which of the two is changed
    line = target * len(first) + 3 + at
    recorded = first + second
    changed = list(recorded)
    changed[line - 1 : line - 1] = [b"\tnew();\n"]
    right = third + changed
    return Shape(
        recorded=b"".join(recorded),
        present=b"".join(third + recorded),
        hunks=_hunk(b"".join(recorded), line, 0, [b"\tnew();\n"]),
        right=b"".join(right),
    )


def already_there(seed: int) -> Shape:
    """E4: upstream has the change already, and the context is blank or repeated lines."""
    rng = random.Random(seed)
    filler = rng.choice((b"\n", b"}\n", b"\t;\n"))
    before, after = rng.randint(4, 9), rng.randint(4, 9)
    head, tail = [b"head\n"] * rng.randint(0, 1), [b"tail\n"] * rng.randint(0, 1)
    recorded = [*head, *[filler] * (before + after), *tail]
    added = [b"added %d\n" % number for number in range(rng.randint(1, 3))]
    line = len(head) + before + 1
    present = recorded[: line - 1] + added + recorded[line - 1 :]
    if rng.random() < 0.5:
        present = [b"upstream added this\n", *present]
    text = b"".join(present)
    return Shape(recorded=b"".join(recorded), present=text, hunks=_hunk(b"".join(recorded), line, 0, added), right=text)


def changed_under_us(seed: int) -> Shape:
    """Upstream changed the very lines: nothing may be placed, wherever the old lines still stand."""
    rng = random.Random(seed)
    body = _body(rng)
    at = rng.randint(3, len(body) - 4)
    recorded = _function("one", body) + _function("two", body)
    present = list(recorded)
    present[2 + at] = b"\tupstream();\n"
    return Shape(
        recorded=b"".join(recorded),
        present=b"".join(present),
        hunks=_hunk(b"".join(recorded), 3 + at, 1, [b"\tours();\n"]),
        right=None,
    )


def only_moved(seed: int) -> Shape:
    """Upstream changed far away lines: the hunk moves along."""
    rng = random.Random(seed)
    recorded = [b"line %d\n" % number for number in range(60)]
    line = rng.randint(20, 40)
    added = [b"ours\n"]
    above = [b"upstream %d\n" % number for number in range(rng.randint(1, 9))]
    cut = rng.randint(0, 3)
    present = above + recorded[cut:]
    right = list(present)
    right[len(above) - cut + line - 1 : len(above) - cut + line] = added
    return Shape(
        recorded=b"".join(recorded),
        present=b"".join(present),
        hunks=_hunk(b"".join(recorded), line, 1, added),
        right=b"".join(right),
    )


def context_changed(seed: int) -> Shape:
    """Upstream changed a line of the context and not the line beside the change: the merge alone knows the place."""
    rng = random.Random(seed)
    recorded = [b"line %d\n" % number for number in range(40)]
    line = rng.randint(10, 30)
    present = list(recorded)
    present[line - 1 + rng.choice((-3, -2, 2, 3))] = b"upstream\n"
    right = list(present)
    right[line - 1] = b"ours\n"
    return Shape(
        recorded=b"".join(recorded),
        present=b"".join(present),
        hunks=_hunk(b"".join(recorded), line, 1, [b"ours\n"]),
        right=b"".join(right),
    )
