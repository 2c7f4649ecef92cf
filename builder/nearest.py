"""Why something is to be built: which part of which key is new, against the nearest record; and what it may cost.

Pure. Takes the key that is asked for and the records of builds that there are; gives the parts that differ from the
record that shares most, and an estimate from what like builds took.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from verify.model.codec import CodecError
from verify.model.evidence import Evidence, Key
from verify.model.observation import BuildObservation, decode_observation

Tools = Mapping[str, str]
"""Part of a toolchain → what identifies it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownBuild:
    """A record of a build, read."""

    key: Key
    observation: BuildObservation


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One part of a key that differs: what was recorded and what is asked for; empty where a side has none."""

    part: str
    was: str
    now: str

    def told(self) -> str:
        """The change in one line."""
        return f"{self.part}: {_short(self.was)} -> {_short(self.now)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a build may take, from the median of `of` earlier ones; `alike` when they differ in nothing but the tree."""

    cpu_seconds: float
    wall_seconds: float
    of: int
    alike: bool


def known_builds(records: Iterable[Evidence]) -> tuple[KnownBuild, ...]:
    """The records that read as builds."""
    found = []
    for record in records:
        try:
            observation = decode_observation(BuildObservation, record.observation)
        except CodecError:
            continue
        found.append(KnownBuild(key=record.key, observation=observation))
    return tuple(found)


def changes_from_nearest(
    key: Key, known: Sequence[KnownBuild], tools: Mapping[str, Tools]
) -> tuple[Change, ...] | None:
    """What differs from the record that shares most parts; None where there is no record.

    `tools` are the parts of toolchains by their digest, so that an exchanged compiler is named and not only a digest.
    """
    ranked = sorted(known, key=lambda each: (len(_differing(key, each.key)), each.key.digest))
    if not ranked:
        return None
    now, was = dict(key.parts), dict(ranked[0].key.parts)
    changes: list[Change] = []
    for part in _differing(key, ranked[0].key):
        old, new = was.get(part, ""), now.get(part, "")
        if part == "toolchain" and old in tools and new in tools:
            changes += _named(part, tools[old], tools[new])
        elif "\n" in old + new:
            changes += _lines(part, old, new)
        else:
            changes.append(Change(part=part, was=old, now=new))
    return tuple(changes)


def estimates(keys: Sequence[Key], known: Sequence[KnownBuild]) -> tuple[Estimate | None, ...]:
    """What these builds may take, one after another: as builds did that differ in their tree alone, by the median.

    Where there is none, the first of its recipe, options, tools and machine may compile everything: as long as the
    longest build known. Those after it find most in the compiler cache: the median of all.
    """
    whole = [each for each in known if each.observation.ok]
    found: list[Estimate | None] = []
    begun: list[Key] = []
    for key in keys:
        alike = [each for each in whole if not set(_differing(key, each.key)) - {"tree"}]
        first = not alike and not any(not set(_differing(key, each)) - {"tree"} for each in begun)
        begun.append(key)
        longest = sorted(whole, key=lambda each: each.observation.cpu_seconds)[-1:]
        chosen = alike or (longest if first else whole)
        found.append(_median_of(chosen, alike=bool(alike)) if chosen else None)
    return tuple(found)


def _median_of(chosen: Sequence[KnownBuild], *, alike: bool) -> Estimate:
    return Estimate(
        cpu_seconds=round(median(each.observation.cpu_seconds for each in chosen), 1),
        wall_seconds=round(median(each.observation.wall_seconds for each in chosen), 1),
        of=len(chosen),
        alike=alike,
    )


def _differing(key: Key, other: Key) -> tuple[str, ...]:
    now, was = dict(key.parts), dict(other.parts)
    return tuple(sorted(part for part in now.keys() | was.keys() if now.get(part) != was.get(part)))


def _named(part: str, was: Tools, now: Tools) -> list[Change]:
    names = sorted(was.keys() | now.keys())
    return [
        Change(part=f"{part} {name}", was=was.get(name, ""), now=now.get(name, ""))
        for name in names
        if was.get(name) != now.get(name)
    ]


def _lines(part: str, was: str, now: str) -> list[Change]:
    old, new = ({line.partition("=")[0]: line for line in text.split("\n") if line} for text in (was, now))
    return [
        Change(part=f"{part} {name}", was=old.get(name, ""), now=new.get(name, ""))
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name)
    ]


def _short(text: str) -> str:
    if not text:
        return "none"
    return text[:12] if len(text) in (40, 64) and all(each in "0123456789abcdef" for each in text) else text
