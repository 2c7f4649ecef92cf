"""The project with two pinned folds and its checkout: made once, copied for every test."""

import shutil
from pathlib import Path

import pytest

from tests.edit.workshop import Workshop


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.new(tmp_path_factory.mktemp("template")).with_two_folds()


@pytest.fixture
def shop(template: Workshop, tmp_path: Path) -> Workshop:
    """A copy with its own cache: the checkout borrows from that one."""
    for folder in (template.root, template.cache, template.branch):
        shutil.copytree(folder, tmp_path / folder.name, symlinks=True)
    made = Workshop(root=tmp_path / "project", cache=tmp_path / "cache", branch=tmp_path / "branch")
    (made.branch / ".git/objects/info/alternates").write_text(f"{made.cache}/objects.git/objects\n")
    return made
