"""The core against real git on random trees and patches: what we accept, git gives the same tree for."""

import random
from pathlib import Path

import pytest

from builder.layer import Laid, lay
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import RealGit
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch


@pytest.mark.parametrize("seed", range(20))
def test_a_random_patch_leaves_the_tree_that_git_leaves(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 40)
    patch, after = random_patch(rng, files, 35)
    tree, _ = tree_in_memory(files)
    text = render_patch(patch)

    laid = lay(parse_canonical(text, file="p"), tree, file="p", text=text)

    assert isinstance(laid, Laid), laid
    git = RealGit(tmp_path)
    assert git.tree_of(files) == tree.id
    assert tree_in_memory(after)[0].id == laid.tree.id
    assert git.apply(tree.id, text) == laid.tree.id, git.why
