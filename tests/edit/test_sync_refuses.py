"""What a branch may not be: each refusal has its code, its next step, and writes nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.edit.workshop import Workshop, edited
from verify.model.diagnostic import Diagnostic, InputFault


def refused(shop: Workshop, **assign: str) -> tuple[Diagnostic, ...]:
    before = shop.files()
    with pytest.raises(InputFault) as caught:
        shop.sync(assign)
    assert shop.files() == before
    return caught.value.diagnostics


def codes(diagnostics: tuple[Diagnostic, ...]) -> list[str]:
    return [diagnostic.code for diagnostic in diagnostics]


def test_a_commit_that_belongs_to_no_fold_is_told_with_its_files_and_owners(shop: Workshop) -> None:
    commit = shop.commit("More of b, please", src__b="int d;\n")
    (told,) = refused(shop)
    assert told.code == "sync-commit-unassigned"
    assert told.notes == ("src/b.cpp: owned by beta",)
    assert told.help == f"stackproof sync {shop.branch} --assign {commit[:12]}=beta/more-of-b-please"


def test_a_commit_is_proposed_for_a_block_that_it_can_join_where_it_stands(shop: Workshop) -> None:
    commit = shop.commit("More of a", src__a=edited(3, 9))
    (told,) = refused(shop)
    assert told.notes == ("src/a.cpp: owned by alpha",)
    assert told.help == f"stackproof sync {shop.branch} --assign {commit[:12]}=beta/more-of-a"


def test_a_stray_upstream_commit_is_suspected_when_nobody_owns_its_files(shop: Workshop) -> None:
    (shop.branch / "README").write_text("News.\n")
    shop.git("commit", "--quiet", "-am", "Release 2")
    (told,) = refused(shop)
    assert told.notes[0] == "README: owned by no block"
    assert "upstream" in told.notes[1]


def test_a_fixup_is_to_be_squashed(shop: Workshop) -> None:
    shop.commit("fixup! Change b", src__b="int d;\n")
    (told,) = refused(shop)
    assert "--autosquash" in told.help


def test_every_commit_that_does_not_fit_is_told_at_once(shop: Workshop) -> None:
    shop.commit("One", src__b="int d;\n")
    shop.commit("Two", src__b="int e;\n")
    assert codes(refused(shop)) == ["sync-commit-unassigned", "sync-commit-unassigned"]


def test_a_merge_is_refused(shop: Workshop) -> None:
    shop.git("checkout", "--quiet", "-b", "side", "HEAD~1")
    shop.commit("Aside", new__x="x\n")
    shop.git("checkout", "--quiet", "-")
    shop.git("merge", "--quiet", "--no-edit", "side")
    assert codes(refused(shop)) == ["sync-merge"]


def test_a_branch_that_left_the_base_is_refused(shop: Workshop) -> None:
    shop.git("checkout", "--quiet", "--orphan", "elsewhere")
    shop.commit("A new beginning", src__b="int d;\n")
    assert codes(refused(shop)) == ["sync-base-lost"]


def test_changed_files_are_to_be_committed_first(shop: Workshop) -> None:
    (shop.branch / "src/b.cpp").write_text("int d;\n")
    (told,) = refused(shop)
    assert (told.code, told.notes) == ("checkout-dirty", (" M src/b.cpp",))


def test_a_forgotten_new_file_is_told(shop: Workshop) -> None:
    (shop.branch / "src/forgotten.cpp").write_text("int f;\n")
    (told,) = refused(shop)
    assert (told.code, told.notes) == ("checkout-dirty", ("?? src/forgotten.cpp",))


def test_a_rebase_is_to_be_ended_first(shop: Workshop) -> None:
    (shop.branch / ".git/rebase-merge").mkdir()
    (told,) = refused(shop)
    assert (told.code, told.help) == ("checkout-in-progress", f"git -C {shop.branch} rebase --continue")


def test_blocks_may_not_change_places_on_the_branch(shop: Workshop) -> None:
    shop.commit("More of a", src__a=edited(3, 9))
    assert codes(refused(shop, HEAD="alpha/more")) == ["sync-order"]


def test_a_fold_is_one_commit(shop: Workshop) -> None:
    shop.commit("More of b", src__b="int d;\n")
    assert codes(refused(shop, HEAD="beta/change")) == ["sync-fold-twice"]


def test_a_block_is_declared_before_it_gets_folds(shop: Workshop) -> None:
    shop.commit("More", new__x="x\n")
    (told,) = refused(shop, HEAD="gamma/x")
    assert (told.code, told.notes) == ("sync-block-unknown", ("listed are alpha, beta",))


def test_a_fold_has_a_name_that_can_be_a_folder(shop: Workshop) -> None:
    shop.commit("More", src__b="int d;\n")
    assert codes(refused(shop, HEAD="beta/../../etc")) == ["sync-fold-name"]


def test_an_assignment_names_a_commit_of_the_branch(shop: Workshop) -> None:
    assert codes(refused(shop, **{"refs/stackproof/base": "beta/x"})) == ["sync-assign"]


def test_a_block_is_not_emptied_by_the_way(shop: Workshop) -> None:
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    assert codes(refused(shop)) == ["sync-block-emptied"]


def test_a_fold_that_came_in_elsewhere_is_not_undone(shop: Workshop, tmp_path: Path) -> None:
    other = Workshop(root=shop.root, cache=shop.cache, branch=tmp_path / "other")
    other.checkout()
    other.sync({other.commit("From elsewhere", src__b="int e;\n"): "beta/elsewhere"})
    shop.commit("Mine", src__b="int d;\n")
    assert codes(refused(shop, HEAD="beta/mine")) == ["sync-stale"]


def test_a_message_that_is_not_text_is_refused(shop: Workshop) -> None:
    shop.git(
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "--quiet",
        "--allow-empty",
        "-F",
        message(shop, b"gr\xfc\xdfe\n"),
    )
    (told,) = refused(shop, HEAD="beta/x")
    assert (told.code, told.help) == ("sync-commit-unreadable", f"git -C {shop.branch} commit --amend --reset-author")
    below = shop.git("rev-parse", "--short=12", "HEAD")
    shop.commit("On top", src__b="int e;\n")
    assert f"rebase --interactive {below}^" in (refused(shop, HEAD="beta/x")[0].help or "")


def test_what_the_reader_would_refuse_is_told_before_anything_is_written(shop: Workshop) -> None:
    shop.commit("x" * 300, src__b="int d;\n")
    (told,) = refused(shop, HEAD="beta/long")
    assert (told.code, told.place) == ("subject-too-long", None)
    assert told.message.startswith(f"commit {shop.git('rev-parse', '--short=12', 'HEAD')} xxx")
    assert told.help == f"git -C {shop.branch} commit --amend"


@pytest.mark.parametrize("words", [("--allow-empty-message", "-m", ""), ("--author", "x <>", "-m", "More")])
def test_a_commit_that_cannot_be_a_fold_is_named_with_the_command_that_amends_it(
    shop: Workshop, words: tuple[str, ...]
) -> None:
    (shop.branch / "src/b.cpp").write_text("int d;\n")
    shop.git("commit", "--quiet", "-a", *words)
    for told in refused(shop, HEAD="beta/more"):
        assert told.message.startswith(f"commit {shop.git('rev-parse', '--short=12', 'HEAD')}")
        author = " --reset-author" if "--author" in words else ""
        assert (told.place, told.help) == (None, f"git -C {shop.branch} commit --amend{author}")


def message(shop: Workshop, data: bytes) -> str:
    file = shop.cache.parent / "message"
    file.write_bytes(data)
    return str(file)


@pytest.mark.parametrize("make", [lambda path: None, lambda path: path.mkdir()])
def test_only_a_checkout_of_ours_is_read(shop: Workshop, tmp_path: Path, make: Callable[[Path], None]) -> None:
    place = tmp_path / "elsewhere"
    make(place)
    other = Workshop(root=shop.root, cache=shop.cache, branch=place)
    assert codes(refused(other)) == ["sync-not-a-checkout"]


def test_a_project_that_changed_meanwhile_is_not_written(shop: Workshop) -> None:
    plan = shop.plan_with({shop.commit("More of b", src__b="int d;\n"): "beta/more"})
    file = shop.root / "blocks/beta/block.yaml"
    file.write_text(file.read_text() + "# changed\n")
    before = shop.files()
    from builder.edit.sync import apply_sync

    with pytest.raises(InputFault) as caught:
        apply_sync(root=shop.root, plan=plan, tell=lambda _: None)
    assert codes(caught.value.diagnostics) == ["sync-outdated"]
    assert shop.files() == before
