"""Which environment variables source text reads, and whether a read asks for the value or only whether it is set.

A heuristic on lines of C, C++, Python, CMake and JavaScript, not a compiler: names are taken where they stand as
literals in a reading call, through a constant of the same text, or as the argument of a function that reads the
variable it is given. What cannot be told is said to be unknown and never guessed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_C_CALL = r"(?:std::|::)?(?:_w?|secure_|__secure_)?getenv|GetEnvironmentVariable[AW]?|qgetenv|qEnvironmentVariable"
_LITERAL = r'(?:u8|[LuUrbf])?["\']([A-Za-z_][A-Za-z0-9_]*)["\']'
_DIRECT = re.compile(
    rf"(?<![\w.])(?:{_C_CALL})\s*\(\s*{_LITERAL}"
    rf"|(?<![\w.])(?:os\.)?(?:getenv|environ\.get|environ\.pop|environ\.setdefault|environb\.get)\s*\(\s*{_LITERAL}"
    rf"|(?<![\w.])(?:os\.)?environ\s*\[\s*{_LITERAL}\s*\](?!\s*=[^=])"
    rf"|{_LITERAL}\s+(?:not\s+)?in\s+(?:os\.)?environ\b"
    r"|\$?ENV\{([A-Za-z_][A-Za-z0-9_]*)\}"
    r"|\bprocess\.env\.([A-Za-z_][A-Za-z0-9_]*)"
)
_INDIRECT = re.compile(rf"(?<![\w.])(?:(?:{_C_CALL})|(?:os\.)?(?:getenv|environ\.get))\s*\(\s*([A-Za-z_]\w*)\s*[,)]")
_GAP = r"\s{0,20}"  # bounded, so that no text makes the search slow
_CONSTANT = re.compile(
    rf"#{_GAP}define\s{{1,20}}([A-Za-z_]\w*)\s{{1,20}}{_LITERAL}"
    rf"|\b([A-Za-z_]\w*){_GAP}(?:\[{_GAP}\])?{_GAP}[={{]{_GAP}{_LITERAL}"
)
_ABSENT = r"(?:nullptr|NULL|None|0\b)"
_COMMENT = re.compile(r"//[^\n]*|/\*.{0,4000}?\*/", re.DOTALL)  # bounded, so that many open ones stay cheap
_HASH_COMMENT = re.compile(
    r"(?m)(?:^|(?<=\s))#(?!\s*(?:define|if|ifdef|ifndef|elif|include|undef|endif|else|pragma)\b)[^\n]*"
)
_FAR = 2_000  # characters after a read in which its variable's uses are looked for


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """One read: the variable (None where its name cannot be told), where in the text, and whether by presence alone."""

    name: str | None
    offset: int
    presence_only: bool
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """What other text says: constants that are names of variables, and functions that read what they are given."""

    constants: dict[str, str]
    readers: frozenset[str]


def without_comments(text: str, *, path: bytes) -> str:
    """The text with comments blanked out, every offset as before."""
    name = path.rpartition(b"/")[2].lower()
    hashes = name.endswith((b".py", b".cmake", b".sh", b".txt", b".yml", b".yaml"))
    return (_HASH_COMMENT if hashes else _COMMENT).sub(_blank, text)


def hints_of(text: str) -> Hints:
    """Constants and reading functions that a text defines."""
    constants = {(match[1] or match[3]): (match[2] or match[4]) for match in _CONSTANT.finditer(text)}
    readers: set[str] = set()
    for match in _INDIRECT.finditer(text):
        if match[1] not in constants:
            readers |= _function_around(text, match.start(), match[1])
    return Hints(constants=constants, readers=frozenset(readers - {"if", "while", "for", "switch", "return"}))


def reads_in(text: str, hints: Hints) -> Iterator[Read]:
    """Every read in the order of the text."""
    found: list[Read] = []
    for match in _DIRECT.finditer(text):
        if match[0].startswith("ENV{") and not text[: match.start()].rstrip().endswith("DEFINED"):
            continue  # CMake sets it
        name = next(group for group in match.groups() if group is not None)
        found.append(_read(text, match, name))
    for match in _INDIRECT.finditer(text):
        named = hints.constants.get(match[1])
        if named is not None or not _function_around(text, match.start(), match[1]):
            found.append(_read(text, match, named))
    if hints.readers:
        calls = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, sorted(hints.readers)))})\s*\(\s*{_LITERAL}")
        found += (Read(name=m[2], offset=m.start(), presence_only=False, shown=m[0]) for m in calls.finditer(text))
    return iter(sorted(found, key=lambda read: read.offset))


def names_in(text: str) -> frozenset[str]:
    """Every literal that might name a variable."""
    return frozenset(re.findall(r"[A-Za-z_][A-Za-z0-9_]+", text))


def _read(text: str, match: "re.Match[str]", name: str | None) -> Read:
    return Read(
        name=name, offset=match.start(), presence_only=_presence_only(text, match), shown=" ".join(match[0].split())
    )


def _function_around(text: str, offset: int, parameter: str) -> set[str]:
    """The function whose parameter this is, when the definition stands shortly before."""
    before = text[max(0, offset - _FAR) : offset]
    found = list(
        re.finditer(
            rf"\b([A-Za-z_]\w*)\s*\(([^(){{}};]*\b{re.escape(parameter)}\b[^(){{}};]*)\)[^;(){{}}]*[{{:]", before
        )
    )
    return {found[-1][1]} if found else set()


def _presence_only(text: str, match: "re.Match[str]") -> bool:
    """Whether nothing but being set is asked for, at the read itself or at every use of what it was put into."""
    shown = match[0]
    if re.search(r"\bin\s+(?:os\.)?environ$", shown):
        return True
    before = text[max(0, match.start() - 120) : match.start()]
    behind = text[match.end() :]
    if shown.lstrip("$").startswith("ENV{"):
        return re.search(r"\bDEFINED\s+$", before) is not None
    if "environ[" in shown.replace(" ", "") or "process.env" in shown:
        return False
    call_end = re.match(r"[^()\n]*\)", behind)
    rest = behind[call_end.end() :] if call_end and "(" in shown else behind
    if "," in behind[: call_end.end() if call_end else 0]:
        return False  # a default is given, so a value is meant
    if re.match(rf"\s*(?:[!=]=\s*{_ABSENT}|is\s+(?:not\s+)?None\b)", rest) or re.search(
        rf"{_ABSENT}\s*[!=]=\s*$", before
    ):
        return True
    if re.search(r"(?:!\s*|\bnot\s+|\bbool\s+\w+\s*[=({]\s*|\bbool\s*\(\s*|\(\s*bool\s*\)\s*)$", before):
        return True
    if re.search(r"\b(?:if|while|elif)\s*\(?\s*$", before) and re.match(r"\s*(?:[):]|&&|\|\|)", rest):
        return True
    put = re.search(r"([A-Za-z_]\w*)\s*(?::=|=|\{|\()\s*$", before)
    return put is not None and _only_presence_is_used(rest[:_FAR], put[1])


def _only_presence_is_used(text: str, variable: str) -> bool:
    uses = list(re.finditer(rf"(?<![\w.>]){re.escape(variable)}\b", text))
    if not uses:
        return False
    name = re.escape(variable)
    by_presence = re.compile(
        rf"{name}\s*[!=]=\s*{_ABSENT}|{_ABSENT}\s*[!=]=\s*{name}|!\s*{name}\b(?!\s*[\[(.])|\bnot\s+{name}\b(?!\s*[\[(.])"
        rf"|{name}\s+is\s+(?:not\s+)?None|\b(?:if|while|elif)\s*\(?\s*{name}\s*[):]|\b(?:if|while|elif)\s*\(?\s*{name}\s*(?:&&|\|\|)"
    )
    covered = [range(found.start(), found.end()) for found in by_presence.finditer(text)]
    return all(any(use.start() in area for area in covered) for use in uses)


def _blank(match: "re.Match[str]") -> str:
    return re.sub(r"[^\n]", " ", match[0])
