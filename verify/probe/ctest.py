"""Runs a kept build's tests by CTest: its list is written anew for where the programs lie now.

A kept build has no sources and no build folder. Tests that need either cannot be run on it, and tests whose program
was not built neither; each is told with its reason.
"""

import importlib.util
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from verify.model.configured import BIN, BUILD, LANE, Configured, DeclaredTest
from verify.model.diagnostic import Diagnostic, EnvironmentFault

_DROPPED = frozenset({"WORKING_DIRECTORY", "RUN_SERIAL", "PROCESSORS"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The tests that are to be run, and those that cannot be, with the reason."""

    run: tuple[DeclaredTest, ...]
    not_run: tuple[tuple[str, str], ...]


def find_ctest() -> Path:
    """CTest, beside the CMake that builds use; a fault where there is none."""
    spec = importlib.util.find_spec("cmake")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        path = Path(folder) / "data" / "bin" / "ctest"
        if path.is_file():
            return path
    found = shutil.which("ctest")
    if found is None:
        raise EnvironmentFault(
            Diagnostic(
                code="ctest-missing",
                message="there is no CTest, so the engine's tests cannot be run",
                help="python -m pip install cmake",
            )
        )
    return Path(found)


def choose_tests(
    configured: Configured, *, names: str, labels: tuple[str, ...], exclude: tuple[str, ...], programs: frozenset[str]
) -> Chosen:
    """Tests by name and label, without the excluded ones; `programs` are the built files."""
    run: list[DeclaredTest] = []
    not_run: list[tuple[str, str]] = []
    for test in configured.tests:
        wanted = re.search(names, test.name) is not None and (not labels or set(labels) & set(test.labels))
        if not wanted or test.name in exclude:
            continue
        program = test.program()
        if test.needs_source():
            not_run.append((test.name, "it reads the source tree"))
        elif program not in programs:
            not_run.append((test.name, f"its program `{program or '?'}` is not among what was built"))
        else:
            run.append(test)
    return Chosen(run=tuple(run), not_run=tuple(not_run))


def write_list(tests: tuple[DeclaredTest, ...], *, bin_folder: Path, folder: Path) -> None:
    """Write the list into `folder`, in which the tests will run."""
    (folder / "CTestTestfile.cmake").write_text(
        "".join(line for test in tests for line in _declared(test, bin_folder, folder)), encoding="utf-8"
    )


def _declared(test: DeclaredTest, bin_folder: Path, folder: Path) -> Iterator[str]:
    def here(text: str) -> str:
        for name, path in ((BIN, bin_folder), (BUILD, folder), (LANE, folder)):
            text = text.replace(name, str(path))
        return text

    yield f"add_test({_quoted(test.name)} {' '.join(_quoted(here(word)) for word in test.command)})\n"
    properties = [(name, here(value)) for name, value in test.properties if name not in _DROPPED]
    if properties:
        listed = " ".join(f"{name} {_quoted(value)}" for name, value in properties)
        yield f"set_tests_properties({_quoted(test.name)} PROPERTIES {listed})\n"


def _quoted(text: str) -> str:
    """A bracket argument: nothing in it is read as anything but text."""
    mark = "="
    while f"]{mark}]" in text or text.endswith(f"]{mark}"):
        mark += "="
    return f"[{mark}[{text}]{mark}]"
