"""One project that holds and one bundle of it, made once: tests that break a bundle break a copy."""

import shutil
from pathlib import Path

import pytest

from tests.seal.project import Project, make_project


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """The project; nobody changes it."""
    return make_project(tmp_path_factory.mktemp("seal"), image=True)


@pytest.fixture(scope="session")
def sealed(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its bundle; nobody changes it."""
    return project.seal(tmp_path_factory.mktemp("dist")).folder


@pytest.fixture
def bundle(sealed: Path, tmp_path: Path) -> Path:
    """A copy of the bundle, to be broken."""
    return shutil.copytree(sealed, tmp_path / sealed.name)
