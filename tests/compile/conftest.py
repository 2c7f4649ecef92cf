"""The machine's own tools, found once."""

import pytest

from builder.compile.toolchain import Toolchain, find_toolchain


@pytest.fixture(scope="session")
def toolchain() -> Toolchain:
    return find_toolchain()
