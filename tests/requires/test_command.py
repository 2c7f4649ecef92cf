"""`stackproof requires` as a user runs it, and configurations that ask for different proofs."""

from tests.requires.blocks import BRINGS, CONFIGURATION, NEEDLESS, USES, USES_AND_SAYS
from tests.requires.conftest import Plant, told
from tests.whole.command import say


def test_what_a_block_uses_is_found_by_building_and_compared_with_what_it_says(plant: Plant) -> None:
    project = plant(BRINGS, USES, NEEDLESS)
    said = say("requires", "--build", root=project.root, cache=project.cache)
    assert said.exit == 1
    assert said.codes() == {"requires-missing", "requires-unneeded"}
    blocks = said.document["blocks"]
    assert isinstance(blocks, list)
    uses = next(block for block in blocks if block["block"] == "uses")
    (found,) = uses["uses"]
    assert (found["symbol"], found["block"], found["used"]["file"]) == ("mini_brought", "brings", "src/model.c")
    assert uses["builds"] is True


def test_each_configuration_is_built_on_the_trees_that_it_promises(plant: Plant) -> None:
    project = plant(BRINGS, USES_AND_SAYS)
    release = project.release()
    sanitized = {"CMAKE_C_FLAGS": "-O0 -fsanitize=address,undefined", "CMAKE_CXX_FLAGS": "-O0"}
    release["configurations"] = {
        "library": {**CONFIGURATION, "proofs": ["prefix", "alone", "tip"]},
        "debug": {"build_type": "Debug", "options": sanitized, "targets": ["mini"], "proofs": ["tip"]},
        "minimal": {**CONFIGURATION, "targets": ["mini"], "proofs": ["alone"]},
    }
    project.write_release(release)
    assert told(project, "build") == ()
    plan = say("build", "--plan", root=project.root, cache=project.cache).document["plan"]
    assert isinstance(plan, list)
    assert [(step["configuration"], step["proof"]) for step in plan] == [
        ("debug", "base"),
        ("debug", "prefix uses"),
        ("library", "base"),
        ("library", "prefix brings"),
        ("library", "prefix uses"),
        ("minimal", "base"),
        ("minimal", "prefix brings"),
        ("minimal", "prefix uses"),
    ]
