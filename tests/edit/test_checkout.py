"""A checkout is made whole, made again safely, and never laid over work that nobody has read."""

from pathlib import Path

import pytest

from tests.edit.workshop import Workshop, edited
from verify.model.diagnostic import EnvironmentFault, InputFault


def refused(shop: Workshop) -> str:
    with pytest.raises(InputFault) as caught:
        shop.checkout()
    return caught.value.diagnostics[0].code


def test_it_can_be_made_again(shop: Workshop) -> None:
    again = shop.checkout()
    assert again.renewed
    assert again.commit == shop.stack().tip_commit()


def test_it_goes_along_with_the_project(shop: Workshop, tmp_path: Path) -> None:
    other = Workshop(root=shop.root, cache=shop.cache, branch=tmp_path / "other")
    other.checkout()
    other.sync({other.commit("From elsewhere", src__b="int e;\n"): "beta/elsewhere"})
    shop.checkout()
    assert shop.git("rev-parse", "HEAD^{tree}") == other.git("rev-parse", "HEAD^{tree}")
    assert (shop.branch / "src/b.cpp").read_text() == "int e;\n"


def test_commits_that_were_not_synced_are_not_laid_over(shop: Workshop) -> None:
    head = shop.commit("Mine", src__b="int d;\n")
    assert refused(shop) == "checkout-unsynced"
    assert shop.git("rev-parse", "HEAD") == head


def test_unsynced_commits_on_the_branch_count_while_another_is_checked_out(shop: Workshop) -> None:
    shop.commit("Mine", src__b="int d;\n")
    shop.git("checkout", "--quiet", "--detach", "refs/stackproof/tip")
    assert refused(shop) == "checkout-unsynced"


def test_synced_commits_may_be_replaced_by_the_derived_ones(shop: Workshop) -> None:
    shop.sync({shop.commit("More of b", src__b="int d;\n"): "beta/more"})
    shop.checkout()
    assert shop.git("rev-parse", "HEAD") == shop.stack().tip_commit()


def test_changed_files_are_kept(shop: Workshop) -> None:
    (shop.branch / "src/a.cpp").write_text(edited(1))
    assert refused(shop) == "checkout-dirty"
    assert (shop.branch / "src/a.cpp").read_text() == edited(1)


def test_a_rebase_under_way_is_kept(shop: Workshop) -> None:
    (shop.branch / ".git/MERGE_HEAD").write_text("")
    assert refused(shop) == "checkout-in-progress"


def test_a_folder_of_somebody_else_is_left_alone(shop: Workshop, tmp_path: Path) -> None:
    place = tmp_path / "letters"
    place.mkdir()
    (place / "letter.txt").write_text("Dear A")
    assert refused(Workshop(root=shop.root, cache=shop.cache, branch=place)) == "checkout-not-ours"
    assert [path.name for path in place.iterdir()] == ["letter.txt"]


def test_an_untracked_file_in_the_way_is_kept(shop: Workshop, tmp_path: Path) -> None:
    other = Workshop(root=shop.root, cache=shop.cache, branch=tmp_path / "other")
    other.checkout()
    other.sync({other.commit("A file", new__x="theirs\n"): "beta/file"})
    (shop.branch / "new").mkdir()
    (shop.branch / "new/x.cpp").write_text("mine\n")
    with pytest.raises(EnvironmentFault, match="checkout-failed") as met:
        shop.checkout()
    assert met.value.diagnostics[0].help == f"git -C {shop.branch} status --ignored"
    assert (shop.branch / "new/x.cpp").read_text() == "mine\n"


def test_a_failed_checkout_leaves_nothing_behind(
    shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "fresh/branch"
    monkeypatch.setattr("builder.edit.checkout._note", lambda git, stack: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Workshop(root=shop.root, cache=shop.cache, branch=place).checkout()
    assert list(place.parent.iterdir()) == []


def test_whoever_comes_first_keeps_the_place(shop: Workshop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "fresh"
    other = Workshop(root=shop.root, cache=shop.cache, branch=place)

    def meanwhile(*_: object) -> None:
        place.mkdir()
        (place / "theirs").write_text("x")

    monkeypatch.setattr("builder.edit.checkout._note", meanwhile)
    assert refused(other) == "checkout-not-ours"
    assert [path.name for path in place.iterdir()] == ["theirs"]


def test_it_survives_a_new_cache(shop: Workshop) -> None:
    shop.commit("Mine", src__b="int d;\n")
    (shop.cache / "objects.git").rename(shop.cache / "old.git")
    shop.derived()
    assert shop.git("status", "--porcelain") == ""
    assert shop.git("log", "--format=%s", "-1") == "Mine"
