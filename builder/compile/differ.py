"""Two builds of one tree, byte for byte, and what is known of each difference.

Takes two kept build folders and the lanes they were made in; gives every file that differs with the reasons that can
be read off: paths of the build folder, dates and times of compiling, and the sources whose objects differ.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from builder.compile.anatomy import kept_anatomy

_DATE = re.compile(rb"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ 0-3]\d (?:19|20)\d\d")
_TIME = re.compile(rb"(?<!\d)[0-2]\d:[0-5]\d:[0-5]\d(?!\d)")
_STRING = re.compile(rb"[\x20-\x7e]{6,}")
_MOST = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDifference:
    """One file that is not the same: where its bytes first differ (None where a side lacks it), and why."""

    name: str
    offset: int | None
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Every differing file, and the sources whose objects differ (None where objects were not kept)."""

    files: tuple[FileDifference, ...]
    sources: tuple[str, ...] | None
    compared: int


def differ(one: Path, two: Path, *, lanes: tuple[Path, Path]) -> Difference:
    """Compare two kept builds; `lanes` are the folders that they were made in."""
    names = sorted({path.name for folder in (one, two) for path in (folder / "bin").iterdir() if not path.is_symlink()})
    found = [each for name in names if (each := _file(one / "bin" / name, two / "bin" / name, lanes)) is not None]
    return Difference(files=tuple(found), sources=_sources(one, two), compared=len(names))


def _file(one: Path, two: Path, lanes: tuple[Path, Path]) -> FileDifference | None:
    if not one.exists() or not two.exists():
        place = "first" if one.exists() else "second"
        return FileDifference(name=one.name, offset=None, reasons=(f"only the {place} build made it",))
    left, right = one.read_bytes(), two.read_bytes()
    if left == right:
        return None
    offset = next(
        (at for at, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    return FileDifference(name=one.name, offset=offset, reasons=tuple(_reasons(left, right, lanes)))


def _reasons(left: bytes, right: bytes, lanes: tuple[Path, Path]) -> list[str]:
    reasons = []
    if len(left) != len(right):
        reasons.append(f"{len(left)} and {len(right)} bytes")
    for data, lane in ((left, lanes[0]), (right, lanes[1])):
        if str(lane).encode() in data:
            reasons.append(f"it holds the path of its build folder, {lane}")
    own = [sorted(set(_STRING.findall(a)) - set(_STRING.findall(b))) for a, b in ((left, right), (right, left))]
    told = [text for texts in own for text in texts]
    if any(_DATE.search(text) for text in told):
        reasons.append("it holds a date of its making (`__DATE__`)")
    if any(_TIME.search(text) for text in told):
        reasons.append("it holds a time of its making (`__TIME__`)")
    reasons += (f"text of one alone: {text[:100].decode('ascii')}" for text in told[:_MOST])
    return reasons


def _sources(one: Path, two: Path) -> tuple[str, ...] | None:
    left, right = kept_anatomy(one), kept_anatomy(two)
    if left is None or right is None:
        return None
    known = {each.name: each.sha256 for each in right.objects}
    return tuple(sorted({each.source for each in left.objects if known.get(each.name) != each.sha256}))
