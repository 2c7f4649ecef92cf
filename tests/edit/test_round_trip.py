"""From the folds to a branch and back, and what is pinned of it."""

from pathlib import Path

from builder.edit.sync import What
from tests.edit.workshop import BASE, Workshop, edited
from verify.model.stack import Stack


def test_a_checkout_of_no_folds_is_the_base_as_it_is(tmp_path: Path) -> None:
    shop = Workshop.new(tmp_path)
    shop.checkout()
    assert {name: (shop.branch / name).read_bytes().decode() for name in BASE} == BASE
    assert shop.git("status", "--porcelain", "--ignored") == ""


def test_commits_become_folds_and_the_folds_give_the_trees_of_the_commits(shop: Workshop) -> None:
    stack = shop.stack()
    assert [(layer.block, layer.fold) for layer in stack.layers] == [("alpha", "turn"), ("beta", "change")]
    assert shop.git("rev-parse", "HEAD^{tree}") == stack.tip_tree()
    assert shop.git("rev-parse", "HEAD~1^{tree}") == stack.layers[0].after


def test_a_checkout_holds_exactly_the_derived_commits(shop: Workshop) -> None:
    commits = [layer.commit for layer in shop.stack().layers]
    assert shop.git("rev-list", "--reverse", "HEAD", "--not", "refs/stackproof/base").split() == commits
    assert shop.git("log", "-1", "--format=%an <%ae> %at", "HEAD~1") == "Ada Lovelace <ada@analytical.org> 1790000000"


def test_syncing_an_unchanged_checkout_changes_nothing(shop: Workshop) -> None:
    before = shop.files()
    plan = shop.sync()
    assert plan.is_empty()
    assert {fold.what for fold in plan.folds} == {(What.KEPT,)}
    assert shop.files() == before


def test_the_message_of_a_fold_comes_back_without_its_trailers(shop: Workshop) -> None:
    fold = shop.release().blocks[0].folds[0]
    assert (fold.subject, fold.body) == ("Turn line 3", "It was wrong.\n\nCo-authored-by: B <b@c.org>")


def test_what_the_author_wrote_around_the_folds_stays(shop: Workshop) -> None:
    text = (shop.root / "blocks/alpha/block.yaml").read_text()
    assert text.startswith("# About alpha, by its author.\n")
    assert "until: upstream does it   # forever?\n" in text
    assert text.endswith("# The end.\n")


def test_an_amended_commit_changes_its_own_patch_alone(shop: Workshop) -> None:
    before = shop.files()
    shop.commit("fixup! Turn line 3", src__a=edited(3, 5))
    shop.git("-c", "sequence.editor=true", "rebase", "-q", "-i", "--autosquash", "refs/stackproof/base")
    plan = shop.sync()
    after = shop.files()
    assert [name for name in after if after[name] != before[name]] == ["blocks/alpha/folds/turn/fold.patch"]
    assert [fold.what for fold in plan.folds] == [(What.PATCH,), (What.KEPT,)]


def test_a_new_fold_leaves_the_others_as_they_are(shop: Workshop) -> None:
    before = shop.files()
    third = shop.commit("More of b", src__b="int d;\n")
    shop.sync({third: "beta/more"})
    after = shop.files()
    assert after["blocks/beta/folds/change/fold.patch"] == before["blocks/beta/folds/change/fold.patch"]
    assert [fold.id for fold in shop.release().blocks[1].folds] == ["change", "more"]


def test_a_fold_keeps_its_patch_when_another_is_laid_under_it(shop: Workshop) -> None:
    before = shop.files()
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    shop.commit("Below\n\nStackproof-Block: beta\nStackproof-Fold: below", new__x="x\n")
    shop.git("cherry-pick", "refs/stackproof/tip")
    plan = shop.sync()
    after = shop.files()
    assert [fold.what for fold in plan.folds] == [(What.KEPT,), (What.NEW,), (What.KEPT,)]
    assert after["blocks/beta/folds/change/fold.patch"] == before["blocks/beta/folds/change/fold.patch"]


def test_a_new_message_changes_the_fold_and_no_patch(shop: Workshop) -> None:
    before = shop.files()
    message = shop.git("log", "-1", "--format=%B").replace("Change b", "Say c")
    shop.git("commit", "--quiet", "--amend", "-m", message)
    plan = shop.sync()
    after = shop.files()
    assert plan.folds[1].what == (What.IDENTITY,)
    assert [name for name in after if after[name] != before[name]] == ["blocks/beta/block.yaml"]
    assert shop.release().blocks[1].folds[0].subject == "Say c"


def test_a_dropped_commit_removes_its_fold_and_its_files(shop: Workshop) -> None:
    shop.sync({shop.commit("More of b", src__b="int d;\n"): "beta/more"})
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    plan = shop.sync()
    assert (plan.folds[-1].fold, plan.folds[-1].what) == ("more", (What.REMOVED,))
    assert not (shop.root / "blocks/beta/folds/more").exists()
    assert [fold.id for fold in shop.release().blocks[1].folds] == ["change"]


def test_reordered_commits_reorder_the_folds_of_their_block(shop: Workshop) -> None:
    shop.sync({shop.commit("A new file", new__x="x\n"): "beta/file"})
    shop.pin()
    shop.checkout()
    shop.git("reset", "--quiet", "--hard", "HEAD~2")
    shop.git("cherry-pick", "refs/stackproof/tip")
    shop.git("cherry-pick", "refs/stackproof/tip~1")
    plan = shop.sync()
    assert plan.reordered == ("beta",)
    assert [fold.id for fold in shop.release().blocks[1].folds] == ["file", "change"]


def test_an_empty_commit_is_an_empty_fold(shop: Workshop) -> None:
    shop.sync({shop.commit("Nothing yet"): "beta/nothing"})
    assert (shop.root / "blocks/beta/folds/nothing/fold.patch").read_bytes() == b""


def test_a_file_that_gitignore_names_comes_back_when_it_was_committed(shop: Workshop) -> None:
    (shop.branch / "new").mkdir()
    (shop.branch / "new/x.log").write_bytes(b"\0\xff\r\nbinary")
    shop.git("add", "--force", "new/x.log")
    shop.git("commit", "--quiet", "-m", "A log")
    shop.sync({"HEAD": "beta/log"})
    assert shop.git("rev-parse", "HEAD^{tree}") == shop.stack().tip_tree()


def test_pinned_folds_are_derived_without_a_finding(shop: Workshop) -> None:
    derived = shop.derived(locked=True)
    assert isinstance(derived.result, Stack)
    assert derived.findings == ()
