"""Accepted deviations: numbered, and each bounded in what it covers and in how long it stands.

A finding is covered by content: the gate that made it, its code, and what it names. `names_of` says what a finding
names (its place's file, and whatever stands in backticks in its message or notes), so that no gate needs to know of
deviations. When a deviation ends is read off what is declared, never off a clock.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from verify.model.block import Person
from verify.model.diagnostic import Finding
from verify.model.ids import CommitId, GateName, ReleaseName, TreeId

REGISTER = "blocks/deviations.yaml"
"""Where the register lies, relative to the project."""

_NAMED = re.compile(r"`([^`\n]+)`")


class Trigger(StrEnum):
    """What ends a deviation."""

    RELEASE = "release"
    BASE = "base"
    UPSTREAM = "upstream"
    DATE = "date"
    PASSES = "passes"


@dataclass(frozen=True, slots=True, kw_only=True)
class Until:
    """What ends a deviation: `value` is the release that must not have it any more, the base tree or upstream commit
    that it was accepted on, or the last day (YYYY-MM-DD) that it stands; empty for `passes`, which every one ends by.
    """

    trigger: Trigger
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Deviation:
    """One accepted difference. It covers findings of `gate` with the code `finding` that name every one of `names`.

    `evidence` are digests of records or words; `since` is a day (YYYY-MM-DD).
    """

    number: int
    gate: GateName
    finding: str
    names: tuple[str, ...]
    reason: str
    evidence: tuple[str, ...]
    owner: Person
    since: str
    until: Until

    def covers(self, gate: GateName, finding: Finding) -> bool:
        """Whether the finding of that gate is the one that was accepted."""
        return self.gate == gate and self.finding == finding.code and set(self.names) <= names_of(finding)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedDeviation:
    """A number that was given once and is never given again: the gate it was about and what ended it."""

    number: int
    gate: GateName
    ended: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What of a release ends deviations; `day` is that of its newest fold (YYYY-MM-DD), empty without folds."""

    release: ReleaseName
    parent: ReleaseName | None
    base_tree: TreeId
    upstream_commit: CommitId | None
    day: str


def newest_day(dates: Iterable[str]) -> str:
    """The latest day among dates as folds have them (`@SECONDS +ZZZZ`), in UTC; empty for none."""
    seconds = [int(date[1:].partition(" ")[0]) for date in dates if date.startswith("@")]
    if not seconds:
        return ""
    # Not `fromtimestamp`: it fails beyond what the platform's clock can say.
    return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=max(seconds))).strftime("%Y-%m-%d")


def names_of(finding: Finding) -> frozenset[str]:
    """What a finding names: its file, and the words in backticks of its message and notes."""
    words = {word for text in (finding.message, *finding.notes) for word in _NAMED.findall(text)}
    return frozenset(words | ({finding.place.file} if finding.place else set()))


def ended_by(deviation: Deviation, standing: Standing) -> str:
    """Why a deviation does not stand any more for this release; empty while it does."""
    value = deviation.until.value
    match deviation.until.trigger:
        case Trigger.RELEASE if value in (standing.release, standing.parent):
            return f"it was accepted until release `{value}`, and this is `{standing.release}`"
        case Trigger.BASE if value != standing.base_tree:
            return f"it was accepted on base {value}, and the base is {standing.base_tree}"
        case Trigger.UPSTREAM if value != standing.upstream_commit:
            return f"it was accepted on upstream {value}, and upstream is at {standing.upstream_commit or 'no commit'}"
        case Trigger.DATE if standing.day > value:
            return f"it was accepted until {value}, and the newest fold is of {standing.day}"
        case _:
            return ""
