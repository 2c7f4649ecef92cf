"""Command lines, and what a build is named by."""

from dataclasses import replace

import pytest

from builder.compile.recipe import RESERVED, build_command, build_key, configure_command, tuned_for_machine
from builder.compile.toolchain import Toolchain
from tests.compile.small import CONFIGURATION
from verify.model.diagnostic import InputFault
from verify.model.evidence import BuildNeed
from verify.model.ids import ConfigName, Sha256, TreeId

NEED = BuildNeed(tree=TreeId("1" * 40), configuration=CONFIGURATION.name)


def options(toolchain: Toolchain, **declared: str) -> dict[str, str]:
    command = configure_command(
        configuration=replace(CONFIGURATION, options=tuple(sorted(declared.items()))),
        toolchain=toolchain,
        lane="/lane",
        source="/lane/src",
        build="/lane/build",
    )
    pairs = (word.removeprefix("-D").partition("=") for word in command if word.startswith("-D"))
    return {name: value for name, _, value in pairs}


def test_declared_options_reach_cmake_and_win_over_ours(toolchain: Toolchain) -> None:
    given = options(toolchain, LLAMA_BUILD_NUMBER="7", CMAKE_EXPORT_COMPILE_COMMANDS="OFF")
    assert (given["LLAMA_BUILD_NUMBER"], given["CMAKE_EXPORT_COMPILE_COMMANDS"]) == ("7", "OFF")


def test_declared_compiler_flags_stand_behind_the_one_that_hides_the_lane(toolchain: Toolchain) -> None:
    given = options(toolchain, CMAKE_CXX_FLAGS="-fno-rtti")
    assert given["CMAKE_CXX_FLAGS"] == '"-ffile-prefix-map=/lane=." -fno-rtti'


def test_only_declared_targets_are_built(toolchain: Toolchain) -> None:
    command = build_command(configuration=CONFIGURATION, toolchain=toolchain, build="/lane/build", jobs=2)
    assert command == (toolchain.ninja, "-C", "/lane/build", "-j", "2", "small", "tool")


@pytest.mark.parametrize("name", sorted(RESERVED))
def test_a_release_cannot_choose_the_tools(toolchain: Toolchain, name: str) -> None:
    configuration = replace(CONFIGURATION, options=((name, "x"),))
    with pytest.raises(InputFault) as caught:
        build_key(NEED, configuration, toolchain)
    assert caught.value.diagnostics[0].code == "option-reserved"


def test_the_name_of_a_configuration_is_no_part_of_a_build(toolchain: Toolchain) -> None:
    other = replace(CONFIGURATION, name=ConfigName("other"))
    assert build_key(NEED, other, toolchain) == build_key(NEED, CONFIGURATION, toolchain)


def test_whatever_may_change_the_bytes_changes_the_key(toolchain: Toolchain) -> None:
    keys = [
        build_key(NEED, CONFIGURATION, toolchain),
        build_key(replace(NEED, tree=TreeId("2" * 40)), CONFIGURATION, toolchain),
        build_key(NEED, replace(CONFIGURATION, build_type="Debug"), toolchain),
        build_key(NEED, replace(CONFIGURATION, targets=("small",)), toolchain),
        build_key(NEED, replace(CONFIGURATION, options=(("GGML_NATIVE", "OFF"), ("X", "1"))), toolchain),
        build_key(NEED, CONFIGURATION, replace(toolchain, digest=Sha256("3" * 64))),
        build_key(NEED, CONFIGURATION, replace(toolchain, machine="Linux riscv64")),
    ]
    assert len({key.digest for key in keys}) == len(keys)


@pytest.mark.parametrize(
    ("declared", "tuned"),
    [
        ((("GGML_NATIVE", "OFF"),), False),
        ((("GGML_NATIVE", "ON"),), True),
        ((), True),  # the engine's own default
        ((("CMAKE_CXX_FLAGS", "-march=native"), ("GGML_NATIVE", "OFF")), True),
    ],
)
def test_only_a_build_for_this_very_processor_is_keyed_to_it(
    toolchain: Toolchain, declared: tuple[tuple[str, str], ...], tuned: bool
) -> None:
    configuration = replace(CONFIGURATION, options=declared)
    elsewhere = replace(toolchain, processor=Sha256("4" * 64))
    same = build_key(NEED, configuration, toolchain) == build_key(NEED, configuration, elsewhere)
    assert (tuned_for_machine(configuration), same) == (tuned, not tuned)
