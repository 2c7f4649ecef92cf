"""`build --plan`: which part of which key is new, against the nearest record, and what it may take."""

from dataclasses import replace

from builder.nearest import KnownBuild, changes_from_nearest, estimates
from tests.gates.good import BASE, good_build
from tests.requires.blocks import BRINGS
from tests.requires.conftest import Plant
from tests.whole.command import say
from verify.evidence import make_key
from verify.model.evidence import Key

PARTS = {"tree": "a" * 40, "options": "A=1\nB=2", "toolchain": "1" * 64, "recipe": "r/1"}


def known(cpu: float = 10.0, ok: bool = True, **parts: str) -> KnownBuild:
    return KnownBuild(key=key(**parts), observation=replace(good_build(BASE), cpu_seconds=cpu, wall_seconds=cpu, ok=ok))


def key(**parts: str) -> Key:
    return make_key("build", {**PARTS, **parts})


def test_the_nearest_record_is_the_one_that_shares_most_parts() -> None:
    far = known(tree="b" * 40, recipe="r/0", options="A=0")
    changes = changes_from_nearest(key(), (far, known(tree="c" * 40)), {})
    assert changes is not None
    assert [(each.part, each.was) for each in changes] == [("tree", "c" * 40)]


def test_an_option_is_named_and_not_the_whole_list() -> None:
    changes = changes_from_nearest(key(options="A=1\nB=3"), (known(),), {})
    assert changes is not None
    assert [each.told() for each in changes] == ["options B: B=2 -> B=3"]


def test_another_compiler_under_the_same_name_is_named_by_the_part_that_was_exchanged() -> None:
    was = {"C++ version": "c++ 12", "C++ cc1plus": "1" * 64}
    tools = {"1" * 64: was, "2" * 64: {**was, "C++ cc1plus": "2" * 64}}
    changes = changes_from_nearest(key(toolchain="2" * 64), (known(),), tools)
    assert changes is not None
    assert [each.told() for each in changes] == [f"toolchain C++ cc1plus: {'1' * 12} -> {'2' * 12}"]


def test_where_nothing_was_built_there_is_nothing_to_compare_with() -> None:
    assert changes_from_nearest(key(), (), {}) is None
    assert estimates((key(),), ()) == (None,)


def test_an_estimate_is_the_median_of_builds_that_differ_in_their_tree_alone() -> None:
    alike = [known(cpu, tree=letter * 40) for cpu, letter in ((4.0, "b"), (6.0, "c"), (50.0, "d"))]
    (seen,) = estimates((key(),), (*alike, known(900.0, recipe="r/0"), known(1.0, ok=False)))
    assert seen is not None
    assert (seen.cpu_seconds, seen.of, seen.alike) == (6.0, 3, True)


def test_the_first_build_of_its_kind_may_take_as_long_as_the_longest() -> None:
    first, second = estimates((key(), key(tree="e" * 40)), [known(each, recipe="r/0") for each in (2.0, 4.0, 600.0)])
    assert first is not None
    assert second is not None
    assert (first.cpu_seconds, first.alike) == (600.0, False)
    assert (second.cpu_seconds, second.alike) == (4.0, False)


def test_the_plan_says_what_changed_and_what_it_may_take(plant: Plant) -> None:
    project = plant(BRINGS, proofs=("tip",))
    assert say("build", root=project.root, cache=project.cache).exit == 0
    project.edit("release.json", "-O0 ", "-O1 ")
    plan = say("build", "--plan", root=project.root, cache=project.cache).document["plan"]
    assert isinstance(plan, list)
    assert [step["known"] for step in plan] == [False, False]
    (change,) = plan[0]["changed"]
    assert change["part"] == "options CMAKE_C_FLAGS_RELEASE"
    assert "-O0" in change["was"]
    assert "-O1" in change["now"]
    assert plan[0]["estimate"]["wall_seconds"] > 0
