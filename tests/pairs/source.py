"""Small sources in five languages, made of named parts, so that an edit can say which function it is made in.

Every function has the same shape in every language: assignments, one condition, the line `d` that folds replace,
more assignments, a result. Between the lines that a fold changes and the first and last lines of the function there
is more than the three lines of context that git shows. Constants make each line its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import count
from random import Random

from tests.core.real_git import Files
from verify.model.ids import RepoPath
from verify.model.patch import Mode


class Language(StrEnum):
    """What the sources are written in."""

    C = "c"
    CPP = "c++"
    PYTHON = "python"
    CMAKE = "cmake"
    TEXT = "text"


CODE = (Language.C, Language.CPP, Language.PYTHON, Language.CMAKE)
SLOTS = ("head", "a", "b", "c", "if", "in", "last", "close", "d", "e", "f", "g", "h", "result", "end")
_C = (
    "static int NAME(int x, int y) {",
    "    int a = x + @;",
    "    int b = y * @;",
    "    int c = a - b + @;",
    "    if (c > @) {",
    "        c = c - @;",
    "        b = b + @;",
    "    }",
    "    int d = c * @;",
    "    int e = d + @;",
    "    int f = e - @;",
    "    a = f + @;",
    "    b = a * @;",
    "    return a + b;",
    "}",
)
_PYTHON = (
    "def NAME(x, y):",
    "    a = x + @",
    "    b = y * @",
    "    c = a - b + @",
    "    if c > @:",
    "        c = c - @",
    "        b = b + @",
    "    # from here on unconditionally, step @",
    "    d = c * @",
    "    e = d + @",
    "    f = e - @",
    "    a = f + @",
    "    b = a * @",
    "    g = a + b",
    "    return g",
)
_CMAKE = (
    "function(NAME out x y)",
    '    math(EXPR a "${x} + @")',
    '    math(EXPR b "${y} * @")',
    '    math(EXPR c "${a} - ${b} + @")',
    "    if(c GREATER @)",
    '        math(EXPR c "${c} - @")',
    '        math(EXPR b "${b} + @")',
    "    endif()",
    '    math(EXPR d "${c} * @")',
    '    math(EXPR e "${d} + @")',
    '    math(EXPR f "${e} - @")',
    '    math(EXPR a "${f} + @")',
    '    math(EXPR b "${a} * @")',
    '    set(${out} "${b}" PARENT_SCOPE)',
    "endfunction()",
)
_TEXT = (
    "Section NAME",
    "  - a is x and @ more",
    "  - b is y taken @ times",
    "  - c is a less b and @ more",
    "  - if c is above @ then",
    "      - c falls by @",
    "      - b grows by @",
    "    and so it stays for @ rounds",
    "  - d is c taken @ times",
    "  - e is d and @ more",
    "  - f is e less @",
    "  - a is f and @ more",
    "  - b is a taken @ times",
    "  - the result is a and b",
    "End of section",
)
_FUNCTION = {
    Language.C: _C,
    Language.CPP: tuple(
        line.replace("static int NAME(int x, int y)", "inline int NAME(int x, int y)").replace("    int ", "    auto ")
        for line in _C
    ),
    Language.PYTHON: _PYTHON,
    Language.CMAKE: _CMAKE,
    Language.TEXT: _TEXT,
}
_FOLD = {
    Language.C: ("    int d = helper(c, LIMIT);", "    d = d + remote(d, (int) sizeof(struct shape));"),
    Language.CPP: ("    auto d = helper(c, LIMIT);", "    d = d + remote(d, (int) sizeof(struct shape));"),
    Language.PYTHON: ("    d = helper(c, LIMIT)", "    d = d + remote(d, Shape.width)"),
    Language.CMAKE: ('    helper(d "${c}" "${LIMIT}")', '    remote(d "${d}" "${SHAPE_WIDTH}")'),
    Language.TEXT: ("  - d is the helper of c within LIMIT", "  - d grows by the remote of d"),
}
_STEPS = {
    Language.C: ("    c = helper(c, LIMIT);", "    c = c + remote(c, (int) sizeof(struct shape));"),
    Language.CPP: ("    c = helper(c, LIMIT);", "    c = c + remote(c, (int) sizeof(struct shape));"),
    Language.PYTHON: ("    c = helper(c, LIMIT)", "    c = c + remote(c, Shape.width)"),
    Language.CMAKE: ('    helper(c "${c}" "${LIMIT}")', '    remote(c "${c}" "${SHAPE_WIDTH}")'),
    Language.TEXT: ("  - c is put through the helper", "  - c grows by the remote of c"),
}
_HEAD = {
    Language.C: ("/* The engine. */", '#include "defs.h"'),
    Language.CPP: ("// The engine.", '#include "defs.hpp"'),
    Language.PYTHON: ('"""The engine."""', "from defs import LIMIT, Shape, remote"),
    Language.CMAKE: ("# The engine.", "include(${CMAKE_CURRENT_LIST_DIR}/defs.cmake)"),
    Language.TEXT: ("The engine.", "Terms are in terms.txt."),
}
_SHAPE = {
    Language.C: ("struct shape {", "    int width;", "};"),
    Language.CPP: ("struct shape {", "    int width;", "};"),
    Language.PYTHON: ("class Shape:", "    width = 4"),
    Language.CMAKE: ("set(SHAPE_WIDTH 4)",),
    Language.TEXT: ("SHAPE: four wide",),
}
_CONSTANT = {
    Language.C: "#define NAME @",
    Language.CPP: "#define NAME @",
    Language.PYTHON: "NAME = @",
    Language.CMAKE: "set(NAME @)",
    Language.TEXT: "NAME: @",
}
_COMMENT = {
    Language.C: "/* @ */",
    Language.CPP: "// @",
    Language.PYTHON: "# @",
    Language.CMAKE: "# @",
    Language.TEXT: "(@)",
}
_PATHS = {
    Language.C: (b"src/engine.c", b"src/defs.h", b"src/idle.c"),
    Language.CPP: (b"src/engine.cpp", b"src/defs.hpp", b"src/idle.cpp"),
    Language.PYTHON: (b"src/engine.py", b"src/defs.py", b"src/idle.py"),
    Language.CMAKE: (b"cmake/engine.cmake", b"cmake/defs.cmake", b"cmake/idle.cmake"),
    Language.TEXT: (b"docs/engine.txt", b"docs/terms.txt", b"docs/idle.txt"),
}
_NAMES = (
    "scale",
    "shift",
    "blend",
    "clamp",
    "decode",
    "gather",
    "spread",
    "rotate",
    "settle",
    "weigh",
    "trace",
    "fuse",
)
BINARY = RepoPath(b"data/table.bin")
LINK = RepoPath(b"latest")
SCRIPT = RepoPath(b"tools/run.sh")
NOTICE = RepoPath(b"NOTICE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A function, constant or other stretch of a file, without the blank line that follows it."""

    name: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file as its parts, in order."""

    parts: tuple[Part, ...]

    def part(self, name: str) -> Part:
        """The one part of that name."""
        (found,) = (part for part in self.parts if part.name == name)
        return found

    def put(self, name: str, *parts: Part) -> "Source":
        """The source with other parts in the place of one; none removes it."""
        self.part(name)
        made = (parts if part.name == name else (part,) for part in self.parts)
        return Source(parts=tuple(part for some in made for part in some))

    def above(self, name: str, *parts: Part) -> "Source":
        """The source with parts above the named one."""
        return self.put(name, *parts, self.part(name))

    def below(self, name: str, *parts: Part) -> "Source":
        """The source with parts below the named one."""
        return self.put(name, self.part(name), *parts)

    def swap(self, name: str, line: str, *lines: str) -> "Source":
        """The source with other lines in the place of one line of a part, which must be there once."""
        old = self.part(name).lines
        assert old.count(line) == 1, (name, line)
        at = old.index(line)
        return self.put(name, Part(name=name, lines=(*old[:at], *lines, *old[at + 1 :])))

    def each(self, change: Callable[[str], str], *names: str) -> "Source":
        """The source with every line changed, of all parts or of the named ones."""
        return Source(
            parts=tuple(
                Part(name=part.name, lines=tuple(map(change, part.lines))) if not names or part.name in names else part
                for part in self.parts
            )
        )

    def render(self) -> bytes:
        """The file's bytes: parts with a blank line between them."""
        return "\n".join("".join(f"{line}\n" for line in part.lines) for part in self.parts).encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A small upstream in one language, and the fold that was reviewed on it.

    `main` holds the functions, among them `helper` and the `target` that the fold changes; `others` are neither, in
    the order of the file, two at least above and two below the target. `defs` holds what the fold uses from another
    file (LIMIT, shape, remote) and what it does not (SPARE, unused). `idle` is used by nobody.
    """

    language: Language
    main: Source
    defs: Source
    idle: Source
    target: str
    others: tuple[str, ...]
    numbers: Iterator[int]

    @property
    def main_path(self) -> RepoPath:
        """Where `main` lies."""
        return RepoPath(_PATHS[self.language][0])

    @property
    def defs_path(self) -> RepoPath:
        """Where `defs` lies."""
        return RepoPath(_PATHS[self.language][1])

    @property
    def idle_path(self) -> RepoPath:
        """Where `idle` lies."""
        return RepoPath(_PATHS[self.language][2])

    @property
    def fold_lines(self) -> tuple[str, str]:
        """The two lines that the reviewed fold puts for `d`."""
        return _FOLD[self.language]

    @property
    def steps(self) -> tuple[str, str]:
        """Two lines that a fold may put before `d`, in any function; each reads and writes the same name."""
        return _STEPS[self.language]

    def at(self, name: str, slot: str) -> str:
        """A line of a function of the old upstream's `main`, by its place in the function."""
        return self.main.part(name).lines[SLOTS.index(slot)]

    def fold(self, main: Source, name: str = "", lines: tuple[str, ...] = ()) -> Source:
        """The fold on some `main`: its lines for `d`, in the target unless another function is named."""
        name = name or self.target
        (old,) = (line for line in main.part(name).lines if line == self.at(self.target, "d") or line == self._d(name))
        return main.swap(name, old, *(lines or self.fold_lines))

    def insert(self, main: Source, *lines: str, name: str = "") -> Source:
        """A fold that only adds lines before `d`, in the target unless another function is named."""
        name = name or self.target
        return main.swap(name, self.at(name, "d"), *lines, self.at(name, "d"))

    def _d(self, name: str) -> str:
        return self.at(name, "d") if any(part.name == name for part in self.main.parts) else ""

    def function(self, name: str) -> Part:
        """A new function whose constants are its own."""
        return _function(self.language, name, self.numbers)

    def constant(self, name: str, value: int) -> Part:
        """A definition of a constant."""
        return Part(name=name, lines=(_CONSTANT[self.language].replace("NAME", name).replace("@", str(value)),))

    def comment(self, words: str) -> str:
        """A whole line that is a comment."""
        return _COMMENT[self.language].replace("@", words)

    def files(self, main: Source | None = None, defs: Source | None = None, idle: Source | None = None) -> Files:
        """The whole tree with some of its sources replaced."""
        return {
            self.main_path: (Mode.FILE, (main or self.main).render()),
            self.defs_path: (Mode.FILE, (defs or self.defs).render()),
            self.idle_path: (Mode.FILE, (idle or self.idle).render()),
            BINARY: (Mode.FILE, bytes(range(256)) * 4),
            LINK: (Mode.SYMLINK, self.main_path),
            SCRIPT: (Mode.FILE, b"#!/bin/sh\nexec true\n"),
            NOTICE: (Mode.FILE, b"Read the licence.\n"),
        }


def make_world(language: Language, seed: int) -> World:
    """The upstream of one language and seed; the seed chooses names, order and constants."""
    random = Random(f"{language}/{seed}")
    numbers = count(random.randrange(11, 500), random.choice((3, 7, 11)))
    names = random.sample(_NAMES, 8)
    order = [*names[:2], "helper", *names[2:]]
    target = order[random.randrange(4, 6)]
    parts = tuple(_function(language, name, numbers) for name in order)
    made = World(
        language=language,
        main=Source(parts=(Part(name="top", lines=_HEAD[language]), *parts)),
        defs=Source(parts=()),
        idle=Source(parts=tuple(_function(language, name, numbers) for name in ("rest", "sleep"))),
        target=target,
        others=tuple(name for name in names if name != target),
        numbers=numbers,
    )
    defs = (
        Part(name="top", lines=(made.comment("What the engine uses"),)),
        made.constant("SPARE", 7),
        made.constant("LIMIT", 64),
        Part(name="shape", lines=_SHAPE[language]),
        _function(language, "remote", numbers),
        _function(language, "unused", numbers),
    )
    return World(
        language=language,
        main=made.main,
        defs=Source(parts=defs),
        idle=made.idle,
        target=target,
        others=made.others,
        numbers=numbers,
    )


def _function(language: Language, name: str, numbers: Iterator[int]) -> Part:
    lines = (line.replace("NAME", name) for line in _FUNCTION[language])
    return Part(
        name=name, lines=tuple(line.replace("@", str(next(numbers))) if "@" in line else line for line in lines)
    )
