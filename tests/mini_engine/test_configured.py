"""What a build was configured with is kept beside it, in words of the tree and not of the place."""

import json
from pathlib import Path

from builder.compile.configured import NAME, read_configured
from tests.mini_engine.conftest import Made
from verify.model.codec import from_json
from verify.model.configured import Configured


def kept(made: Made) -> Configured:
    assert made.tip.folder is not None
    return from_json(Configured, json.loads((made.tip.folder / NAME).read_bytes()))


def test_options_are_those_of_the_configuration(made: Made) -> None:
    options = dict(kept(made).options)
    assert (options["GGML_NATIVE"], options["MINI_GREETING"], options["CMAKE_BUILD_TYPE"]) == ("OFF", "OFF", "Release")


def test_tests_are_those_that_ctest_knows(made: Made) -> None:
    tests = {test.name: test for test in kept(made).tests}
    assert tests["mini-step"].command == ("{bin}/mini-test", "step")
    assert tests["mini-step"].labels == ("main",)
    assert tests["mini-step"].program() == "mini-test"
    assert tests["mini-sources"].needs_source()


def test_no_path_of_the_lane_is_kept(made: Made) -> None:
    assert made.tip.folder is not None
    assert str(made.project.cache) not in (made.tip.folder / NAME).read_text("utf-8")


def test_a_folder_that_was_not_configured_has_nothing(tmp_path: Path) -> None:
    assert read_configured(build=tmp_path, source=tmp_path) == Configured(options=(), tests=())
