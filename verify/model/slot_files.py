"""A slot that is saved to a file and comes back: how the probe `slot-files` is run and what it sees."""

from dataclasses import dataclass
from enum import StrEnum

from verify.model.ids import Sha256
from verify.model.observation import Answer, LoadedFile, MarkCount
from verify.model.session import Drawn, Mark, ServerSettings


class Damage(StrEnum):
    """What a file that must be refused looks like; each file that a save wrote is damaged in turn.

    `missing`: it is not there. `empty`: no byte is left. `half`: the first half. `tail`: the last byte is gone.
    `head`: the first four bytes are others. `foreign`: as long, and nothing that the engine wrote.
    """

    MISSING = "missing"
    EMPTY = "empty"
    HALF = "half"
    TAIL = "tail"
    HEAD = "head"
    FOREIGN = "foreign"


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFilesSettings:
    """A prompt of `prompt` tokens is read and saved; later requests go on from what the slot holds.

    `branch` is how many of its tokens a request shares that then goes another way, `fresh` how many new tokens follow.
    """

    server: ServerSettings
    drawn: Drawn
    prompt: int
    branch: int
    fresh: int
    generate: int
    probabilities: int
    seed: int
    damages: tuple[Damage, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFile:
    """A file that a save wrote: `suffix` is what its name has behind the one that was asked for."""

    suffix: str
    sha256: Sha256
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotAction:
    """What the engine answered to a save or restore: whether it was done, how many tokens, or what it said."""

    done: bool
    tokens: int
    said: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A restore from a damaged file into a slot that holds the prompt, and how that prompt went on afterwards.

    `broke` says how the server ended where it broke down over the file; then there is no answer afterwards.
    """

    damage: Damage
    suffix: str
    restore: SlotAction | None
    after: Answer | None
    broke: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFilesArm:
    """What one arm did.

    `live` are the requests behind `first` in the slot that was saved, `resumed` the same in a new server's slot after
    the restore. `saved_again` are the files of a save right after that restore. `older` is the restore of the first
    arm's file, and `from_older` the first request behind it; None and nothing on the first arm itself.
    """

    arm: str
    save: SlotAction
    files: tuple[SlotFile, ...]
    restore: SlotAction
    saved_again: tuple[SlotFile, ...]
    live: tuple[Answer, ...]
    resumed: tuple[Answer, ...]
    refusals: tuple[Refusal, ...]
    older: SlotAction | None
    from_older: tuple[Answer, ...]
    marks: tuple[MarkCount, ...]
    loaded: tuple[LoadedFile, ...]
    command: tuple[str, ...]
    peak_kib: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotFilesObservation:
    """Every arm, in the order of the need."""

    arms: tuple[SlotFilesArm, ...]
    seconds: float
