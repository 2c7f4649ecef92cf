"""The mini project as other tests take it: it reads, stacks and builds, and its archive is the same every time."""

import tarfile
from pathlib import Path

from builder.store import Store
from builder.upstream import import_base
from tests.mini_engine.conftest import Made
from tests.mini_engine.project import ENGINE, engine_archive, write_project
from verify.manifest.read import read_release
from verify.model.progress import Silent


def test_it_has_two_blocks_and_three_layers(made: Made) -> None:
    layers = [(layer.block, layer.fold) for layer in made.stack.layers]
    assert layers == [("prefill-rotation", "rotate"), ("prefill-rotation", "unified"), ("checkpoint-keep", "keep")]


def test_its_tip_builds_without_a_warning_and_only_what_is_named(made: Made) -> None:
    seen = made.tip.observation
    assert (seen.ok, seen.warnings) == (True, ())
    assert [artifact.name for artifact in seen.artifacts] == ["libmini.so.1.2.0", "llama-server", "mini-test"]


def test_a_base_of_kind_archive_is_the_same_tree_as_the_folder(made: Made, tmp_path: Path) -> None:
    project = write_project(tmp_path / "project", tmp_path / "cache", base="archive")
    base = import_base(
        base=read_release(project.root).base,
        root=project.root,
        store=Store.open(tmp_path / "objects.git"),
        cache=tmp_path / "cache",
        offline=True,
        progress=Silent(),
    )
    assert base.tree == made.stack.base_tree


def test_the_archive_is_the_same_bytes_every_time(tmp_path: Path) -> None:
    (tmp_path / "a.tar.gz").write_bytes(engine_archive())
    with tarfile.open(tmp_path / "a.tar.gz") as archive:
        files = {member.name for member in archive}
    assert files == {f"mini-1/{path.relative_to(ENGINE).as_posix()}" for path in ENGINE.rglob("*") if path.is_file()}
    assert engine_archive() == (tmp_path / "a.tar.gz").read_bytes()
