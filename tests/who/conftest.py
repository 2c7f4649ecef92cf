"""The project with two pinned folds, and commands run on it in this very process."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.edit.conftest import template
from tests.edit.workshop import Workshop

__all__ = ["template"]

Run = Callable[..., "Ran"]


class Ran:
    """One command's exit status, its text or its JSON."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    def json(self) -> dict[str, object]:
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


def lines_of(ran: Ran) -> list[dict[str, Any]]:
    """What `owner --json` says of each run of lines."""
    lines = ran.json()["lines"]
    assert isinstance(lines, list)
    return lines


@pytest.fixture
def shop(template: Workshop, tmp_path: Path) -> Workshop:
    for folder in (template.root, template.cache):
        shutil.copytree(folder, tmp_path / folder.name, symlinks=True)
    return Workshop(root=tmp_path / "project", cache=tmp_path / "cache", branch=tmp_path / "branch")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    from builder.cli.main import app

    monkeypatch.setenv("STACKPROOF_CACHE", str(tmp_path / "cache"))

    def run_command(*args: str | Path) -> Ran:
        done = CliRunner().invoke(app, [str(arg) for arg in args])
        return Ran(done.exit_code, done.stdout, done.stderr)

    return run_command
