"""Where git merges without a conflict, a bump of one fold gives the same tree: also where upstream moved the file."""

import random
from pathlib import Path

import pytest

from builder.bump.outcome import OPEN
from builder.bump.renamed import renamed_files
from tests.bump.forks import changed, fork
from tests.core.real_git import Files, RealGit
from verify.model.ids import RepoPath
from verify.model.patch import Mode

OLD, NEW = RepoPath(b"src/old.c"), RepoPath(b"lib/new.c")


def text(rng: random.Random, count: int = 60) -> list[bytes]:
    return [b"line %d of %d\n" % (number, rng.randint(0, 9)) for number in range(count)]


def edited(rng: random.Random, lines: list[bytes], low: int, high: int) -> bytes:
    made = list(lines)
    for at in sorted(rng.sample(range(low, high), 3), reverse=True):
        made[at : at + rng.randint(0, 1)] = [b"changed %d\n" % rng.randint(0, 999)]
    return b"".join(made)


def merged(git: RealGit, base: Files, ours: Files, theirs: Files) -> str | None:
    """The tree that git's merge gives; None where it has a conflict."""
    first = git.run("commit-tree", git.tree_of(base), stdin=b"base").decode().strip()
    sides = [
        git.run("commit-tree", git.tree_of(side), "-p", first, stdin=b"s").decode().strip() for side in (theirs, ours)
    ]
    tree, *rest = git.run("merge-tree", "--write-tree", "--name-only", *sides, check=False).split(b"\n")
    return tree.decode() if rest in ([], [b""]) else None


@pytest.mark.parametrize("seed", range(12))
def test_a_followed_file_is_merged_as_git_merges_a_renamed_one(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    lines = text(rng)
    ours, theirs = edited(rng, lines, 5, 30), edited(rng, lines, 20, 55)
    base = b"".join(lines)
    expected = merged(
        RealGit(tmp_path),
        {OLD: (Mode.FILE, base)},
        {OLD: (Mode.FILE, ours)},
        {NEW: (Mode.FILE, theirs)},
    )
    made = fork({"src/old.c": base}, ("one/f", {"src/old.c": ours}))
    newer = changed(made.tree({}), {"lib/new.c": theirs})
    found = renamed_files([OLD], made.tree({"src/old.c": base}), newer)
    assert [(each.old, each.new) for each in found] == [(OLD, NEW)]
    bumped = made.on_tree(newer, follow={OLD: NEW})
    opened = [fold for fold in bumped.folds if fold.outcome in OPEN]
    assert opened or expected is None or bumped.tip.id == expected
    if not opened:
        assert expected is not None
        assert made.on_tree(newer).tip.blob(NEW) == theirs  # nothing is followed without a word


def test_the_same_content_elsewhere_is_proposed_before_what_is_like_it() -> None:
    rng = random.Random(1)
    base = b"".join(text(rng))
    made = fork({"src/old.c": base}, ("one/f", {"src/old.c": base + b"more\n"}))
    newer = made.tree({"a/like.c": base + b"x\n", "z/same.c": base})
    found = renamed_files([OLD], made.tree({"src/old.c": base}), newer)
    assert [(each.new, each.alike) for each in found] == [(b"z/same.c", 1.0)]


def test_what_is_not_like_it_is_not_proposed() -> None:
    rng = random.Random(2)
    base = b"".join(text(rng))
    made = fork({"src/old.c": base}, ("one/f", {"src/old.c": base + b"more\n"}))
    newer = made.tree({"a/other.c": b"".join(b"something else %d\n" % number for number in range(60))})
    assert renamed_files([OLD], made.tree({"src/old.c": base}), newer) == ()
