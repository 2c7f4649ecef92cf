"""Builds with the real CMake, Ninja, ccache and compiler, on a project of three files."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from builder.compile.build import Built, find_build
from builder.compile.toolchain import Toolchain
from tests.compile.small import CMAKE, CONFIGURATION, MAIN, SMALL, Heard, build_small
from tests.compile.test_run import linux, marked
from verify.model.diagnostic import EnvironmentFault
from verify.model.observation import BuildObservation, CompilerMessage


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the module: what the compiler cache knows makes the tests quick."""
    return tmp_path_factory.mktemp("cache")


def output_of(built: Built) -> str:
    assert built.folder is not None, built.observation.tail
    return subprocess.run([built.folder / "bin/tool"], capture_output=True, text=True, check=True).stdout.strip()


def fault_code(caught: pytest.ExceptionInfo[EnvironmentFault]) -> str:
    return caught.value.diagnostics[0].code


def names(observation: BuildObservation) -> list[str]:
    return [artifact.name for artifact in observation.artifacts]


def test_programs_and_libraries_are_kept_with_the_links_they_are_loaded_by(cache: Path, toolchain: Toolchain) -> None:
    built = build_small(cache, toolchain)
    assert built.folder is not None
    assert names(built.observation) == ["libsmall.so.1.2.3", "tool"]
    assert (built.folder / "bin/libsmall.so.1").readlink() == Path("libsmall.so.1.2.3")
    assert json.loads((built.folder / "build.json").read_bytes())["key"]["digest"] == built.key.digest


def test_a_kept_program_finds_its_library_without_the_lane_and_wherever_it_is_moved(
    cache: Path, toolchain: Toolchain, tmp_path: Path
) -> None:
    built = build_small(cache, toolchain)
    assert built.folder is not None
    shutil.rmtree(cache / "lanes/release/build")
    shutil.copytree(built.folder, tmp_path / "moved", symlinks=True)
    ran = subprocess.run([tmp_path / "moved/bin/tool"], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == output_of(built)


def test_a_build_of_a_known_key_runs_nothing(cache: Path, toolchain: Toolchain) -> None:
    first = build_small(cache, toolchain)
    heard = Heard()
    again = build_small(cache, toolchain, progress=heard)
    assert (again.reused, again.observation, heard.stages) == (True, first.observation, [])


def test_asked_for_afresh_it_is_built_and_served_from_the_compiler_cache(cache: Path, toolchain: Toolchain) -> None:
    first = build_small(cache, toolchain)
    again = build_small(cache, toolchain, fresh=True)
    assert not again.reused
    assert (again.observation.compiled, again.observation.cache_hits) == (0, 2)
    assert again.observation.artifacts == first.observation.artifacts


def test_a_cold_build_compiles_all_and_gives_the_same_bytes(cache: Path, toolchain: Toolchain) -> None:
    first = build_small(cache, toolchain)
    cold = build_small(cache, toolchain, cold=True)
    assert (cold.observation.compiled, cold.observation.cache_hits) == (2, 0)
    assert cold.observation.artifacts == first.observation.artifacts


def test_after_one_file_changed_one_object_is_compiled(cache: Path, toolchain: Toolchain) -> None:
    build_small(cache, toolchain)
    changed = build_small(cache, toolchain, {"src/small.c": 'const char * small(void) { return "changed"; }\n'})
    assert (changed.observation.compiled, changed.observation.cache_hits) == (1, 1)
    assert output_of(changed) == "changed"


def test_the_same_tree_gives_the_same_bytes_in_another_cache(tmp_path: Path, toolchain: Toolchain) -> None:
    # a unity build names its parts by absolute path, and __FILE__ is compiled in
    unity = {"CMakeLists.txt": CMAKE + "set_target_properties(small PROPERTIES UNITY_BUILD ON)\n"}
    here, there = (build_small(tmp_path / name, toolchain, unity) for name in ("here", "a/longer/path/there"))
    assert here.observation.artifacts == there.observation.artifacts
    assert "here" not in output_of(here)


@pytest.mark.parametrize("damaged", ["bin/tool", "bin/libsmall.so.1", "build.json"])
def test_a_damaged_build_is_not_used_and_built_again(cache: Path, toolchain: Toolchain, damaged: str) -> None:
    whole = build_small(cache, toolchain)
    assert whole.folder is not None
    path = whole.folder / damaged
    if path.is_symlink():
        path.unlink()
        path.symlink_to("/bin/true")
    else:
        path.write_bytes(path.read_bytes().replace(b"1", b"2", 1))
    again = build_small(cache, toolchain)
    assert not again.reused
    assert again.observation.artifacts == whole.observation.artifacts
    assert build_small(cache, toolchain).reused


def test_a_tree_that_does_not_compile_is_an_observation_with_file_and_line(cache: Path, toolchain: Toolchain) -> None:
    built = build_small(cache, toolchain, {"src/small.c": SMALL + "int later(void) { return sooner; }\n"})
    seen = built.observation
    assert (built.folder, seen.ok, seen.artifacts) == (None, False, ())
    assert seen.errors[0].file == "src/small.c"
    assert seen.errors[0].line == 2
    assert "sooner" in seen.errors[0].text
    assert seen.failed_step.endswith("small.c.o")
    assert any("sooner" in line for line in seen.tail)
    assert (cache / seen.log).read_text().count("sooner") >= 1


def test_a_failed_build_is_not_kept_and_does_not_touch_others(cache: Path, toolchain: Toolchain) -> None:
    good = build_small(cache, toolchain)
    bad = build_small(cache, toolchain, {"src/main.c": "int main(void) { return 0 }\n"})
    need = bad.need
    assert find_build(need=need, configuration=CONFIGURATION, toolchain=toolchain, cache=cache) is None
    assert build_small(cache, toolchain).observation == good.observation


def test_a_symbol_that_nobody_defines_is_named(cache: Path, toolchain: Toolchain) -> None:
    built = build_small(cache, toolchain, {"src/main.c": MAIN.replace("small()", "defined_later()")})
    assert any("undefined reference to `defined_later'" in error.text for error in built.observation.errors)


def test_a_warning_is_told_as_the_tree_names_its_file_also_from_the_cache(cache: Path, toolchain: Toolchain) -> None:
    noisy = {"src/small.c": SMALL + "static int unused;\n"}
    first, second = (build_small(cache, toolchain, noisy, fresh=True).observation for _ in range(2))
    assert first.warnings == second.warnings
    assert first.warnings == (
        CompilerMessage(file="src/small.c", line=2, text="'unused' defined but not used", flag="-Wunused-variable"),
    )
    assert second.cache_hits == 2


def test_a_target_that_does_not_exist_fails_with_ninja_s_words(cache: Path, toolchain: Toolchain) -> None:
    configuration = replace(CONFIGURATION, targets=("smal",))
    seen = build_small(cache, toolchain, configuration=configuration).observation
    assert (seen.ok, seen.failed_step) == (False, "build")
    assert "unknown target 'smal'" in seen.errors[0].text


def test_a_project_that_does_not_configure_fails_at_configure(cache: Path, toolchain: Toolchain) -> None:
    seen = build_small(cache, toolchain, {"CMakeLists.txt": CMAKE + 'message(FATAL_ERROR "no luck")\n'}).observation
    assert (seen.ok, seen.failed_step) == (False, "configure")
    assert (seen.errors[0].file, seen.errors[0].text) == ("CMakeLists.txt", "no luck")


def step(command: str) -> dict[str, str]:
    """The project with one more step that is always run before the library is built."""
    custom = f"add_custom_target(before COMMAND {command})\nadd_dependencies(small before)\n"
    return {"CMakeLists.txt": CMAKE + custom}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_a_fault_and_no_failed_build(cache: Path, toolchain: Toolchain) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        build_small(cache, toolchain, step("dd if=/dev/zero of=/dev/full bs=1k count=1"))
    assert fault_code(caught) == "no-space"


def test_a_killed_compiler_is_a_fault_and_no_failed_build(cache: Path, toolchain: Toolchain) -> None:
    says = "echo 'c++: fatal error: Killed signal terminated program cc1plus'"
    with pytest.raises(EnvironmentFault) as caught:
        build_small(cache, toolchain, step(f'sh -c "{says}; exit 1"'))
    assert fault_code(caught) == "compiler-killed"


def test_sources_that_change_while_they_are_built_make_no_build(cache: Path, toolchain: Toolchain) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        build_small(cache, toolchain, step("cp src/small.c src/main.c WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}"))
    assert fault_code(caught) == "lane-disturbed"
    assert "src/main.c" in caught.value.diagnostics[0].message
    assert output_of(build_small(cache, toolchain, fresh=True)).endswith("small.c")


def test_what_lies_about_in_a_lane_cannot_get_into_a_build(cache: Path, toolchain: Toolchain) -> None:
    parts = CMAKE.replace("src/small.c", "${parts}").replace(
        "add_library", "file(GLOB parts src/small*.c)\nadd_library"
    )
    globbing = {"CMakeLists.txt": parts}
    clean = build_small(cache, toolchain, globbing)
    lane = cache / "lanes/release"
    (lane / "src/src/small_too.c").write_text("int stray(void) { return 1; }\n")
    (lane / "src/src/small.c").write_text(SMALL.replace("__FILE__", '"stale"'))
    (lane / "build/bin/libsmall.so.1.2.3").write_bytes(b"stale")
    again = build_small(cache, toolchain, globbing, fresh=True)
    assert again.observation.artifacts == clean.observation.artifacts


def test_damaged_objects_in_the_compiler_cache_are_not_used(tmp_path: Path, toolchain: Toolchain) -> None:
    clean = build_small(tmp_path, toolchain)
    objects = [path for path in (tmp_path / "ccache").rglob("?" * 38) if path.is_file()]
    assert objects
    for path in objects:
        data = path.read_bytes()
        path.chmod(0o644)
        path.write_bytes(data[: len(data) // 2] + b"\x55" * 8 + data[len(data) // 2 + 8 :])
    again = build_small(tmp_path, toolchain, fresh=True)
    assert again.observation.cache_hits == 0
    assert again.observation.artifacts == clean.observation.artifacts


def test_a_cache_may_be_named_relatively_and_have_spaces_in_its_path(
    tmp_path: Path, cache: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    built = build_small(Path("my cache"), toolchain)
    assert built.observation.artifacts == build_small(cache, toolchain).observation.artifacts
    assert output_of(built).endswith("small.c")


def test_a_build_that_takes_too_long_is_ended_and_not_kept(cache: Path, toolchain: Toolchain) -> None:
    with pytest.raises(EnvironmentFault) as caught:
        build_small(cache, toolchain, step("sleep 60"), seconds=1.5)
    assert fault_code(caught) == "build-timed-out"


INTERRUPTED = """
import sys
from pathlib import Path
from builder.compile.toolchain import find_toolchain
from tests.compile.small import build_small
from tests.compile.test_build import step
build_small(Path(sys.argv[1]), find_toolchain(), step("sleep 60"))
"""


def command(pid: int) -> bytes:
    """What a process runs; nothing of one that has ended meanwhile."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@linux
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_build_never_counts_and_the_next_one_goes_on(
    tmp_path: Path, toolchain: Toolchain, number: signal.Signals
) -> None:
    lane = tmp_path / "lanes/release"
    root = Path(__file__).parents[2]
    child = subprocess.Popen([sys.executable, "-c", INTERRUPTED, tmp_path], cwd=root, stderr=subprocess.DEVNULL)
    while not any(b"sleep" in command(pid) for pid in marked(lane)):
        assert child.poll() is None
        time.sleep(0.02)
    child.send_signal(number)
    child.wait()
    assert list((tmp_path / "builds").glob("*")) == []
    assert output_of(build_small(tmp_path, toolchain)).endswith("small.c")
    assert marked(lane) == []


def test_a_build_step_is_given_no_secret_and_no_network(cache: Path, toolchain: Toolchain) -> None:
    os.environ["STACKPROOF_TEST_SECRET"] = "hidden"
    try:
        built = build_small(cache, toolchain, step("env"), fresh=True)
    finally:
        del os.environ["STACKPROOF_TEST_SECRET"]
    said = (cache / built.observation.log).read_text()
    assert "hidden" not in said
    assert "https_proxy=http://127.0.0.1:9" in said


def test_progress_tells_steps_and_the_outcome_what_was_compiled(cache: Path, toolchain: Toolchain) -> None:
    heard = Heard()
    build_small(cache, toolchain, fresh=True, progress=heard)
    assert any(detail.startswith("[1/") for detail in heard.details)
    assert heard.outcomes[-1].endswith("compiled, 2 cached") or "2 compiled" in heard.outcomes[-1]


@pytest.mark.parametrize("target", ["tool", "small", "parts"])
def test_a_declared_target_that_leaves_no_product_is_no_good_build(
    cache: Path, toolchain: Toolchain, target: str
) -> None:
    nothing = {
        "tool": "set(CMAKE_C_LINK_EXECUTABLE true)\n",
        "small": "set(CMAKE_C_CREATE_SHARED_LIBRARY true)\n",
        "parts": 'set(CMAKE_C_ARCHIVE_CREATE true)\nset(CMAKE_C_ARCHIVE_FINISH "")\n',
    }[target]
    text = CMAKE.replace("add_compile", nothing + "add_compile") + "add_library(parts STATIC src/small.c)\n"
    # a program is linked with a library that was not made only where it does not need it
    text = text.replace("target_link_libraries(tool PRIVATE small)\n", "")
    files = {"CMakeLists.txt": text, "src/main.c": "int main(void) { return 0; }\n"}
    configuration = replace(CONFIGURATION, targets=("tool", "small", "parts"))
    seen = build_small(cache, toolchain, files, configuration=configuration)
    assert (seen.folder, seen.observation.ok, seen.observation.failed_step) == (None, False, "products")
    assert [f"`{target}`" in error.text for error in seen.observation.errors] == [True]


def test_a_target_that_makes_no_file_by_cmake_s_word_may_be_declared(cache: Path, toolchain: Toolchain) -> None:
    text = CMAKE + "add_custom_target(talk COMMAND echo talk)\n"
    configuration = replace(CONFIGURATION, targets=("tool", "libsmall.so", "talk"))
    assert build_small(cache, toolchain, {"CMakeLists.txt": text}, configuration=configuration).observation.ok


def test_a_failure_on_a_full_disk_is_a_fault_also_where_nobody_says_so(
    cache: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.disk.TOO_LITTLE", 1 << 62)
    with pytest.raises(EnvironmentFault) as caught:
        build_small(cache, toolchain, {"src/main.c": "int main(void) { return 0 }\n"})
    assert fault_code(caught) == "no-space"


def test_a_build_that_goes_well_on_a_nearly_full_disk_counts(
    cache: Path, toolchain: Toolchain, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builder.disk.TOO_LITTLE", 1 << 62)
    assert build_small(cache, toolchain, fresh=True).observation.ok
