"""The mini project and its builds, made once."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from builder.compile.build import Built, build
from builder.compile.toolchain import find_toolchain
from builder.stack import derive
from builder.store import Store
from builder.upstream import import_base
from tests.mini_engine.project import MiniProject, write_project
from verify.manifest.read import read_release
from verify.model.evidence import BuildNeed
from verify.model.ids import TreeId
from verify.model.progress import Silent
from verify.model.release import Release
from verify.model.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """The project read and stacked, and its tip built."""

    project: MiniProject
    release: Release
    stack: Stack
    store: Store
    tip: Built


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    root = tmp_path_factory.mktemp("mini")
    project = write_project(root / "project", root / "cache")
    release = read_release(project.root)
    store = Store.open(project.cache / "objects.git")
    base = import_base(
        base=release.base, root=project.root, store=store, cache=project.cache, offline=True, progress=Silent()
    )
    derived = derive(blocks=release.blocks, lock=None, base_tree=base.tree, base_commit=base.commit, source=store)
    store.write(derived.objects)
    assert isinstance(derived.result, Stack), derived.result
    yield Made(
        project=project,
        release=release,
        stack=derived.result,
        store=store,
        tip=build_mini(derived.result.tip_tree(), release, store, project.cache),
    )


def build_mini(tree: TreeId, release: Release, store: Store, cache: Path) -> Built:
    """Build one of the project's trees."""
    configuration = release.configurations[0]
    return build(
        need=BuildNeed(tree=tree, configuration=configuration.name),
        configuration=configuration,
        toolchain=find_toolchain(),
        source=store,
        cache=cache,
        progress=Silent(),
        jobs=2,
    )
