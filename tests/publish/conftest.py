"""One bundle for all tests of this folder, read once."""

from pathlib import Path

import pytest

from builder.publish.parcel import Parcel, open_parcel
from tests.seal.project import Project, make_project


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project; nobody changes it."""
    return make_project(tmp_path_factory.mktemp("published"), image=True)


@pytest.fixture(scope="session")
def bundle(published: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its bundle."""
    return published.seal(tmp_path_factory.mktemp("dist")).folder


@pytest.fixture(scope="session")
def parcel(published: Project, bundle: Path) -> Parcel:
    """What is handed on of it."""
    return open_parcel(bundle, base=published.store.git_dir)


@pytest.fixture(scope="session")
def other(tmp_path_factory: pytest.TempPathFactory) -> Parcel:
    """Another content under the same name."""
    folder = tmp_path_factory.mktemp("other")
    project = make_project(folder, flavour="-b")
    return open_parcel(project.seal(folder / "dist").folder, base=project.store.git_dir)
