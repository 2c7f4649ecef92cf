"""A warm lane: quick, never believed without its record, and the same objects as a fresh one."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from builder.compile.anatomy import kept_anatomy
from builder.compile.toolchain import Toolchain
from builder.compile.warm import Warmed, build_warm
from tests.compile.small import CMAKE, CONFIGURATION, MAIN, SMALL, build_small, small_tree
from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import BuildNeed
from verify.model.progress import Silent

OTHER = SMALL.replace("__FILE__", '"other"')


def warm(
    cache: Path, toolchain: Toolchain, changes: Mapping[str, str] | None = None, *, seconds: float = 60.0
) -> Warmed:
    tree, source = small_tree(changes)
    return build_warm(
        need=BuildNeed(tree=tree, configuration=CONFIGURATION.name),
        configuration=CONFIGURATION,
        toolchain=toolchain,
        source=source,
        cache=cache,
        progress=Silent(),
        keep=True,
        jobs=2,
        seconds=seconds,
    )


def test_only_what_differs_is_compiled_again(tmp_path: Path, toolchain: Toolchain) -> None:
    assert "no build" in warm(tmp_path, toolchain).anew
    second = warm(tmp_path, toolchain, {"src/small.c": OTHER})
    assert second.anew == ""
    assert (second.observation.compiled, second.observation.cache_hits) == (1, 0)


@pytest.mark.parametrize(
    "changes",
    [
        {"src/small.c": OTHER},
        {"src/main.c": MAIN.replace("return 0", "return 1")},
        {
            "src/more.c": "int more(void) { return 1; }\n",
            "CMakeLists.txt": CMAKE.replace("src/small.c", "src/small.c src/more.c"),
        },
    ],
    ids=["library", "program", "file added"],
)
def test_objects_and_files_are_those_of_a_fresh_lane(
    changes: Mapping[str, str], tmp_path: Path, toolchain: Toolchain
) -> None:
    warm(tmp_path / "warm", toolchain)
    after = warm(tmp_path / "warm", toolchain, changes)
    fresh = build_small(tmp_path / "fresh", toolchain, changes)
    assert after.anew == ""
    assert after.observation.artifacts == fresh.observation.artifacts
    assert after.folder is not None
    assert fresh.folder is not None
    left, right = kept_anatomy(after.folder), kept_anatomy(fresh.folder)
    assert left is not None
    assert right is not None
    assert [(each.name, each.sha256) for each in left.objects] == [(each.name, each.sha256) for each in right.objects]


def test_files_that_are_listed_by_pattern_are_found_again(tmp_path: Path, toolchain: Toolchain) -> None:
    globbed = CMAKE.replace(
        "add_library(small SHARED src/small.c)", "file(GLOB s src/s*.c)\nadd_library(small SHARED ${s})"
    )
    warm(tmp_path, toolchain, {"CMakeLists.txt": globbed})
    after = warm(tmp_path, toolchain, {"CMakeLists.txt": globbed, "src/second.c": "int second(void) { return 2; }\n"})
    assert after.anew == ""
    assert after.observation.compiled == 1


def test_a_damaged_object_is_named_and_not_linked(tmp_path: Path, toolchain: Toolchain) -> None:
    warm(tmp_path, toolchain)
    damaged = next((tmp_path / "lanes/release_warm/build").rglob("small.c.o"))
    other = damaged.with_name("main.c.o")
    damaged.write_bytes(other.read_bytes() if other.exists() else b"\x7fELF")
    again = warm(tmp_path, toolchain)
    assert [Path(name).name for name in again.damaged] == ["small.c.o"]
    assert again.observation.artifacts == build_small(tmp_path / "fresh", toolchain).observation.artifacts


def test_a_build_that_was_cut_short_leaves_nothing_to_go_on_with(tmp_path: Path, toolchain: Toolchain) -> None:
    warm(tmp_path, toolchain)
    with pytest.raises(EnvironmentFault):
        warm(tmp_path, toolchain, {"src/small.c": OTHER}, seconds=0.0)
    assert "no build that went well" in warm(tmp_path, toolchain).anew


def test_a_failed_build_leaves_nothing_to_go_on_with(tmp_path: Path, toolchain: Toolchain) -> None:
    warm(tmp_path, toolchain)
    assert not warm(tmp_path, toolchain, {"src/small.c": "nonsense\n"}).observation.ok
    assert "no build that went well" in warm(tmp_path, toolchain).anew
