"""Faults planted around a build: each is found and named, whatever the cache remembers."""

import json
from hashlib import sha256
from pathlib import Path

from tests.mini_engine.project import MiniProject
from tests.requires.blocks import BRINGS
from tests.requires.conftest import Plant
from tests.whole.command import say
from verify.model.codec import canonical_json


def built(project: MiniProject, cache: Path) -> dict[str, Path]:
    """Build; the kept folders by proof."""
    builds = say("build", root=project.root, cache=cache).document["builds"]
    assert isinstance(builds, list)
    return {build["proof"]: cache / "builds" / build["key"] for build in builds}


def test_a_kept_library_with_other_bytes_is_named_and_built_again(plant: Plant, tmp_path: Path) -> None:
    project, cache = plant(BRINGS, proofs=("tip",)), tmp_path / "cache"
    folder = built(project, cache)["prefix brings"]
    library = next(path for path in (folder / "bin").iterdir() if not path.is_symlink())
    whole = library.read_bytes()
    library.write_bytes(whole[:-1] + b"!")
    said = say("build", root=project.root, cache=cache)
    diagnostics = said.document["diagnostics"]
    assert isinstance(diagnostics, list)
    assert [each["code"] for each in diagnostics] == ["build-damaged"]
    assert library.name in diagnostics[0]["message"]
    assert said.exit == 0
    assert library.read_bytes() == whole


def test_objects_damaged_in_a_stale_lane_do_not_come_into_a_build(plant: Plant, tmp_path: Path) -> None:
    project, cache = plant(BRINGS, proofs=("tip",)), tmp_path / "cache"
    folders = built(project, cache)
    before = {name: (folder / "build.json").read_bytes() for name, folder in folders.items()}
    objects = list((cache / "lanes/library/build").rglob("*.o"))
    for each in objects:
        each.write_bytes(b"damaged")
    assert objects
    assert say("build", "--fresh", root=project.root, cache=cache).exit == 0
    for name, folder in folders.items():
        assert artifacts(folder) == json.loads(before[name])["observation"]["artifacts"]


def test_a_kept_build_that_is_whole_and_wrong_is_told_by_two_fresh_ones(plant: Plant, tmp_path: Path) -> None:
    project, cache = plant(BRINGS, proofs=("tip",)), tmp_path / "cache"
    folder = built(project, cache)["prefix brings"]
    library = next(path for path in (folder / "bin").iterdir() if not path.is_symlink())
    library.write_bytes(library.read_bytes() + b"from a damaged compiler cache")
    record = json.loads((folder / "build.json").read_bytes())
    (artifact,) = record["observation"]["artifacts"]
    artifact |= {"sha256": sha256(library.read_bytes()).hexdigest(), "size": library.stat().st_size}
    del record["sha256"]
    record["sha256"] = sha256(canonical_json(record)).hexdigest()
    (folder / "build.json").write_bytes(canonical_json(record))
    said = say("reproduce", root=project.root, cache=cache)
    assert said.exit == 1
    assert said.codes() == {"kept-build-differs"}


def test_another_compiler_under_the_same_name_is_named_in_the_plan(plant: Plant, tmp_path: Path) -> None:
    project, cache = plant(BRINGS, proofs=("tip",)), tmp_path / "cache"
    compiler = tmp_path / "bin/cc"
    compiler.parent.mkdir()
    compiler.write_text('#!/bin/sh\nexec /usr/bin/cc "$@"\n')
    compiler.chmod(0o755)
    assert say("build", root=project.root, cache=cache, env={"CC": str(compiler)}).exit == 0
    compiler.write_text('#!/bin/sh\n# another one\nexec /usr/bin/cc "$@"\n')
    plan = say("build", "--plan", root=project.root, cache=cache, env={"CC": str(compiler)}).document["plan"]
    assert isinstance(plan, list)
    assert [step["known"] for step in plan] == [False, False]
    assert [change["part"] for change in plan[0]["changed"]] == ["toolchain C driver"]


def artifacts(folder: Path) -> object:
    return json.loads((folder / "build.json").read_bytes())["observation"]["artifacts"]
