"""What the tests of import and export share."""

from collections.abc import Iterator
from unittest import mock

import pytest


@pytest.fixture(autouse=True, scope="session")
def nothing_waits_for_the_disk() -> Iterator[None]:
    """No test here goes on from what a crash left, and a sync costs more than all else of a small project."""
    with mock.patch("os.fsync"):
        yield
