"""Folds are moved, split, squashed, dropped and renamed; what does not commute is refused by name."""

from pathlib import Path

import pytest

from builder.edit.change import Change
from builder.edit.picks import read_pick
from builder.edit.rearrange import (
    SplitOff,
    plan_drop,
    plan_drop_block,
    plan_move,
    plan_rename_block,
    plan_rename_fold,
    plan_reorder,
    plan_split,
    plan_squash,
)
from builder.edit.restack import Conflict, How
from builder.edit.revise import Fields, plan_amend, plan_update
from tests.edit.hand import Hand, mail, numbered, patch_of
from tests.edit.workshop import Workshop
from verify.model.block import Disposition
from verify.model.diagnostic import InputFault
from verify.model.ids import BlockName, FoldId


@pytest.fixture
def hand(shop: Workshop) -> Hand:
    """Three folds in alpha: lines 3, 10 and 12; the last stands in the context of the one before."""
    hand = Hand(shop)
    hand.fold(mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)}), "Ten"), block="alpha", fold="ten")
    hand.fold(mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 12)}), "Twelve"), block="alpha", fold="twelve")
    return hand


def test_a_fold_moves_to_another_block_with_its_source_and_every_field(hand: Hand) -> None:
    tip = hand.desk().stack.tip_tree()
    source = (hand.shop.root / "blocks/alpha/folds/twelve/source.patch").read_bytes()
    change = hand.write(plan_move(hand.desk(), "twelve", to="beta", before="change"))
    assert hand.folds() == {"alpha": ["turn", "ten"], "beta": ["twelve", "change"]}
    assert (hand.shop.root / "blocks/beta/folds/twelve/source.patch").read_bytes() == source
    assert not (hand.shop.root / "blocks/alpha/folds/twelve").exists()
    assert (change.stack.tip_tree(), change.rebuild()) == (tip, ("alpha",))
    assert {each.how for each in change.folds} == {How.IDENTICAL}


def test_a_fold_in_the_context_of_another_changes_places_with_new_context(hand: Hand) -> None:
    change = hand.write(plan_reorder(hand.desk(), ["twelve", "turn", "ten"], block="alpha"))
    assert {each.fold: each.how for each in change.folds if each.block == "alpha"} == {
        "twelve": How.CONTEXT,
        "turn": How.IDENTICAL,
        "ten": How.CONTEXT,
    }


def test_a_fold_does_not_pass_one_that_made_its_lines(hand: Hand) -> None:
    hand.fold(mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 11, 12)}), "Eleven"), block="alpha", fold="e")
    before = hand.shop.files()
    planned = plan_reorder(hand.desk(), ["turn", "e", "ten", "twelve"], block="alpha")
    assert isinstance(planned, Conflict)
    assert (planned.block, planned.fold) == ("alpha", "e")
    assert planned.findings[0].notes[0] == "not below it any more: alpha/ten, alpha/twelve"
    assert planned.findings[1].message == "hunk 1 of `src/a.cpp`: it does not fit the file"
    assert planned.findings[1].place is not None
    assert planned.findings[1].place.file == "blocks/alpha/folds/e/fold.patch"
    assert hand.shop.files() == before


def test_an_order_that_forgets_a_fold_is_refused(hand: Hand) -> None:
    with pytest.raises(InputFault, match="reorder-names"):
        plan_reorder(hand.desk(), ["twelve", "ten"], block="alpha")


def test_blocks_change_places_in_the_release(hand: Hand) -> None:
    change = hand.write(plan_reorder(hand.desk(), ["beta", "alpha"], block=""))
    assert list(hand.folds()) == ["beta", "alpha"]
    assert [each.block for each in change.blocks] == ["beta", "alpha"]


def test_a_split_gives_each_part_its_lines_and_the_same_tip(hand: Hand) -> None:
    wide = mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 12, 20, 35), "new/x": "x\n"}), "Wide")
    hand.fold(wide, block="alpha", fold="wide")
    tip = hand.desk().stack.tip_tree()
    parts = [
        SplitOff(block="", fold="file", picks=(read_pick("new/**"),), subject="The file"),
        SplitOff(block="beta", fold="end", picks=(read_pick("src/a.cpp#2"),)),
    ]
    change = hand.write(plan_split(hand.desk(), "wide", parts))
    assert hand.folds() == {"alpha": ["turn", "ten", "twelve", "wide", "file"], "beta": ["change", "end"]}
    alpha = {str(fold.id): fold for fold in hand.shop.release().blocks[0].folds}
    assert alpha["file"].subject == "The file"
    assert alpha["wide"].disposition is Disposition.SPLIT
    assert alpha["wide"].reason == "in alpha/file: new/x\nin beta/end: src/a.cpp hunk 2"
    assert b"line 35" in hand.shop.release().blocks[1].folds[1].patch_bytes
    assert change.stack.tip_tree() == tip
    assert (hand.shop.root / "blocks/beta/folds/end/source.patch").read_bytes() == wide


def test_a_split_that_leaves_nothing_is_refused(hand: Hand) -> None:
    with pytest.raises(InputFault, match="split-empty"):
        plan_split(hand.desk(), "ten", [SplitOff(block="", fold="all", picks=(read_pick("src/a.cpp"),))])


def test_a_squash_is_one_change_with_both_messages_and_the_same_tip(hand: Hand) -> None:
    tip = hand.desk().stack.tip_tree()
    hand.write(plan_squash(hand.desk(), "twelve", into="turn"))
    assert hand.folds()["alpha"] == ["turn", "ten"]
    fold = hand.shop.release().blocks[0].folds[0]
    assert "Twelve" in fold.body
    assert fold.body.endswith("Co-authored-by: Grace Hopper <grace@navy.mil>")
    assert hand.desk().stack.tip_tree() == tip
    with pytest.raises(InputFault, match="squash-order"):
        plan_squash(hand.desk(), "turn", into="ten")


def test_a_fold_whose_ground_is_dropped_refuses_the_drop(hand: Hand) -> None:
    hand.fold(mail(patch_of(hand.tip(), {"new/x.h": "int x;\n"}), "X"), block="alpha", fold="x")
    hand.fold(mail(patch_of(hand.tip(), {"new/x.h": "int x;\nint y;\n"}), "Y"), block="alpha", fold="y")
    planned = plan_drop(hand.desk(), ["x"], reason="no")
    assert isinstance(planned, Conflict)
    assert (planned.fold, planned.findings[-1].code) == ("y", "path-missing")


def test_a_tombstone_that_another_fold_still_holds_is_refused(hand: Hand) -> None:
    hand.fold(mail(patch_of(hand.tip(), {"new/x.h": "int old_x;\n"}), "X"), block="alpha", fold="x")
    hand.fold(mail(patch_of(hand.tip(), {"new/y.h": "int old_x;\n"}), "Y"), block="alpha", fold="y")
    with pytest.raises(InputFault, match="tombstone-alive"):
        plan_drop(hand.desk(), ["x"], reason="no", buried=("old_x",))
    hand.write(plan_drop(hand.desk(), ["x", "y"], reason="no", buried=("old_x",), paths=("new/**",)))
    stone = hand.shop.release().blocks[0].tombstones[0]
    assert (stone.text, stone.paths, stone.source) == ("old_x", ("new/**",), "alpha/x")


def test_the_last_fold_of_a_block_goes_with_the_block_alone(hand: Hand) -> None:
    with pytest.raises(InputFault, match="edit-block-emptied"):
        plan_drop(hand.desk(), ["change"], reason="no")
    with pytest.raises(InputFault, match="edit-block-emptied"):
        plan_move(hand.desk(), "change", to="alpha")


def test_a_dropped_block_leaves_its_records_to_the_release(hand: Hand) -> None:
    hand.fold(mail(patch_of(hand.tip(), {"src/b.cpp": "int c;\nint old_d;\n"}), "D"), block="beta", fold="d")
    hand.write(plan_drop(hand.desk(), ["beta/d"], reason="slow", buried=("old_d",)))
    before = hand.shop.files()
    hand.write(plan_drop_block(hand.desk(), "beta", reason="upstream has it"))
    release = hand.shop.release()
    assert [block.name for block in release.blocks] == ["alpha"]
    assert [(each.id, each.reason) for each in release.not_taken] == [("d", "slow"), ("change", "upstream has it")]
    assert [each.text for each in release.tombstones] == ["old_d"]
    assert (hand.shop.root / "not-taken/d.patch").exists()
    assert not (hand.shop.root / "blocks/beta").exists()
    hand.undo()
    assert hand.shop.files() == before


def test_a_renamed_block_takes_everything_along_and_is_still_required(hand: Hand) -> None:
    beta = hand.shop.root / "blocks/beta/block.yaml"
    beta.write_bytes(beta.read_bytes().replace(b"folds:", b"requires: [alpha]  # it does\nfolds:"))
    (hand.shop.root / "blocks/alpha/NOTES").write_text("mine\n")
    tree = hand.desk().stack.tip_tree()
    change = hand.write(plan_rename_block(hand.desk(), "alpha", "first"))
    assert list(hand.folds()) == ["first", "beta"]
    assert hand.shop.release().blocks[1].requires == ("first",)
    assert b"requires: [first]  # it does" in beta.read_bytes()
    assert (hand.shop.root / "blocks/first/NOTES").read_text() == "mine\n"
    assert not (hand.shop.root / "blocks/alpha").exists()
    assert (change.stack.tip_tree(), change.rebuild()) == (tree, ())


def test_a_renamed_fold_changes_no_tree(hand: Hand) -> None:
    change = hand.write(plan_rename_fold(hand.desk(), "alpha/ten", "dix"))
    assert hand.folds()["alpha"] == ["turn", "dix", "twelve"]
    assert not any(each.tree_changed for each in change.folds)
    with pytest.raises(InputFault, match="fold-exists"):
        plan_rename_fold(hand.desk(), "dix", "turn")
    with pytest.raises(InputFault, match="bad-new-name"):
        plan_rename_fold(hand.desk(), "dix", "Not a name")


def test_a_name_that_is_not_there_is_guessed_at(hand: Hand) -> None:
    with pytest.raises(InputFault, match="fold-unknown") as fault:
        hand.desk().fold("twelv")
    assert fault.value.diagnostics[0].help == "did you mean `twelve`?"
    hand.fold(mail(patch_of(hand.tip(), {"src/b.cpp": "int t;\n"}), "T"), block="beta", fold="turn")
    with pytest.raises(InputFault, match="fold-unclear"):
        hand.desk().fold("turn")


def test_an_amended_message_keeps_the_patch_and_changes_no_tree(hand: Hand) -> None:
    desk = hand.desk()
    change = hand.write(plan_amend(desk, "ten", (), Fields(subject="Dix", body="En français.\n"), desk.blob))
    fold = hand.shop.release().blocks[0].folds[1]
    assert (fold.subject, fold.body) == ("Dix", "En français.")
    assert change.rebuild() == ()
    assert [name for name, _ in change.contents] == ["blocks/alpha/block.yaml"]


def test_a_licence_is_given_changed_and_goes_along(hand: Hand) -> None:
    for licence in ("MIT", "Apache-2.0"):
        desk = hand.desk()
        hand.write(plan_amend(desk, "ten", (), Fields(licence=licence), desk.blob))
        assert hand.shop.release().blocks[0].folds[1].licence == licence
    hand.write(plan_move(hand.desk(), "ten", to="beta"))
    assert hand.shop.release().blocks[1].folds[1].licence == "Apache-2.0"


def test_an_amendment_made_on_the_tip_finds_its_place_below(hand: Hand, tmp_path: Path) -> None:
    desk = hand.desk()
    fix = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 12, 25)})
    change = hand.write(plan_amend(desk, "turn", hand.offers(fix), Fields(), desk.blob))
    assert isinstance(change, Change)
    assert b"line 25 changed" in hand.shop.release().blocks[0].folds[0].patch_bytes
    assert {each.fold: each.how for each in change.folds if each.block == "alpha"} == {
        "turn": How.CHANGED,
        "ten": How.IDENTICAL,
        "twelve": How.IDENTICAL,
    }


def test_an_amendment_by_somebody_else_is_credited_and_a_new_revision_keeps_that(hand: Hand) -> None:
    desk = hand.desk()
    fix = mail(
        patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 12, 25)}),
        "Mend it",
        author="Ada Lovelace <ada@analytical.org>",
        body="Signed-off-by: Ada Lovelace <ada@analytical.org>",
    )
    hand.write(plan_amend(desk, "ten", hand.offers(fix), Fields(), desk.blob))
    body = "It was needed.\n\nCo-authored-by: Ada Lovelace <ada@analytical.org>\n"
    assert hand.shop.release().blocks[0].folds[1].body == (f"{body}Signed-off-by: Ada Lovelace <ada@analytical.org>")
    desk = hand.desk()
    again = mail(patch_of(desk.met((BlockName("alpha"), FoldId("ten"))), {"src/a.cpp": numbered(3, 10, 30)}), "Ten")
    revision = plan_update(desk, "ten", hand.offers(again)[0], without=(), reason="", source="", blobs=desk.blob)
    hand.write(revision.change)
    assert hand.shop.release().blocks[0].folds[1].body == body.rstrip("\n")


def test_an_amendment_that_a_later_fold_cannot_bear_is_refused(hand: Hand) -> None:
    desk = hand.desk()
    fix = patch_of(hand.base(), {"src/a.cpp": numbered(9)})
    planned = plan_amend(desk, "turn", hand.offers(fix), Fields(), desk.blob)
    assert isinstance(planned, Conflict)
    assert planned.fold == "ten"
    assert planned.findings[0].notes[0] == "changed below it: alpha/turn"
