"""The commit of a fold: git reads it, and it is the same bytes every time."""

from pathlib import Path

import pytest

from builder.commit import fold_commit
from tests.core.real_git import RealGit
from tests.core.stacks import block, fold
from verify.model.block import Person
from verify.model.diagnostic import InputFault
from verify.model.ids import EMPTY_TREE, CommitId

PARENT = CommitId("a" * 40)


def test_git_makes_the_same_commit(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    parent = CommitId(git.run("commit-tree", EMPTY_TREE, "-m", "root").decode().strip())
    git.run("hash-object", "-t", "tree", "-w", "--stdin")
    one = fold("one", b"", body="Why it is so.\n\nSigned-off-by: A <a@example.org>")
    made = fold_commit(fold=one, block=block("b", one), tree=EMPTY_TREE, parent=parent)

    git.env.update(
        GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@example.org", GIT_AUTHOR_DATE="@1790000000 +0000",
        GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@example.org", GIT_COMMITTER_DATE="@1790000000 +0000",
    )  # fmt: skip
    text = made.data.split(b"\n\n", 1)[1]
    theirs = git.run("commit-tree", EMPTY_TREE, "-p", parent, "-F", "-", stdin=text)

    assert theirs.decode().strip() == made.id


def test_git_reads_the_trailers(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    one = fold("one", b"", body="Why.\n\nSigned-off-by: A <a@example.org>")
    made = fold_commit(fold=one, block=block("b", one), tree=EMPTY_TREE, parent=PARENT)

    trailers = git.run("interpret-trailers", "--parse", stdin=made.data.split(b"\n\n", 1)[1])

    assert trailers.split(b"\n")[:3] == [
        b"Signed-off-by: A <a@example.org>", b"Stackproof-Block: b", b"Stackproof-Fold: one"
    ]  # fmt: skip


@pytest.mark.parametrize("date", ["yesterday", "1790000000 +0000", "@1790000000", "@-1 +0000", "@1 +00:00"])
def test_a_date_that_is_not_raw_is_a_fault(date: str) -> None:
    one = fold("one", b"", date=date)
    with pytest.raises(InputFault, match="fold-identity"):
        fold_commit(fold=one, block=block("b", one), tree=EMPTY_TREE, parent=PARENT)


@pytest.mark.parametrize("name", ["A <B", "A\nB", "A\0"])
def test_an_author_that_would_break_the_commit_is_a_fault(name: str) -> None:
    one = fold("one", b"")
    bad = type(one)(**{slot: getattr(one, slot) for slot in one.__slots__} | {"author": Person(name=name, email="a@b")})
    with pytest.raises(InputFault, match="fold-identity"):
        fold_commit(fold=bad, block=block("b", bad), tree=EMPTY_TREE, parent=PARENT)
