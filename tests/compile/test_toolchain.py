"""Finding the tools, and what identifies them."""

import shutil
from pathlib import Path

import pytest

from builder.compile.toolchain import Toolchain, find_toolchain
from verify.model.diagnostic import Diagnostic, EnvironmentFault


def a_compiler(folder: Path, name: str, before: str = "") -> Path:
    """A compiler of our own: a script in front of the system's."""
    real = shutil.which(name)
    assert real is not None
    folder.mkdir(exist_ok=True)
    script = folder / name
    script.write_text(f'#!/bin/sh\n{before}\nexec {real} "$@"\n')
    script.chmod(0o755)
    return script


def fault_of(environ: dict[str, str]) -> Diagnostic:
    with pytest.raises(EnvironmentFault) as caught:
        find_toolchain(environ)
    return caught.value.diagnostics[0]


def test_a_missing_compiler_names_the_package_to_install(tmp_path: Path) -> None:
    told = fault_of({"PATH": str(tmp_path)})
    assert told.code == "compiler-missing"
    assert "build-essential" in told.help
    assert any(str(tmp_path) in note for note in told.notes)


def test_a_compiler_that_cxx_names_in_vain_is_told_with_the_variable(tmp_path: Path) -> None:
    told = fault_of({"PATH": "/usr/bin:/bin", "CXX": "no-such-compiler -m64"})
    assert (told.code, told.notes[0]) == ("compiler-missing", "CXX=no-such-compiler -m64")


def test_a_compiler_that_does_not_answer_is_told_with_what_it_said(tmp_path: Path) -> None:
    broken = a_compiler(tmp_path, "c++", before="echo out of order >&2; exit 3")
    told = fault_of({"PATH": "/usr/bin:/bin", "CXX": str(broken)})
    assert (told.code, told.notes) == ("compiler-broken", ("out of order",))


def test_another_compiler_under_the_same_name_has_another_digest(tmp_path: Path) -> None:
    environ = {"PATH": "/usr/bin:/bin", "CXX": str(a_compiler(tmp_path, "c++"))}
    first = find_toolchain(environ)
    a_compiler(tmp_path, "c++", before="# another one")
    second = find_toolchain(environ)
    assert first.cxx.command == second.cxx.command
    assert first.cxx.version == second.cxx.version
    assert first.digest != second.digest


def test_another_compiler_proper_behind_the_same_driver_has_another_digest(tmp_path: Path) -> None:
    inner = tmp_path / "cc1plus"
    inner.write_bytes(b"\x7fELF one")
    inner.chmod(0o755)
    answer = f'case "$1" in -print-prog-name=cc1plus) echo {inner}; exit;; esac'
    environ = {"PATH": "/usr/bin:/bin", "CXX": str(a_compiler(tmp_path, "c++", before=answer))}
    first = find_toolchain(environ)
    inner.unlink()
    inner.write_bytes(b"\x7fELF two")
    inner.chmod(0o755)
    assert first.digest != find_toolchain(environ).digest


def test_the_same_tools_have_the_same_digest(toolchain: Toolchain) -> None:
    assert find_toolchain() == toolchain


def test_the_caller_s_environment_is_no_part_of_the_digest(toolchain: Toolchain) -> None:
    assert find_toolchain({"PATH": "/usr/bin:/bin", "CFLAGS": "-O3", "SECRET": "s"}).digest == toolchain.digest


def test_arguments_of_a_compiler_command_stay_with_it_and_are_identity(toolchain: Toolchain) -> None:
    found = find_toolchain({"PATH": "/usr/bin:/bin", "CC": "ccache cc -m64"})
    assert found.c.command == (toolchain.c.command[0], "-m64")
    assert found.digest != toolchain.digest


def test_tools_are_programs_and_no_scripts(toolchain: Toolchain) -> None:
    for tool in (toolchain.cmake, toolchain.ninja, toolchain.ccache):
        assert Path(tool).is_absolute()
        assert not Path(tool).read_bytes().startswith(b"#!")


def test_a_compiler_that_makes_nothing_is_broken_and_the_help_takes_the_choice_back() -> None:
    told = fault_of({"PATH": "/usr/bin:/bin", "CXX": "/bin/true"})
    assert (told.code, told.help) == ("compiler-broken", "env -u CC -u CXX stackproof build")
    assert "there is no program" in told.notes[0]


def test_a_compiler_whose_programs_do_not_run_is_broken(tmp_path: Path) -> None:
    made = (
        'for last; do :; done; case "$*" in *trial.cpp*) echo "#!/bin/false" > "$last"; chmod +x "$last"; exit;; esac'
    )
    told = fault_of({"PATH": "/usr/bin:/bin", "CXX": str(a_compiler(tmp_path, "c++", before=made))})
    assert told.code == "compiler-broken"
    assert "status 1" in told.notes[0]


def test_a_compiler_that_says_nothing_is_ended_and_told_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.compile.ask.ANSWER_SECONDS", 0.3)
    silent = tmp_path / "c++"
    silent.write_text("#!/bin/sh\nsleep 600\n")
    silent.chmod(0o755)
    told = fault_of({"PATH": "/usr/bin:/bin", "CC": str(silent)})
    assert (told.code, told.help) == ("compiler-silent", "env -u CC -u CXX stackproof build")
    assert f"{silent} --version" in told.message


def test_a_compiler_is_tried_once_a_process(toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("builder.compile.trial._trial", lambda *_: "tried again")
    assert find_toolchain() == toolchain
