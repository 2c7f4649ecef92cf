"""Binary interfaces of kept builds, with the real compiler; the tool is a stand-in where another is not at issue."""

import shutil
import subprocess
from pathlib import Path

import pytest

from builder.compile.abi import Abidiff, compare_abi, find_abidiff
from verify.model.diagnostic import EnvironmentFault


def library(folder: Path, source: str) -> Path:
    folder.mkdir()
    (folder / "x.c").write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", folder / "libx.so.1.0", folder / "x.c"], check=True)
    (folder / "x.c").unlink()
    return folder


def tool(folder: Path, status: int, text: str = "") -> Abidiff:
    program = folder / "abidiff"
    program.write_text(f"#!/bin/sh\nprintf '%s\\n' '{text}'\nexit {status}\n")
    program.chmod(0o755)
    return Abidiff(program=str(program), version="stand-in")


BOTH = "int a(void) { return 1; }\nint b(void) { return 2; }\n"
ONE = "int a(void) { return 1; }\n"


def test_equal_libraries_are_not_even_compared(tmp_path: Path) -> None:
    below, build = library(tmp_path / "below", ONE), library(tmp_path / "build", ONE)
    (seen,) = compare_abi(tool(tmp_path, 1), below, build).libraries
    assert (seen.library, seen.changed, seen.report) == ("libx.so", False, ())


@pytest.mark.parametrize(("status", "changed", "incompatible"), [(0, False, False), (4, True, False), (12, True, True)])
def test_the_tools_exit_status_is_what_it_found(tmp_path: Path, status: int, changed: bool, incompatible: bool) -> None:
    below, build = library(tmp_path / "below", BOTH), library(tmp_path / "build", ONE)
    (seen,) = compare_abi(tool(tmp_path, status, "summary"), below, build).libraries
    assert (seen.changed, seen.incompatible) == (changed, incompatible)


def test_a_tool_that_fails_says_nothing_of_the_libraries(tmp_path: Path) -> None:
    below, build = library(tmp_path / "below", BOTH), library(tmp_path / "build", ONE)
    with pytest.raises(EnvironmentFault) as fault:
        compare_abi(tool(tmp_path, 1), below, build)
    assert fault.value.diagnostics[0].code == "abidiff-failed"


def test_a_library_that_is_not_built_any_more_breaks_its_interface(tmp_path: Path) -> None:
    below = library(tmp_path / "below", ONE)
    (tmp_path / "build").mkdir()
    (seen,) = compare_abi(tool(tmp_path, 0), below, tmp_path / "build").libraries
    assert seen.incompatible


def test_a_missing_tool_is_told_with_its_package() -> None:
    with pytest.raises(EnvironmentFault) as fault:
        find_abidiff({"PATH": "/nowhere"})
    (told,) = fault.value.diagnostics
    assert (told.code, told.help) == ("abidiff-missing", "apt-get install abigail-tools")


@pytest.mark.campaign
@pytest.mark.skipif(shutil.which("abidiff") is None, reason="abigail-tools is not installed")
def test_the_real_tool_sees_a_function_that_is_gone_and_one_that_came(tmp_path: Path) -> None:
    one, both = library(tmp_path / "one", ONE), library(tmp_path / "both", BOTH)
    (gone,) = compare_abi(find_abidiff(), both, one).libraries
    (came,) = compare_abi(find_abidiff(), one, both).libraries
    assert (gone.changed, gone.incompatible) == (True, True)
    assert (came.changed, came.incompatible) == (True, False)
