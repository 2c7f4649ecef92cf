"""A delivery with its bundle and an overlay on it, made once and copied for each test."""

import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.overlay.world import ARCHIVE, Project, delivery, overlay


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """The folder of all, the delivery, its bundle, the overlay."""

    folder: Path
    delivery: Project
    bundle: Path
    overlay: Project

    @property
    def archive(self) -> Path:
        """Upstream."""
        return self.folder / ARCHIVE


def world_in(folder: Path) -> World:
    """The world whose files lie in `folder`."""
    cache = folder / "cache"
    return World(
        folder=folder,
        delivery=Project(root=folder / "delivery", cache=cache),
        bundle=folder / "dist/engine-1-r1",
        overlay=Project(root=folder / "overlay", cache=cache),
    )


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> World:
    folder = tmp_path_factory.mktemp("overlay")
    bundle = delivery(folder).seal(folder / "dist")
    overlay(folder, bundle)
    return world_in(folder)


@pytest.fixture
def world(template: World, tmp_path: Path) -> World:
    """A copy of all of it."""
    return world_in(shutil.copytree(template.folder, tmp_path / "world", symlinks=True))
