"""One release of the mini project, made once in a process: tests that change it change a copy."""

import pytest

from tests.mini_engine.project import write_project
from tests.whole.command import say
from tests.whole.given import Whole


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    folder = tmp_path_factory.mktemp("whole")
    project = write_project(folder / "project", folder / "cache")
    assert say("pin", root=project.root, cache=project.cache).exit == 0
    return Whole(project=project, said=say("release", root=project.root, cache=project.cache))
