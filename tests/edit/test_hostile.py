"""Whatever the user and the checkout say to git, the same commits give the same folds (hazards E9, E10)."""

import subprocess
from pathlib import Path

import pytest

from tests.edit.workshop import Workshop
from tests.git.hostile import evil_config, hostile

__all__ = ["hostile"]

NEW = "int c;\n\n \t \nint d;   \n"


def test_no_configuration_changes_what_is_read_from_a_branch(shop: Workshop, request: pytest.FixtureRequest) -> None:
    shop.commit("More\n\nStackproof-Block: beta\nStackproof-Fold: more", src__b=NEW)
    shop.git("mv", "src/a.cpp", "src/renamed.cpp")
    shop.commit("Move\n\nStackproof-Block: beta\nStackproof-Fold: move")
    expected = dict(shop.plan().contents)
    config = shop.branch / ".git/config"
    config.write_text(config.read_text() + evil_config())
    attributes = shop.branch / ".git/info/attributes"
    attributes.write_text(attributes.read_text() + "* -diff\n")
    hooks = shop.branch / ".git/hooks"
    hooks.mkdir()
    (hooks / "post-checkout").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "post-checkout").chmod(0o755)
    request.getfixturevalue("hostile")
    assert dict(shop.plan().contents) == expected


def test_no_configuration_changes_what_is_checked_out(shop: Workshop, hostile: Path, tmp_path: Path) -> None:
    other = Workshop(root=shop.root, cache=shop.cache, branch=tmp_path / "other")
    made = other.checkout()
    assert made.commit == shop.stack().tip_commit()
    assert (other.branch / "crlf.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert (other.branch / "src/a.cpp").stat().st_mode & 0o777 == 0o644


def test_a_moved_file_is_a_removed_and_a_new_one(shop: Workshop) -> None:
    shop.git("mv", "src/b.cpp", "src/c.cpp")
    plan = shop.sync({shop.commit("Move b"): "beta/move"})
    patch = dict(plan.contents)["blocks/beta/folds/move/fold.patch"]
    assert patch is not None
    assert patch.count(b"diff --git") == 2
    assert b"rename" not in patch


def test_a_replaced_object_is_not_believed(shop: Workshop) -> None:
    before = shop.plan()
    head = shop.git("rev-parse", "HEAD")
    subprocess.run(["git", "replace", head, "refs/stackproof/base"], cwd=shop.branch, check=True, capture_output=True)
    assert shop.plan() == before
