"""The same tree in two folders: the same bytes, or a difference that is explained."""

from tests.requires.blocks import BRINGS, MODEL, planted
from tests.requires.conftest import Plant
from tests.whole.command import say

DATED = planted("dated", (MODEL, "#include <stdio.h>\n", "#include <stdio.h>\nconst char * mini_made = BUILD_PLACE;\n"))

PLACE = 'add_compile_options(-Wall -Wextra "-DBUILD_PLACE=\\"${CMAKE_BINARY_DIR}\\"")'


def test_the_same_tree_in_two_folders_gives_the_same_bytes(plant: Plant) -> None:
    project = plant(BRINGS)
    said = say("reproduce", root=project.root, cache=project.cache)
    assert said.exit == 0
    assert said.document["compiled"] == 4
    assert not list(project.cache.glob("reproduce-*"))


def test_a_path_in_a_library_is_found_and_explained(plant: Plant) -> None:
    project = plant(DATED)
    project.edit("engine/CMakeLists.txt", "add_compile_options(-Wall -Wextra)", PLACE)
    said = say("reproduce", root=project.root, cache=project.cache)
    assert said.exit == 1
    assert said.codes() == {"not-reproducible"}
    diagnostics = said.document["diagnostics"]
    assert isinstance(diagnostics, list)
    notes = " ".join(diagnostics[0]["notes"])
    assert "path of its build folder" in notes
    assert "object of src/model.c differs" in notes
