"""Reads what a lane's build folder was configured with: the options in CMake's cache, and the tests that CTest knows.

The list of tests is asked of CTest itself, and its files are the engine's own words in CMake's language: they are read
in a sandbox. Paths of the lane are replaced, so that the description is the tree's and not the place's.
"""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from verify.model.configured import BIN, BUILD, LANE, SOURCE, Configured, DeclaredTest
from verify.sandbox.bounds import Bounds
from verify.sandbox.confined import confined

NAME = "configured.json"

_ENTRY = re.compile(r"(?P<name>[A-Za-z0-9_.+/-]+):(?P<type>BOOL|STRING|PATH|FILEPATH|UNINITIALIZED)=(?P<value>.*)")
_CTEST = re.compile(r"CMAKE_CTEST_COMMAND:INTERNAL=(?P<path>.+)")
_SECONDS = 60.0
_MAX_LIST = 16 << 20


def read_configured(*, build: Path, source: Path) -> Configured:
    """The description of a configured folder; one without CTest has no tests."""
    try:
        cache = (build / "CMakeCache.txt").read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return Configured(options=(), tests=())
    portable = _Portable(build, source)
    options = {
        found["name"]: portable.text(found["value"]) for found in map(_ENTRY.fullmatch, cache.splitlines()) if found
    }
    ctest = next((found["path"] for found in map(_CTEST.fullmatch, cache.splitlines()) if found), "")
    tests = tuple(_tests(ctest, build, portable)) if ctest and (build / "CTestTestfile.cmake").exists() else ()
    return Configured(options=tuple(sorted(options.items())), tests=tests)


class _Portable:
    """Paths of a lane as its folders' names."""

    def __init__(self, build: Path, source: Path) -> None:
        self._names = ((f"{build}/bin", BIN), (str(build), BUILD), (str(source), SOURCE), (str(build.parent), LANE))

    def text(self, text: str) -> str:
        """The text with the lane's folders by name, the longest first."""
        for path, name in self._names:
            text = text.replace(path, name)
        return text


def _tests(ctest: str, build: Path, portable: _Portable) -> Iterator[DeclaredTest]:
    with confined(
        [ctest, "--test-dir", str(build), "--show-only=json-v1"],
        folder=build,
        environment={"PATH": "/usr/bin:/bin", "LC_ALL": "C"},
        bounds=Bounds(seconds=_SECONDS),
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        said = program.stdout.read(_MAX_LIST)
        if program.wait() != 0:
            return
    known: Any = json.loads(said)
    for test in sorted(known.get("tests", ()), key=lambda each: str(each["name"])):
        properties = {each["name"]: _as_text(each["value"]) for each in test.get("properties", ())}
        labels = properties.pop("LABELS", "")
        yield DeclaredTest(
            name=test["name"],
            command=tuple(portable.text(word) for word in test.get("command", ())),
            labels=tuple(labels.split(";")) if labels else (),
            properties=tuple(sorted((name, portable.text(value)) for name, value in properties.items())),
        )


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return ";".join(map(str, value)) if isinstance(value, list) else str(value)
