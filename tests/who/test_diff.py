"""Two releases next to each other."""

import json
import subprocess
from dataclasses import replace

import pytest

from builder.compare import What, compare, sameness
from tests.core.stacks import TEXT, replacing
from tests.edit.workshop import Workshop
from tests.gates.good import good_release
from tests.who.conftest import Run
from verify.diff.parse import parse_canonical
from verify.model.block import Block, Fold
from verify.model.ids import BlockName, CommitId, FoldId
from verify.model.release import Release


@pytest.mark.parametrize(
    ("content", "new", "what"),
    [
        (TEXT, b"new\n", What.IDENTICAL),
        (b"more\n" + TEXT, b"new\n", What.OFFSET),
        (TEXT, b"new \n", What.CHANGED),
        (TEXT.replace(b"line 9\n", b"line nine\n"), b"new\n", What.CHANGED),
    ],
)
def test_patches_are_the_same_up_to_places(content: bytes, new: bytes, what: What) -> None:
    first = parse_canonical(replacing(TEXT, b"line 10\n", b"new\n"), file="x")
    second = parse_canonical(replacing(content, b"line 10\n", new), file="x")
    assert sameness(first, second) is what


def test_a_release_is_the_same_as_itself() -> None:
    assert compare(good_release(), good_release()).is_same()


def blocks_of(release: Release, *blocks: Block) -> Release:
    return replace(release, blocks=blocks)


def test_every_way_a_block_can_differ_is_told() -> None:
    old = good_release()
    queue, cache = old.blocks
    extra = replace(cache, name=BlockName("extra"))
    new = blocks_of(old, cache, replace(queue, title="Another"), extra)
    told = {each.block: (each.what, each.reordered) for each in compare(old, new).blocks}
    assert told == {
        "cache": (What.IDENTICAL, True),
        "queue": (What.CHANGED, True),
        "extra": (What.NEW, False),
    }


def test_a_block_that_is_gone_is_told_with_its_folds() -> None:
    old = good_release()
    gone = compare(old, blocks_of(old, old.blocks[0])).blocks[-1]
    assert (gone.block, gone.what, [fold.what for fold in gone.folds]) == ("cache", What.GONE, [What.GONE])


def test_a_fold_that_moved_to_another_block_is_told() -> None:
    old = good_release()
    queue, cache = old.blocks
    moved = blocks_of(old, replace(queue, folds=()), replace(cache, folds=(*cache.folds, *queue.folds)))
    (fold,) = [fold for block in compare(old, moved).blocks for fold in block.folds if fold.moved_from]
    assert (fold.fold, fold.block, fold.moved_from) == ("rotate", "cache", "queue")


def test_credit_that_changed_is_a_change() -> None:
    old = good_release()
    queue, cache = old.blocks

    def renamed(fold: Fold) -> Fold:
        return replace(fold, author=replace(fold.author, name="Someone Else"))

    told = compare(old, blocks_of(old, replace(queue, folds=tuple(map(renamed, queue.folds))), cache))
    assert told.blocks[0].folds[0].fields == ("author",)


def test_a_moved_base_is_told() -> None:
    old = good_release()
    new = replace(old, base=replace(old.base, upstream_commit=CommitId("c" * 40)))
    assert compare(old, new).base_moved


def test_a_new_fold_is_new() -> None:
    old = good_release()
    queue, cache = old.blocks
    more = replace(queue, folds=(*queue.folds, replace(queue.folds[0], id=FoldId("more"))))
    assert [fold.what for fold in compare(old, blocks_of(old, more, cache)).blocks[0].folds] == [
        What.IDENTICAL,
        What.NEW,
    ]


def test_the_command_compares_a_revision_with_what_stands(shop: Workshop, run: Run) -> None:
    def git(*args: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@b.org", *args], cwd=shop.root, check=True,
            capture_output=True,
        )  # fmt: skip

    git("init", "-q")
    git("add", "release.json", "blocks")
    git("commit", "-qm", "One")
    file = shop.root / "release.json"
    document = json.loads(file.read_text())
    document["blocks"] = ["beta", "alpha"]
    file.write_text(json.dumps(document))

    done = run("diff", "HEAD:", ".", "-C", shop.root, "--json")

    assert done.code == 1
    assert [block["reordered"] for block in done.json()["blocks"]] == [True, True]  # type: ignore[attr-defined]
    assert run("diff", "HEAD:", "HEAD:", "-C", shop.root).code == 0
    assert "project-revision" in run("diff", "v9:", "-C", shop.root).err
