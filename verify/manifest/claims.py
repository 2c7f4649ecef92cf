"""Claims as block.yaml and reviews write them: text, or a table that can be run on a tree."""

import re
from dataclasses import dataclass

from verify.manifest.left_out import glob
from verify.manifest.node import Table
from verify.manifest.scalars import choice, inner_path, integer, line
from verify.manifest.scalars import text as words
from verify.manifest.value import Fields, Value
from verify.model.claim import Absent, Claim, ClaimKind, Count, NoExit, OnlyCall, Untouched
from verify.model.ids import RepoPath
from verify.model.outline import ExitKind

MOST = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Those in words, and those that can be run."""

    words: tuple[str, ...]
    runnable: tuple[Claim, ...]


NO_CLAIMS = Claims(words=(), runnable=())


def read_claims(value: Value) -> Claims:
    """The list `claims`."""
    found = value.listing(_claim, of="claim")
    return Claims(
        words=tuple(each for each in found if isinstance(each, str)),
        runnable=tuple(each for each in found if not isinstance(each, str)),
    )


def _claim(value: Value) -> str | Claim:
    if not isinstance(value.node, Table):
        return words(value)
    return value.fields().variant("kind", _READERS)


def _only_call(fields: Fields) -> Claim:
    return OnlyCall(
        says=fields.get("says", words),
        place=fields.value.place(),
        file=fields.get("file", _file),
        function=fields.get("function", line),
        call=fields.get("call", line),
        inside=fields.get("inside", line),
        times=fields.optional("times", _times, None),
    )


def _no_exit(fields: Fields) -> Claim:
    return NoExit(
        says=fields.get("says", words),
        place=fields.value.place(),
        file=fields.get("file", _file),
        function=fields.get("function", line),
        start=fields.get("start", line),
        end=fields.get("end", line),
        exits=fields.optional(
            "exits",
            lambda items: items.listing(lambda item: choice(item, ExitKind), of="exit", least=1),
            (ExitKind.RETURN,),
        ),
    )


def _absent(fields: Fields) -> Claim:
    return Absent(
        says=fields.get("says", words),
        place=fields.value.place(),
        symbol=fields.get("symbol", line),
        files=fields.get("files", _globs),
        function=fields.optional("function", line, ""),
    )


def _untouched(fields: Fields) -> Claim:
    return Untouched(says=fields.get("says", words), place=fields.value.place(), files=fields.get("files", _globs))


def _count(fields: Fields) -> Claim:
    return Count(
        says=fields.get("says", words),
        place=fields.value.place(),
        file=fields.get("file", _file),
        function=fields.optional("function", line, ""),
        pattern=fields.get("pattern", _pattern),
        times=fields.get("times", _times),
    )


def _file(value: Value) -> RepoPath:
    return RepoPath(inner_path(value).encode("utf-8", "surrogateescape"))


def _globs(value: Value) -> tuple[str, ...]:
    return value.listing(glob, of="glob", least=1)


def _times(value: Value) -> int:
    return integer(value, 0, MOST)


def _pattern(value: Value) -> str:
    written = line(value)
    try:
        re.compile(written.encode())
    except (re.error, RecursionError, OverflowError) as problem:
        value.wrong("bad-pattern", f"{value.what} is not a regular expression: {problem}")
        return ""
    return written


_READERS = {
    ClaimKind.ONLY_CALL.value: _only_call,
    ClaimKind.NO_EXIT.value: _no_exit,
    ClaimKind.ABSENT.value: _absent,
    ClaimKind.UNTOUCHED.value: _untouched,
    ClaimKind.COUNT.value: _count,
}
