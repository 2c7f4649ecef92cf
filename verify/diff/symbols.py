"""Names that a compiler or linker did not find, and where patches bring them; pure.

Takes the text of a message of gcc, clang or a linker, and folds; gives the missing names, and the added lines that
define or at least mention one. What a name means is the compiler's to say: this only finds where it is written.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from verify.model.block import Block, Fold
from verify.model.ids import BlockName

_QUOTED = r"['‘`\"]([^'’`\"]+)['’`\"]"
_MISSING = (
    re.compile(_QUOTED + r" (?:was|were) not declared"),
    re.compile(_QUOTED + r" undeclared"),
    re.compile(r"use of undeclared identifier " + _QUOTED),
    re.compile(r"implicit declaration of function " + _QUOTED),
    re.compile(r"call to undeclared function " + _QUOTED),
    re.compile(r"unknown type name " + _QUOTED),
    re.compile(_QUOTED + r" does not name a type"),
    re.compile(_QUOTED + r" has not been declared"),
    re.compile(r"has no member named " + _QUOTED),
    re.compile(r"no member named " + _QUOTED),
    re.compile(_QUOTED + r" is not a member of"),
    re.compile(r"undefined reference to " + _QUOTED),
    re.compile(r"undefined symbol: ([\w:~]+)"),
    re.compile(r"([^\s:]+): No such file or directory"),
    re.compile(_QUOTED + r" file not found"),
    re.compile(r"Cannot find source file:\s*(\S+)"),
    re.compile(r"Unknown CMake command " + _QUOTED),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Bringer:
    """A fold that adds a line with the name; `line` is that line in its patch, `defines` what it looks like."""

    block: BlockName
    fold: Fold
    line: int
    defines: bool


def missing_names(text: str) -> tuple[str, ...]:
    """The names that a message says are not there, without parameters and scopes."""
    found: dict[str, None] = {}
    for pattern in _MISSING:
        for match in pattern.finditer(text):
            name = match[1].split("(")[0].split("<")[0].strip().split("::")[-1]
            if name:
                found.setdefault(name)
    return tuple(found)


def bringer_of(name: str, blocks: Iterable[Block]) -> Bringer | None:
    """The first fold of these blocks that defines the name; else the first that mentions it in an added line."""
    every = list(_bringers(name, blocks))
    return next((each for each in every if each.defines), every[0] if every else None)


def _bringers(name: str, blocks: Iterable[Block]) -> Iterator[Bringer]:
    word = re.escape(name)
    whole = re.compile(rf"(?<![\w]){word}(?![\w])")
    defines = re.compile(
        rf"#\s*define\s+{word}\b|\b(?:struct|class|enum|union|using|typedef|function|macro)\b[^;]*\b{word}\b"
        rf"|^(?!\s*(?:return|else|throw|case|goto|new|delete)\b)\s*\w[\w:<>,*&\s]*[\s*&]{word}\s*[(;={{\[]"
    )
    for block in blocks:
        for fold in block.folds:
            for change in fold.patch.files:
                path = (change.new_path or b"").decode("utf-8", "replace")
                if change.old_path is None and (path == name or path.endswith("/" + name)):
                    yield Bringer(block=block.name, fold=fold, line=change.source_line, defines=True)
                for hunk in change.hunks:
                    line = hunk.source_line
                    for sign, text in hunk.lines:
                        line += 1
                        if sign == b"+":
                            said = text.decode("utf-8", "replace")
                            if whole.search(said):
                                yield Bringer(
                                    block=block.name, fold=fold, line=line, defines=defines.search(said) is not None
                                )
                        line += not text.endswith(b"\n")
