"""Each command that changes the stack is wired: it writes, tells what it did, and says so as JSON."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from builder.cli.main import app
from builder.edit.change import Change, apply_change
from builder.edit.rearrange import plan_rename_fold
from tests.edit.hand import Hand, mail, numbered, patch_of
from tests.edit.workshop import Workshop
from tests.write.sabotaged_disk import Killed, SabotagedDisk


class Console:
    """Runs commands on the project as a user does."""

    def __init__(self, shop: Workshop) -> None:
        self.shop = shop
        self.runner = CliRunner()

    def __call__(self, *words: str, status: int = 0, sent: bytes = b"") -> str:
        env = {"STACKPROOF_CACHE": str(self.shop.cache), "NO_COLOR": "1", "COLUMNS": "200"}
        result = self.runner.invoke(app, [words[0], "-C", str(self.shop.root), *words[1:]], env=env, input=sent)
        assert result.exit_code == status, result.output
        return result.stdout

    def json(self, *words: str, status: int = 0) -> Any:
        return json.loads(self(*words, "--json", status=status))


@pytest.fixture
def console(shop: Workshop) -> Console:
    return Console(shop)


@pytest.fixture
def pr(shop: Workshop, tmp_path: Path) -> Path:
    file = tmp_path / "pr.patch"
    patch = patch_of(Hand(shop).tip(), {"src/a.cpp": numbered(3, 10, 30), "new/x.h": "int old_x;\n"})
    file.write_bytes(mail(patch, "Add x"))
    return file


def test_a_fold_from_a_file_from_stdin_and_undone(console: Console, pr: Path) -> None:
    before = console.shop.files()
    told = console("fold", str(pr), "--source", "PR #1")
    assert "alpha/add-x: Add x\n  Grace Hopper; PR #1; folded" in told
    assert "to build and measure again: alpha, beta" in told
    console("undo")
    assert console.shop.files() == before
    console("fold", "-", "--block", "alpha", "--id", "x", sent=pr.read_bytes())
    assert Hand(console.shop).folds()["alpha"] == ["turn", "x"]
    rows = console("log").splitlines()
    assert "fold" in rows[1]
    assert "undone" in rows[3]


def test_a_dry_run_tells_the_same_and_writes_nothing(console: Console, pr: Path) -> None:
    before = console.shop.files()
    dry = console.json("fold", str(pr), "--dry-run")
    assert console.shop.files() == before
    wet = console.json("fold", str(pr))
    assert (dry["written"], wet["written"]) == (False, True)
    assert {**dry, "written": None} == {**wet, "written": None}
    assert wet["placed"][0]["hunks"][0]["fate"] == "exact"
    assert [each["how"] for each in wet["folds"]] == ["body-identical", "new", "body-identical"]


def test_a_submission_is_divided_and_partly_taken(console: Console, pr: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.json"
    plan.write_text('{"alpha": ["src/a.cpp#1"], "beta": ["src/a.cpp#2"]}')
    console("fold", str(pr), "--id", "x", "--split", f"@{plan}", "--reason", "no headers")
    assert Hand(console.shop).folds() == {"alpha": ["turn", "x"], "beta": ["change", "x"]}
    assert (
        console.shop.release().blocks[1].folds[1].reason
        == "no headers\nin block alpha: src/a.cpp hunk 1\nnot taken: new/x.h"
    )


def test_a_submission_that_is_not_taken_goes_on_record(console: Console, pr: Path) -> None:
    console("fold", str(pr), "--disposition", "rejected", "--block", "beta", "--reason", "slow", "--numbers", "1 of 2")
    console("fold", "--disposition", "deferred", "--subject", "Later", "--source", "PR #2", "--reason", "not now")
    release = console.shop.release()
    assert [each.numbers for each in release.blocks[1].not_taken] == ["1 of 2"]
    assert [each.subject for each in release.not_taken] == ["Later"]
    console("fold", str(pr), "--disposition", "merged", "--reason", "x", status=2)


def test_a_new_revision_shows_its_interdiff_and_both_heads(console: Console, pr: Path) -> None:
    ground = Hand(console.shop).tip()
    console("fold", str(pr), "--id", "x")
    patch = patch_of(ground, {"src/a.cpp": numbered(3, 10, 30), "new/x.h": "int old_x;\nint y;\n"})
    pr.write_bytes(mail(patch, "Add x", head="2" * 40))
    told = console("fold", str(pr), "--update", "x")
    assert f"taken was {'1' * 40}\nnow is    {'2' * 40}" in told
    assert "+int y;" in told
    assert console.json("fold", str(pr), "--update", "x")["interdiff"] == ""


def test_the_stack_is_rearranged_from_the_command_line(console: Console, pr: Path) -> None:
    console("fold", str(pr), "--id", "x")
    console("split", "x", "--into", "header=new/**", "--subject", "header=The header")
    console("move", "header", "--to", "beta")
    console("reorder", "--block", "alpha", "x", "turn")
    console("rename", "x", "lines")
    console("rename", "--block", "beta", "second")
    console("amend", "lines", "--subject", "Two lines")
    assert Hand(console.shop).folds() == {"alpha": ["lines", "turn"], "second": ["change", "header"]}
    console("squash", "header", "--into", "lines")
    console("drop", "lines", "--reason", "it raced", "--tombstone", "old_x", "--in", "new/**")
    assert [each.text for each in console.shop.release().all_tombstones()] == ["old_x"]
    console("redo", status=2)
    assert len(console.json("undo", "--count", "9")["operations"]) == 9
    assert len(console.json("redo", "-n", "2")["operations"]) == 2


def test_a_conflict_names_block_path_and_hunk_and_exits_with_one(console: Console, pr: Path) -> None:
    console("fold", str(pr), "--id", "x")
    pr.write_bytes(mail(patch_of(Hand(console.shop).tip(), {"new/x.h": "int new_x;\n"}), "New x"))
    console("fold", str(pr), "--id", "y")
    before = console.shop.files()
    told = console.json("reorder", "--block", "alpha", "y", "x", "turn", status=1)
    assert told["conflict"] == {"block": "alpha", "fold": "y"}
    assert [each["code"] for each in told["diagnostics"]] == ["edit-conflict", "path-missing"]
    assert console.shop.files() == before


def test_what_came_back_is_found_by_the_next_check(console: Console, pr: Path) -> None:
    console("fold", str(pr), "--id", "x")
    console("drop", "x", "--reason", "it raced", "--tombstone", "old_x")
    console("fold", str(pr), "--id", "again")
    console("pin")
    found = console.json("check", status=1)
    assert "tombstone-returns" in [each["code"] for each in found["diagnostics"]]


@pytest.mark.parametrize(
    "words",
    [("fold",), ("fold", "nowhere.patch"), ("amend", "turn", "--author", "root"), ("drop", "--reason", "x"),
     ("split", "turn", "--into", "x"), ("fold", "x", "--split", "alpha"), ("fold", "x", "--dialect", "svn")],
)  # fmt: skip
def test_what_cannot_be_meant_is_told_and_exits_with_two(console: Console, words: tuple[str, ...]) -> None:
    told = console.json(*words, status=2)
    assert all(each["help"] for each in told["diagnostics"])


def test_what_a_killed_run_left_is_finished_by_the_next_command(console: Console, pr: Path) -> None:
    hand = Hand(console.shop)
    planned = plan_rename_fold(hand.desk(), "turn", "first")
    assert isinstance(planned, Change)
    disk = SabotagedDisk()
    apply_change(root=console.shop.root, change=planned, at=1, tell=lambda _: None, disk=disk)
    hand.undo()
    with pytest.raises(Killed):
        apply_change(
            root=console.shop.root, change=planned, at=1, tell=lambda _: None, disk=SabotagedDisk(disk.calls // 2 + 5)
        )
    assert (console.shop.root / ".stackproof/journal").exists()
    console("fold", str(pr), "--id", "x")
    assert hand.folds()["alpha"] == ["first", "x"]


def test_the_next_step_after_an_edit_is_one_that_is_not_refused(console: Console) -> None:
    shop = console.shop
    assert console("amend", "turn", "--subject", "One").endswith("next: stackproof pin, or stackproof undo\n")
    sealed = {"base_tree": "a" * 40, "tip_tree": "b" * 40, "tip_commit": "c" * 40}
    (shop.root / "dist/engine-1-r1").mkdir(parents=True)
    (shop.root / "dist/engine-1-r1/release.json").write_text(json.dumps({"reference": sealed}))
    told = console("amend", "turn", "--subject", "Two").splitlines()[-1]
    assert 'set `name` in release.json to the next one and `parent` to "engine-1-r1"' in told
    assert "stackproof pin --rebind" in told
    console("pin", status=2)
    console("pin", "--rebind")


def test_a_sync_says_which_paths_the_block_does_not_own(console: Console) -> None:
    shop = console.shop
    commit = shop.commit("More", src__b="int d;\n", new__x="x\n")
    told = console("sync", str(shop.branch), "--assign", f"{commit}=beta/more")
    assert "beta/more: new/x.cpp is not owned by the block" in told
    assert "src/b.cpp is not owned" not in told


def test_a_pin_says_which_fold_is_empty(console: Console) -> None:
    file = "blocks/beta/folds/change/fold.patch"
    assert "is empty" not in console("pin", "--dry-run")
    (console.shop.root / file).write_bytes(b"")
    assert f"beta/change: the fold is empty: {file} changes no file" in console("pin", "--dry-run")


def test_after_commits_were_assigned_the_next_step_names_the_checkout(console: Console) -> None:
    shop = console.shop
    commit = shop.commit("More of b", src__b="int d;\n")
    told = console("sync", str(shop.branch), "--assign", f"{commit}=beta/more")
    assert f"next: stackproof pin, then stackproof checkout {shop.branch}, or stackproof undo" in told


def test_two_edits_at_once_wait_for_each_other(console: Console, tmp_path: Path) -> None:
    tip = Hand(console.shop).tip()
    runs = []
    for name, line in (("one", 10), ("two", 30)):
        file = tmp_path / f"{name}.patch"
        file.write_bytes(mail(patch_of(tip, {"src/a.cpp": numbered(3, line)}), name))
        code = "from builder.cli.main import main; main()"
        words = ["fold", str(file), "-C", str(console.shop.root)]
        env = {**os.environ, "STACKPROOF_CACHE": str(console.shop.cache)}
        runs.append(subprocess.Popen([sys.executable, "-c", code, *words], env=env, stdout=subprocess.DEVNULL))
    assert [run.wait() for run in runs] == [0, 0]
    assert sorted(Hand(console.shop).folds()["alpha"]) == ["one", "turn", "two"]


def test_a_command_where_no_project_is_makes_nothing(console: Console, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    for words in (["undo"], ["fold", "x.patch"], ["rename", "a", "b"], ["log"]):
        CliRunner().invoke(app, [words[0], "-C", str(empty), *words[1:]])
    assert list(empty.iterdir()) == []


@pytest.mark.parametrize(
    "name", ["fold", "amend", "move", "split", "squash", "drop", "rename", "reorder", "undo", "redo", "log"]
)
def test_every_command_helps_itself_with_an_example(name: str) -> None:
    assert "Example" in CliRunner().invoke(app, [name, "--help"]).stdout
