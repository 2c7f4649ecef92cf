"""Whatever `git diff` prints, with any of its options, is read and gives the tree that it was made from."""

import random
from pathlib import Path

import pytest

from builder.exchange.lay_submission import Rules, Taken, lay_submission
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import RealGit
from verify.diff.parse import parse_git_diff
from verify.diff.render import render_patch
from verify.diff.submission import Dialect, parse_sections

OPTIONS = (
    ((), 1), (("-M",), 1), (("-M", "-C", "--find-copies-harder"), 1), (("-U0",), 1), (("-U1",), 1), (("-U10",), 1),
    (("--no-prefix",), 0), (("--src-prefix=x/y/", "--dst-prefix=z/w/"), 2), (("--patience",), 1), (("-B", "-M"), 1),
    (("--minimal", "--inter-hunk-context=9"), 1), (("--full-index",), 1), (("-W",), 1),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize(("options", "strip"), OPTIONS)
def test_what_git_prints_gives_the_tree_it_was_made_from(
    options: tuple[str, ...], strip: int, seed: int, tmp_path: Path
) -> None:
    rng = random.Random(seed + 100 * len(options[0] if options else ""))
    files = random_files(rng, 30)
    _, after = random_patch(rng, files, 25)
    git = RealGit(tmp_path)
    quoted = ("-c", f"core.quotePath={rng.choice(('true', 'false'))}")
    old, new = git.tree_of(files), git.tree_of(after)
    text = git.run(*quoted, "diff-tree", "-p", "-r", "--binary", "--submodule=short", *options, old, new)

    tree, _ = tree_in_memory(files)
    sections = parse_sections(text, file="p", dialect=Dialect.GIT)
    made = lay_submission([sections], tree, Rules(dialect=Dialect.GIT, strip=strip), file="p")

    assert isinstance(made, Taken), made.findings
    assert made.tree.id == new
    assert git.apply(old, made.text) == new, git.why

    back = lay_submission([sections], made.tree, Rules(dialect=Dialect.GIT, strip=strip, reverse=True), file="p")
    assert isinstance(back, Taken), back.findings
    assert back.tree.id == old


@pytest.mark.parametrize("seed", range(8))
def test_gits_own_form_is_read_and_printed_as_git_applies_it(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 20)
    _, after = random_patch(rng, files, 15)
    git = RealGit(tmp_path)
    old, new = git.tree_of(files), git.tree_of(after)
    text = git.run("diff-tree", "-p", "-r", "--binary", "--full-index", "-M", old, new)
    assert git.apply(old, render_patch(parse_git_diff(text, file="p"))) == new, git.why
