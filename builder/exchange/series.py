"""A quilt series file: patches in order, each with its own strip level and direction, comments dropped."""

import re
from dataclasses import dataclass

from verify.model.diagnostic import Diagnostic, InputFault, Place

_COMMENT = re.compile(r"(?:^|\s)#.*$")
_STRIP = re.compile(r"-p(\d{1,2}|ab)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesEntry:
    """One line: the patch's name, how many folders to strip off its names, whether it is taken back (`-R`)."""

    name: str
    strip: int
    reverse: bool
    line: int


def read_series(data: bytes, *, file: str, options: bool = True) -> tuple[SeriesEntry, ...]:
    """Every patch of the series; an option that is not known is a fault, since it may change what a patch means.

    Without `options` whatever follows a name is ignored, as dpkg-source does.
    """
    entries: list[SeriesEntry] = []
    faults: list[Diagnostic] = []
    for number, raw in enumerate(data.decode("utf-8", "surrogateescape").split("\n"), start=1):
        words = _COMMENT.sub("", raw).split()
        if not words:
            continue
        name, *rest = words
        strip, reverse = 1, False
        for option in rest if options else ():
            if option == "-R":
                reverse = True
            elif (match := _STRIP.fullmatch(option)) is not None:
                strip = 1 if match[1] == "ab" else int(match[1])
            else:
                faults.append(_fault("series-option", f"the option {option!r} of `{name}` is not known", file, number))
        parts = name.split("/")
        if name.startswith("/") or ".." in parts:
            faults.append(
                _fault("series-path", f"the patch `{name}` lies outside of the patches' folder", file, number)
            )
        entries.append(SeriesEntry(name=name, strip=strip, reverse=reverse, line=number))
    if faults:
        raise InputFault(*faults)
    return tuple(entries)


def _fault(code: str, message: str, file: str, line: int) -> Diagnostic:
    return Diagnostic(code=code, message=message, place=Place(file=file, line=line), help=f"stackproof explain {code}")
