"""What each block weighs: warnings, errors, time, objects, binaries and exported symbols, against another build; pure.

Takes two builds with their objects and exports; gives the difference. An object counts as the block's own when its
bytes differ from those below, so a header that everything includes weighs what it costs.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from builder.compile.anatomy import Anatomy
from verify.model.observation import BuildObservation, CompilerMessage

Exports = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A build with what explains it; None where that is not known."""

    observation: BuildObservation
    anatomy: Anatomy | None
    exports: Exports | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """What one build has more than another.

    `objects` are the names of those that differ or are new, `object_bytes` and `binary_bytes` how much larger all are,
    `compile_seconds` what the compiler took for those objects (next to nothing where they came from its cache).
    """

    warnings: tuple[CompilerMessage, ...]
    errors: tuple[CompilerMessage, ...]
    objects: tuple[str, ...] | None
    object_bytes: int | None
    compile_seconds: float | None
    binary_bytes: int
    came: tuple[str, ...] | None
    gone: tuple[str, ...] | None


def weigh(build: Weighed, other: Weighed) -> Weight:
    """What `build` has more than `other`."""
    objects, size, seconds = _objects(build.anatomy, other.anatomy)
    came, gone = _exports(build.exports, other.exports)
    return Weight(
        warnings=new_messages(build.observation.warnings, other.observation.warnings),
        errors=new_messages(build.observation.errors, other.observation.errors),
        objects=objects,
        object_bytes=size,
        compile_seconds=seconds,
        binary_bytes=_size(build.observation) - _size(other.observation),
        came=came,
        gone=gone,
    )


def new_messages(messages: Iterable[CompilerMessage], known: Iterable[CompilerMessage]) -> tuple[CompilerMessage, ...]:
    """Messages beyond the known ones; lines move, so they are not compared."""
    left = Counter((each.file, each.text, each.flag) for each in set(known))
    found = []
    for each in sorted(set(messages), key=lambda each: (each.file, each.line, each.text)):
        if left[each.file, each.text, each.flag] > 0:
            left[each.file, each.text, each.flag] -= 1
        else:
            found.append(each)
    return tuple(found)


def _size(observation: BuildObservation) -> int:
    return sum(each.size for each in observation.artifacts)


def _objects(build: Anatomy | None, other: Anatomy | None) -> tuple[tuple[str, ...] | None, int | None, float | None]:
    if build is None or other is None:
        return None, None, None
    known = {each.name: each.sha256 for each in other.objects}
    own = [each for each in build.objects if known.get(each.name) != each.sha256]
    size = sum(each.size for each in build.objects) - sum(each.size for each in other.objects)
    return tuple(each.name for each in own), size, round(sum(each.seconds for each in own), 3)


def _exports(build: Exports | None, other: Exports | None) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    if build is None or other is None:
        return None, None
    here = {f"{library}:{name}" for library, names in build.items() for name in names}
    there = {f"{library}:{name}" for library, names in other.items() for name in names}
    return tuple(sorted(here - there)), tuple(sorted(there - here))
