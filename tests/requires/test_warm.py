"""The warm lane from the command line: quick, told as no evidence, and compared with a fresh lane."""

from pathlib import Path

from tests.requires.blocks import BRINGS, MODEL, planted
from tests.requires.conftest import Plant
from tests.whole.command import say

BROKEN = planted("broken", (MODEL, "#include <stdio.h>\n", "#include <stdio.h>\nint mini_broken = no_such_name;\n"))
SEEN = planted("seen", (MODEL, "#include <stdio.h>\n", "#include <stdio.h>\nconst char * mini_seen = SEEN;\n"))
UNNAMED_INPUT = """\
file(SHA256 ${CMAKE_SOURCE_DIR}/src/model.c SEEN)
add_compile_options(-Wall -Wextra "-DSEEN=\\"${SEEN}\\"")"""


def test_the_tip_goes_on_from_the_last_build_and_is_no_evidence(plant: Plant) -> None:
    project = plant(BRINGS)
    before = sorted((project.cache / "evidence").rglob("*"))
    first = say("build", "--warm", root=project.root, cache=project.cache)
    again = say("build", "--warm", root=project.root, cache=project.cache)
    assert (first.exit, again.exit) == (0, 0)
    assert (again.document["anew"], again.document["compiled"]) == ("", 0)
    assert sorted((project.cache / "evidence").rglob("*")) == before


def test_the_first_error_names_its_fold(plant: Plant) -> None:
    project = plant(BROKEN)
    said = say("build", "--warm", root=project.root, cache=project.cache)
    assert said.exit == 1
    assert "block `broken`" in str(said.document["diagnostics"])


def test_a_damaged_object_is_told(plant: Plant) -> None:
    project = plant(BRINGS)
    say("build", "--warm", root=project.root, cache=project.cache)
    lane = next(Path(project.cache, "lanes").glob("*_warm"))
    next((lane / "build").rglob("*.o")).write_bytes(b"")
    said = say("build", "--warm", root=project.root, cache=project.cache)
    assert (said.exit, said.codes()) == (0, {"lane-damaged"})


def test_warm_and_fresh_give_the_same_files(plant: Plant) -> None:
    project = plant(BRINGS)
    said = say("reproduce", "--warm", root=project.root, cache=project.cache)
    assert (said.exit, said.codes()) == (0, set())


def test_an_input_that_the_build_tool_does_not_know_is_found(plant: Plant) -> None:
    project = plant(SEEN)
    project.edit("engine/CMakeLists.txt", "add_compile_options(-Wall -Wextra)", UNNAMED_INPUT)
    said = say("reproduce", "--warm", root=project.root, cache=project.cache)
    assert (said.exit, said.codes()) == (1, {"warm-differs"})
    assert "object of src/model.c differs" in str(said.document["diagnostics"])
