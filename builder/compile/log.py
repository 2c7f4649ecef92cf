"""Reads what build tools say: progress, warnings and errors, the failed step; pure.

Takes lines of CMake's, Ninja's, gcc's and clang's output and ccache's statistics log; gives values. Paths are given as
the tree names them. What is not understood is left alone: the whole log is kept beside the observation.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from verify.model.observation import CompilerMessage

TAIL_LINES = 40
_LONGEST = 2000

_PROGRESS = re.compile(r"\[(\d+)/(\d+)\] (.*)")
_FAILED = re.compile(r"FAILED: (?:\[code=\d+\] )?(.*?)\s*$")
_MESSAGE = re.compile(
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:\d+:)? (?P<kind>warning|error|fatal error): (?P<text>.*)"
)
_FLAG = re.compile(r"(?P<text>.*?) \[(?P<flag>-W[^\]]+)\]$")
_SYMBOL = r"(?P<text>(?:undefined reference|multiple definition).*)"
_LINKER = (
    re.compile(r"(?:\S*/)?ld(?:\.\w+)?: (?P<file>[^\s:]+):(?:(?P<line>\d+):)?(?:\(\S+\):)? " + _SYMBOL),
    re.compile(r"(?P<file>[^\s:][^:]*):\(\S+\): " + _SYMBOL),
    re.compile(r"(?P<file>[^\s:][^:]*):(?P<line>\d+): " + _SYMBOL),
    re.compile(r"(?:\S*/)?ld(?:\.\w+)?: error: (?P<file>)(?P<text>.*)"),
    re.compile(r"(?:\S*/)?ld(?:\.\w+)?: (?P<file>)(?P<text>cannot find .*)"),
    re.compile(r"(?P<file>)(?P<text>Undefined symbols for architecture .*)"),
)
_CMAKE = re.compile(r"CMake Error(?: at (?P<file>[^:]+):(?P<line>\d+) \((?P<call>\w+)\))?:?\s*(?P<text>.*)")
_NINJA = re.compile(r"ninja: (?:error|fatal): (?P<text>.*)")
_NO_SPACE = ("No space left on device", "Disk quota exceeded", "file system is full")
_KILLED = re.compile(
    r"Killed signal terminated program|fatal error: Killed|execute command: Killed"
    r"|virtual memory exhausted|out of memory allocating"
)
_HITS = {"direct_cache_hit", "preprocessed_cache_hit"}
_NOT_COMPILING = {"called_for_link", "called_for_preprocessing", "no_input_file"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """Ninja's own account of where it is."""

    finished: int
    total: int
    what: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A whole log, read: every message once in order of appearance, the step that failed, and the last lines."""

    errors: tuple[CompilerMessage, ...]
    warnings: tuple[CompilerMessage, ...]
    failed_step: str
    steps: int
    tail: tuple[str, ...]


def read_step(line: str) -> Step | None:
    """The progress that a line tells, None for any other line."""
    match = _PROGRESS.fullmatch(line)
    return Step(finished=int(match[1]), total=int(match[2]), what=match[3]) if match else None


def read_log(lines: Sequence[str], *, sources: Sequence[str]) -> Reading:
    """Read a finished log; `sources` are the spellings of the source folder that are taken off file names."""
    messages: dict[tuple[bool, CompilerMessage], None] = {}
    failed, steps = "", 0
    for number, line in enumerate(lines):
        step = read_step(line)
        if step is not None:
            steps = max(steps, step.finished)
            continue
        match = _FAILED.match(line)
        if match is not None:
            failed = failed or match[1].split(" ")[0]  # a step may have several outputs
            continue
        found = _message(line, lines[number + 1 : number + 6], sources)
        if found is not None:
            messages.setdefault(found)
    return Reading(
        errors=tuple(message for is_error, message in messages if is_error),
        warnings=tuple(message for is_error, message in messages if not is_error),
        failed_step=failed,
        steps=steps,
        tail=tuple(line[:_LONGEST] for line in lines[-TAIL_LINES:]),
    )


def _message(line: str, following: Sequence[str], sources: Sequence[str]) -> tuple[bool, CompilerMessage] | None:
    line = line[:_LONGEST]
    match = _MESSAGE.match(line)
    if match is not None:
        text, flag = match["text"], ""
        asked = _FLAG.fullmatch(text)
        if asked is not None:
            text, flag = asked["text"], asked["flag"]
        return match["kind"] != "warning", CompilerMessage(
            file=tree_path(match["file"], sources), line=int(match["line"]), text=text, flag=flag
        )
    for pattern in _LINKER:
        match = pattern.match(line)
        if match is not None:
            line_number = int(match.groupdict().get("line") or 0)
            return True, CompilerMessage(
                file=tree_path(match["file"], sources), line=line_number, text=match["text"], flag=""
            )
    match = _CMAKE.match(line)
    if match is not None:
        said = match["text"] or next((text.strip() for text in following if text.strip()), "")
        return True, CompilerMessage(
            file=tree_path(match["file"] or "", sources), line=int(match["line"] or 0), text=said, flag=""
        )
    match = _NINJA.match(line)
    return (True, CompilerMessage(file="", line=0, text=match["text"], flag="")) if match is not None else None


def tree_path(file: str, sources: Sequence[str]) -> str:
    """A file name as the tree has it, where it lies in the source folder; else as it was printed."""
    for source in sources:
        if file.startswith(source + "/"):
            return file.removeprefix(source + "/")
    return file


def says_no_space(lines: Iterable[str]) -> str:
    """The line that tells that a disk is full, empty when none does."""
    return next((line for line in lines if any(words in line for words in _NO_SPACE)), "")


def says_killed(lines: Iterable[str]) -> str:
    """The line that tells that the compiler was killed or had no memory, empty when none does."""
    return next((line for line in lines if _KILLED.search(line)), "")


def read_statistics(text: str) -> tuple[int, int]:
    """ccache's statistics log, a list of counters for each object: how many were compiled, how many were found."""
    records = [set(record.split("\n")[1:]) for record in ("\n" + text).split("\n# ")[1:]]
    hits = sum(bool(record & _HITS) for record in records)
    compiled = sum(not record & (_HITS | _NOT_COMPILING) for record in records)
    return compiled, hits
