"""The combined diff: one canonical patch that makes the tip of the base, by our own hands and by git's."""

import random
from pathlib import Path

import pytest

from builder.exchange.tree_diff import patch_between
from builder.layer import Laid, lay
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files, RealGit
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.ids import RepoPath, TreeId
from verify.model.patch import Mode


def combined(base: Files, tip: Files) -> bytes:
    return render_patch(patch_between(tree_in_memory(base)[0], tree_in_memory(tip)[0]))


def made(base: Files, patch: bytes) -> TreeId:
    laid = lay(parse_canonical(patch, file="c"), tree_in_memory(base)[0], file="c", text=patch)
    assert isinstance(laid, Laid), laid
    return laid.tree.id


def test_any_number_of_folds_is_one_patch_that_git_applies_too(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    for seed in range(20):
        rng = random.Random(seed)
        base = tip = random_files(rng, 30)
        for _ in range(4):
            tip = random_patch(rng, tip, 12)[1]

        patch = combined(base, tip)

        expected = tree_in_memory(tip)[0].id
        assert made(base, patch) == expected
        assert git.apply(git.tree_of(base), patch) == expected, git.why


def test_a_file_that_becomes_a_link_is_deleted_and_created() -> None:
    path = RepoPath(b"a")

    patch = combined({path: (Mode.FILE, b"text\n")}, {path: (Mode.SYMLINK, b"b")})

    assert patch.index(b"deleted file mode 100644") < patch.index(b"new file mode 120000")


@pytest.mark.parametrize("mode", [Mode.FILE, Mode.SYMLINK])
def test_what_is_as_it_was_is_not_in_the_patch(mode: Mode) -> None:
    files = {RepoPath(b"a"): (mode, b"text")}

    assert combined(files, files) == b""
