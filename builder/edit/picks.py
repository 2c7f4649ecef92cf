"""Which part of a submission is meant: `GLOB`, or `GLOB#1,3-5` for some hunks of the files that the glob matches.

Hunks are counted from 1 within each file of a submission, in its own order. A file that comes, goes or moves is taken
whole, since half of it is no change that anybody made.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from builder.exchange.targets import stripped
from verify.diff.submission import Section
from verify.manifest.mistakes import listed
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.glob import glob_matches, unsafe_glob
from verify.model.ids import RepoPath, show_path
from verify.model.patch import Hunk

_NUMBERS = re.compile(r"[0-9]{1,6}(?:-[0-9]{1,6})?(?:,[0-9]{1,6}(?:-[0-9]{1,6})?)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pick:
    """A glob and the hunks of each file that it matches; None for all of the file."""

    glob: str
    hunks: frozenset[int] | None
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A file of a submission, or some hunks of it (`hunks` as counted in the submission, None for all)."""

    path: RepoPath
    hunks: tuple[int, ...] | None

    def shown(self) -> str:
        """The piece in words."""
        if self.hunks is None:
            return show_path(self.path)
        word = "hunk" if len(self.hunks) == 1 else "hunks"
        return f"{show_path(self.path)} {word} {', '.join(map(str, self.hunks))}"


def read_pick(text: str) -> Pick:
    """A pick as written on the command line."""
    glob, mark, numbers = text.rpartition("#")
    if not mark:
        glob, numbers = text, ""
    problem = "it is empty" if not glob else unsafe_glob(glob) if set(glob) - set("*/") else None
    if problem or (mark and _NUMBERS.fullmatch(numbers) is None):
        raise InputFault(
            Diagnostic(
                code="pick-malformed",
                message=f"`{text}` does not say which part of a patch is meant",
                notes=("expected GLOB, or GLOB#NUMBERS such as src/a.cpp#1,3-5", *([problem] if problem else [])),
                help="stackproof explain pick-malformed",
            )
        )
    hunks: set[int] = set()
    for part in numbers.split(",") if mark else ():
        first, _, last = part.partition("-")
        hunks.update(range(int(first), int(last or first) + 1))
    return Pick(glob=glob, hunks=frozenset(hunks) if mark else None, written=text)


def path_of(section: Section, strip: int) -> RepoPath:
    """The file that a section is about: its new name, or the old one of a file that goes."""
    moved = [stripped(name, max(strip - 1, 0)) for name in section.moved[::-1]]
    header = section.header_names(strip) or (None, None)
    named = [stripped(name, strip) for name in (section.new.name, section.old.name, header[1], section.index_name)]
    return next((name for name in [*moved, *named] if name is not None), RepoPath(b""))


def matches(pick: Pick, path: RepoPath) -> bool:
    """Whether the pick's glob takes the path."""
    return not set(pick.glob) - set("*/") or glob_matches(pick.glob, path)


def divide(
    sections: Sequence[Section], picks: Sequence[Pick], strip: int, *, whole: Sequence[Section] | None = None
) -> tuple[tuple[Section, ...], tuple[Section, ...]]:
    """The sections that the picks take, and what is left of them.

    Hunks are counted in `whole`, the submission that the sections may be a part of already.
    """
    numbers = {
        (path_of(section, strip), hunk.source_line): number
        for section in (sections if whole is None else whole)
        for number, hunk in enumerate(section.hunks, start=1)
    }
    taken: list[Section] = []
    rest: list[Section] = []
    for section in sections:
        path = path_of(section, strip)
        mine = [pick for pick in picks if matches(pick, path)]
        if any(pick.hunks is None for pick in mine):
            taken.append(section)
            continue
        wanted = {number for pick in mine for number in pick.hunks or ()}
        if not wanted:
            rest.append(section)
            continue
        if section.created or section.deleted or section.rename or section.copy or not section.hunks:
            raise _whole(path)
        mine_of = [hunk for hunk in section.hunks if numbers[path, hunk.source_line] in wanted]
        taken += _part(section, mine_of)
        rest += _part(section, [hunk for hunk in section.hunks if hunk not in mine_of])
    return tuple(taken), tuple(rest)


def pieces_of(sections: Iterable[Section], whole: Sequence[Section], strip: int) -> tuple[Piece, ...]:
    """What these sections are of the submission that they were divided from."""
    hunks = {path_of(section, strip): section.hunks for section in whole}
    found = []
    for section in sections:
        path = path_of(section, strip)
        lines = [hunk.source_line for hunk in hunks.get(path, ())]
        numbers = tuple(lines.index(hunk.source_line) + 1 for hunk in section.hunks if hunk.source_line in lines)
        found.append(Piece(path=path, hunks=None if len(numbers) == len(lines) else numbers))
    return tuple(found)


def check_picks(picks: Iterable[Pick], sections: Sequence[Section], strip: int) -> None:
    """Every pick must meet something; raises `InputFault` with those that do not."""
    problems = []
    paths = [show_path(path_of(section, strip)) for section in sections]
    for pick in picks:
        mine = [section for section in sections if matches(pick, path_of(section, strip))]
        most = max((len(section.hunks) for section in mine), default=0)
        high = sorted(number for number in pick.hunks or () if not 1 <= number <= most)
        if not mine or high:
            text = "takes no file" if not mine else f"names hunk {high[0]}, and there are {most}"
            problems.append(
                Diagnostic(
                    code="pick-unmet",
                    message=f"`{pick.written}` {text} of the patch",
                    notes=listed("its files", paths),
                    help="stackproof explain pick-unmet",
                )
            )
    if problems:
        raise InputFault(*problems)


def _part(section: Section, wanted: Sequence[Hunk]) -> list[Section]:
    """The section with some of its hunks, their new lines counted as if the others were not there."""
    hunks: list[Hunk] = []
    shift = 0
    for hunk in wanted:
        olds, news = len(hunk.old()), len(hunk.new())
        start = hunk.old_start + (not olds) + shift
        hunks.append(replace(hunk, new_start=start - (not news)))
        shift += news - olds
    return [replace(section, hunks=tuple(hunks), new_blob=None)] if hunks else []


def _whole(path: RepoPath) -> InputFault:
    return InputFault(
        Diagnostic(
            code="pick-whole",
            message=f"{show_path(path)} cannot be divided by hunks",
            notes=("a file that is created, deleted, moved or binary is taken whole or not at all",),
            help=f"name it without hunks: {show_path(path)}",
        )
    )


def read_split_file(data: bytes, file: str) -> list[tuple[str, Pick]]:
    """A map of blocks to picks: a JSON object of lists."""
    try:
        document = json.loads(data)
    except ValueError:
        document = None
    if not isinstance(document, dict) or not all(isinstance(each, list) for each in document.values()):
        raise InputFault(
            Diagnostic(
                code="split-map-wrong",
                message=f"{file} is no map of blocks to parts",
                notes=('expected a JSON object: {"BLOCK": ["GLOB", "GLOB#1,3"], …}',),
                help="stackproof explain split-map-wrong",
            )
        )
    return [(name, read_pick(str(each))) for name, picks in document.items() for each in picks]
