"""What each block brings to the build, and which objects it is made of."""

from builder.compile.anatomy import kept_anatomy
from tests.requires.blocks import BRINGS, WARNS
from tests.requires.conftest import Plant
from tests.whole.command import say


def test_warnings_objects_sizes_and_exports_are_told_per_block(plant: Plant) -> None:
    project = plant(BRINGS, WARNS, proofs=("prefix",))
    builds = say("build", "--fresh", root=project.root, cache=project.cache).document["builds"]
    assert isinstance(builds, list)
    blocks = say("weigh", root=project.root, cache=project.cache).document["blocks"]
    assert isinstance(blocks, list)
    brings, warns = blocks
    assert brings["came"] == ["libmini.so:mini_brought"]
    assert brings["gone"] == []
    assert brings["warnings"] == []
    assert any("vocab.c" in name for name in brings["objects"])
    assert brings["object_bytes"] > 0
    assert [warning["flag"] for warning in warns["warnings"]] == ["-Wunused-variable"]
    assert warns["came"] == []
    anatomy = kept_anatomy(project.cache / "builds" / builds[-1]["key"])
    assert anatomy is not None
    assert [each.source for each in anatomy.objects] == ["src/model.c", "src/vocab.c"]
    assert all(each.name.startswith("CMakeFiles/mini.dir/src/") and each.size > 0 for each in anatomy.objects)
    assert all(each.seconds > 0 for each in anatomy.objects)
