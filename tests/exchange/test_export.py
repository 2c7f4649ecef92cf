"""Exports: every form gives the same tree by its own tool, and import after export is identity."""

import os
from pathlib import Path

import pytest

from builder.exchange.branch import export_branch
from builder.exchange.git_range import import_range
from builder.exchange.lay_submission import Rules, lay_submission
from builder.exchange.quilt import import_quilt
from builder.exchange.stack_in import StackIn
from builder.exchange.stack_out import combined_diff, mail_folder, quilt_series
from builder.exchange.written import write_new_file, write_new_folder
from builder.store import Store
from builder.tree import Tree
from tests.core.real_git import RealGit
from tests.exchange.folders import has, random_series, read_and_derive, run
from verify.diff.mail import read_messages
from verify.diff.parse import parse_canonical
from verify.diff.submission import Dialect, parse_sections
from verify.manifest.read import read_release
from verify.model.diagnostic import InputFault

SEEDS = range(3)


def imported(seed: int, folder: Path, count: int = 4) -> StackIn:
    random_series(seed, folder, count)
    return import_quilt(
        orig=folder / "orig", patches=folder / "patches", series=None, dialect=Dialect.GIT, mapping=None,
        out=folder / "out", strict=False,
    )  # fmt: skip


def exported(folder: Path, taken: StackIn, branch: str, *, by_block: bool = False) -> None:
    _, derived = read_and_derive(folder / "out", folder / "cache")
    store = Store.open(folder / "cache/objects.git")
    export_branch(
        blocks=taken.blocks, stack=taken.stack, objects=derived.objects, source=store, repository=folder / "repo.git",
        branch=branch, by_block=by_block,
    )  # fmt: skip


@pytest.mark.parametrize("seed", SEEDS)
def test_a_series_comes_back_as_it_was(seed: int, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    try:
        files = quilt_series(taken.blocks).files
    except InputFault as fault:
        assert {diagnostic.code for diagnostic in fault.diagnostics} == {"not-for-quilt"}
        return
    write_new_folder(tmp_path / "series", files)

    again = import_quilt(
        orig=tmp_path / "orig", patches=tmp_path / "series", series=None, dialect=Dialect.GIT,
        mapping=tmp_path / "series/blocks.json", out=tmp_path / "again", strict=True,
    )  # fmt: skip

    assert again.stack == taken.stack
    assert [fold.patch_bytes for fold in again.blocks[0].folds] == [fold.patch_bytes for fold in taken.blocks[0].folds]


@pytest.mark.parametrize("seed", SEEDS)
def test_the_mails_hold_every_fold(seed: int, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    data = mail_folder(taken.blocks, taken.stack)
    tree = Tree.at(taken.tip.overlay, taken.stack.base_tree)
    for message, layer in zip(read_messages(data), taken.stack.layers, strict=True):
        made = lay_submission(
            [parse_sections(message.text, file="m", dialect=Dialect.GIT)], tree, Rules(dialect=Dialect.GIT), file="m"
        )
        assert getattr(made, "tree", None) is not None, made
        tree = made.tree  # type: ignore[union-attr]  # asserted one line above
        assert tree.id == layer.after


@pytest.mark.parametrize("seed", SEEDS)
def test_git_am_takes_the_mails(seed: int, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    if any(not fold.patch.files for fold in taken.blocks[0].folds):
        return
    (tmp_path / "m").write_bytes(mail_folder(taken.blocks, taken.stack))
    git = RealGit(tmp_path)
    git.store(tuple(taken.tip.new_objects()))
    env = {**git.env, "GIT_WORK_TREE": str(tmp_path / "work"), "GIT_INDEX_FILE": str(tmp_path / "work-index")}
    (tmp_path / "work").mkdir()
    with_base = Store.open(tmp_path / "repo.git")
    read_and_derive(tmp_path / "out", tmp_path / "cache")
    (tmp_path / "repo.git/objects/info").mkdir(exist_ok=True)
    (tmp_path / "repo.git/objects/info/alternates").write_text(f"{tmp_path / 'cache/objects.git/objects'}\n")
    assert with_base is not None
    base = git.run("commit-tree", taken.stack.base_tree, stdin=b"base").decode().strip()
    commands = (
        ("update-ref", "HEAD", base), ("reset", "-q", "--hard"),
        ("am", "-q", "--keep-cr", "--whitespace=nowarn", str(tmp_path / "m")),
    )  # fmt: skip
    for command in commands:
        done = run("git", *command, cwd=tmp_path, env=env)
        assert done.returncode == 0, done.stderr
    tip = run("git", "rev-parse", "HEAD^{tree}", cwd=tmp_path, env=env).stdout.decode().strip()
    assert tip == taken.stack.tip_tree()


@pytest.mark.parametrize("seed", SEEDS)
def test_one_diff_gives_the_tip_also_by_git(seed: int, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    base = Tree.at(taken.tip.overlay, taken.stack.base_tree)
    text = combined_diff(taken.blocks, base, taken.stack.tip_tree())
    parse_canonical(text, file="combined.patch")
    read_and_derive(tmp_path / "out", tmp_path / "cache")
    git = RealGit(tmp_path)
    (tmp_path / "repo.git/objects/info").mkdir(exist_ok=True)
    (tmp_path / "repo.git/objects/info/alternates").write_text(f"{tmp_path / 'cache/objects.git/objects'}\n")
    assert git.apply(taken.stack.base_tree, text) == taken.stack.tip_tree(), git.why


@pytest.mark.parametrize("seed", SEEDS)
def test_a_branch_comes_back_as_the_same_folds_and_commits(seed: int, tmp_path: Path) -> None:
    taken = imported(seed, tmp_path)
    git = RealGit(tmp_path)
    exported(tmp_path, taken, "stack")
    assert git.run("fsck", "--strict", check=False) is not None

    again = import_range(
        repository=tmp_path / "repo.git", revisions=f"{taken.stack.base_commit}..stack", block=None,
        out=tmp_path / "again",
    )  # fmt: skip

    assert [layer.commit for layer in again.stack.layers] == [layer.commit for layer in taken.stack.layers]
    assert [block.name for block in again.blocks] == [block.name for block in taken.blocks]
    assert [fold.id for fold in again.blocks[0].folds] == [fold.id for fold in taken.blocks[0].folds]


def test_a_branch_by_blocks_has_a_commit_for_each(tmp_path: Path) -> None:
    taken = imported(1, tmp_path)
    git = RealGit(tmp_path)
    exported(tmp_path, taken, "b", by_block=True)
    assert git.run("rev-list", "--count", "b").strip() == b"2"
    assert git.run("rev-parse", "b^{tree}").decode().strip() == taken.stack.tip_tree()


def test_a_branch_that_stands_elsewhere_is_not_moved(tmp_path: Path) -> None:
    taken = imported(1, tmp_path)
    git = RealGit(tmp_path)
    other = git.run("commit-tree", git.tree_of({}), stdin=b"mine").decode().strip()
    git.run("update-ref", "refs/heads/b", other)
    with pytest.raises(InputFault, match="branch-exists"):
        exported(tmp_path, taken, "b")
    assert git.run("rev-parse", "b").decode().strip() == other


def test_an_export_never_writes_over_anything(tmp_path: Path) -> None:
    (tmp_path / "there").write_text("mine")
    with pytest.raises(InputFault, match="export-exists"):
        write_new_file(tmp_path / "there", b"")
    with pytest.raises(InputFault, match="export-exists"):
        write_new_folder(tmp_path / "there", {})
    assert (tmp_path / "there").read_text() == "mine"


@pytest.mark.skipif(not has("quilt"), reason="quilt is not installed")
def test_quilt_takes_the_series(tmp_path: Path) -> None:
    (tmp_path / "orig").mkdir()
    (tmp_path / "orig/x").write_bytes(b"".join(b"%d\n" % number for number in range(20)))
    (tmp_path / "patches").mkdir()
    (tmp_path / "patches/a").write_bytes(b"--- a/x\n+++ b/x\n@@ -9,3 +9,3 @@\n 8\n-9\n+nine\n 10\n")
    (tmp_path / "patches/series").write_text("a\n")
    taken = import_quilt(
        orig=tmp_path / "orig", patches=tmp_path / "patches", series=None, dialect=Dialect.GNU, mapping=None,
        out=tmp_path / "out", strict=False,
    )  # fmt: skip
    write_new_folder(tmp_path / "series", quilt_series(taken.blocks).files)
    env = {"PATH": os.environ["PATH"], "QUILT_PATCHES": str(tmp_path / "series"), "LC_ALL": "C"}
    done = run("quilt", "--quiltrc=/dev/null", "push", "-a", "--fuzz=0", cwd=tmp_path / "orig", env=env)
    assert done.returncode == 0, done.stdout
    assert (tmp_path / "orig/x").read_bytes() == taken.tip.blob(taken.blocks[0].folds[0].patch.files[0].new_path or b"")  # type: ignore[arg-type]  # a path
    assert read_release(tmp_path / "out").blocks[0].name == "out"
