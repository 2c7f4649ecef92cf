"""Whole outputs kept beside this module: what users see changes only with a diff that somebody has read.

`UPDATE_GOLDEN=1 make test` writes what was met and fails; read the diff, then run again without it.
"""

import os
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def assert_golden(name: str, met: str) -> None:
    """The text must be the one in `tests/golden/NAME.txt`."""
    path = HERE / f"{name}.txt"
    if os.environ.get("UPDATE_GOLDEN"):
        if not path.exists() or path.read_text(encoding="utf-8") != met:
            path.write_text(met, encoding="utf-8")
            pytest.fail(f"wrote {path.name}: read the diff")
        return
    assert met == (path.read_text(encoding="utf-8") if path.exists() else "")
