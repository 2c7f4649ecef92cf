"""Submissions are taken whole, in part, divided, or put on record, with the credit that they state."""

import base64
import json
from pathlib import Path

import pytest

from builder.edit.offers import read_offers, read_range
from builder.edit.picks import Pick, divide, read_pick
from builder.edit.refresh import GIT
from builder.edit.restack import Conflict
from builder.edit.take import Asked, plan_fold, plan_refusal
from tests.edit.hand import Hand, mail, numbered, patch_of
from tests.edit.workshop import Workshop
from verify.diff.submission import Dialect, parse_sections
from verify.model.block import Disposition, Refusal
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath


@pytest.fixture
def hand(shop: Workshop) -> Hand:
    return Hand(shop)


def test_a_mail_folder_becomes_a_fold_for_each_message_and_covers_are_no_folds(hand: Hand) -> None:
    first = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)})
    second = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 30)})
    hand.fold(mail(b"", "[0/2] All of it") + mail(first, "Ten") + mail(second, "Thirty"), block="alpha")
    folds = hand.shop.release().blocks[0].folds
    assert [fold.id for fold in folds] == ["turn", "ten", "thirty"]
    assert folds[2].source_bytes == mail(second, "Thirty")


def test_mails_that_were_encoded_on_their_way_are_kept_as_they_came(hand: Hand) -> None:
    patch = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)})
    head, _, text = mail(patch, "Ten").partition(b"\n\n")
    first = head + b"\nContent-Transfer-Encoding: base64\n\n" + base64.encodebytes(text) + b"\n"
    second = mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 30)}), "Thirty")
    hand.fold(first + second, block="alpha")
    folds = hand.shop.release().blocks[0].folds
    assert [fold.id for fold in folds] == ["turn", "ten", "thirty"]
    assert (folds[1].source_bytes, folds[1].body) == (first, "It was needed.")


def test_several_messages_as_one_fold_credit_all_of_their_authors(hand: Hand) -> None:
    first = mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)}), "Ten")
    desk = hand.desk()
    second = mail(
        patch_of(hand.tip(), {"src/a.cpp": numbered(3, 30)}), "Thirty", author="Ada Lovelace <ada@analytical.org>"
    )
    offers = read_offers(first + second, file="pr", source="PR #3", rules=GIT, as_one=True)
    hand.write(plan_fold(desk, offers, Asked(block="alpha", fold="pr-3"), desk.blob))
    fold = hand.shop.release().blocks[0].folds[1]
    assert (fold.subject, fold.author.name) == ("Ten", "Grace Hopper")
    assert fold.body.endswith("Co-authored-by: Ada Lovelace <ada@analytical.org>")
    assert hand.tip().blob(RepoPath(b"src/a.cpp")) == numbered(3, 10, 30).encode()


def test_the_block_that_owns_every_file_is_taken_when_none_is_named(hand: Hand) -> None:
    change = hand.fold(mail(patch_of(hand.tip(), {"src/b.cpp": "int e;\n"}), "To beta"))
    assert change.told == ("block beta: it owns every file of the patch",)
    assert hand.folds()["beta"] == ["change", "to-beta"]


def test_files_of_two_blocks_ask_for_a_decision_and_name_the_owners(hand: Hand) -> None:
    patch = patch_of(hand.tip(), {"src/a.cpp": numbered(), "src/b.cpp": "int e;\n", "README": "New.\n"})
    with pytest.raises(InputFault, match="fold-block-unclear") as fault:
        hand.fold(mail(patch, "Wide"))
    assert fault.value.diagnostics[0].notes == (
        "README: owned by no block",
        "src/a.cpp: owned by alpha",
        "src/b.cpp: owned by beta",
    )


def test_hunks_of_one_file_go_to_two_blocks(hand: Hand) -> None:
    patch = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 30)})
    hand.fold(
        mail(patch, "Two places"),
        fold="two",
        split=(("alpha", read_pick("src/a.cpp#1")), ("beta", read_pick("src/a.cpp#2"))),
    )
    alpha, beta = (block.folds[-1] for block in hand.shop.release().blocks)
    assert (b"line 10 changed" in alpha.patch_bytes, b"line 30 changed" in beta.patch_bytes) == (True, True)
    assert alpha.disposition is beta.disposition is Disposition.SPLIT
    assert alpha.reason == "in block beta: src/a.cpp hunk 2"


def test_hunks_that_are_left_out_are_named_and_need_a_reason(hand: Hand) -> None:
    patch = mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 30)}), "Two places")
    with pytest.raises(InputFault, match="reason-needed"):
        hand.fold(patch, block="alpha", without=(read_pick("src/a.cpp#2"),))
    hand.fold(patch, block="alpha", without=(read_pick("src/a.cpp#2"),), reason="no claim stands")
    fold = hand.shop.release().blocks[0].folds[-1]
    assert (fold.disposition, fold.reason) == (
        Disposition.PARTLY_TAKEN,
        "no claim stands\nnot taken: src/a.cpp hunk 2",
    )


def test_a_patch_without_an_author_asks_for_one(hand: Hand) -> None:
    patch = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)})
    with pytest.raises(InputFault, match="fold-author-missing"):
        hand.fold(patch, block="alpha")


def test_a_hunk_that_fits_nowhere_refuses_the_whole_submission(hand: Hand) -> None:
    good = mail(patch_of(hand.tip(), {"src/b.cpp": "int e;\n"}), "Good")
    bad = mail(patch_of(hand.base(), {"src/a.cpp": numbered(2)}).replace(b" line 5\n", b" line five\n"), "Bad")
    before = hand.shop.files()
    desk = hand.desk()
    planned = plan_fold(desk, hand.offers(good + bad), Asked(), desk.blob)
    assert isinstance(planned, Conflict)
    assert planned.fold == "bad"
    assert hand.shop.files() == before


def test_a_submission_laid_below_others_has_them_laid_again(hand: Hand) -> None:
    hand.fold(mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 30)}), "High"), fold="high", block="alpha")
    low = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 30, extra={10: "one\ntwo"})})
    change = hand.fold(mail(low, "Low"), fold="low", block="alpha", after="turn")
    assert hand.folds()["alpha"] == ["turn", "low", "high"]
    assert {each.fold: each.how.value for each in change.folds} == {
        "turn": "body-identical",
        "low": "new",
        "high": "offset only",
        "change": "body-identical",
    }


def test_a_rejected_alternative_is_on_record_with_its_numbers_and_its_patch(hand: Hand) -> None:
    data = mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)}), "Another way")
    asked = Asked(block="alpha", reason="it is slower", numbers="412 t/s against 431 t/s")
    before = hand.desk().stack.tip_commit()
    hand.write(plan_refusal(hand.desk(), hand.offers(data), asked, Refusal.REJECTED, ""))
    record = hand.shop.release().blocks[0].not_taken[0]
    assert (record.disposition, record.numbers, record.source) == (
        Refusal.REJECTED,
        "412 t/s against 431 t/s",
        "PR #1",
    )
    assert (hand.shop.root / "blocks/alpha/not-taken/another-way.patch").read_bytes() == data
    assert hand.desk().stack.tip_commit() == before


def test_what_belongs_to_no_block_is_on_record_in_the_release(hand: Hand) -> None:
    asked = Asked(reason="too large for now", subject="A rewrite of everything")
    text = (hand.shop.root / "release.json").read_text()
    hand.write(plan_refusal(hand.desk(), (), asked, Refusal.DEFERRED, "PR #9"))
    hand.write(plan_refusal(hand.desk(), (), asked, Refusal.DEFERRED, "PR #10"))
    records = hand.shop.release().not_taken
    assert [(each.id, each.source) for each in records] == [
        ("a-rewrite-of-everything", "PR #9"),
        ("a-rewrite-of-everything-2", "PR #10"),
    ]
    document = json.loads((hand.shop.root / "release.json").read_text())
    assert {key: value for key, value in document.items() if key != "not_taken"} == json.loads(text)


def test_a_deferred_submission_that_is_taken_leaves_the_record(hand: Hand) -> None:
    data = mail(patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10)}), "Ten")
    before = hand.shop.files()["blocks/alpha/block.yaml"]
    hand.write(plan_refusal(hand.desk(), hand.offers(data), Asked(block="alpha", reason="later"), Refusal.DEFERRED, ""))
    change = hand.fold(data, block="alpha")
    assert hand.shop.release().blocks[0].not_taken == ()
    assert "`ten` was deferred, and is taken now: its record is gone" in change.told
    assert not (hand.shop.root / "blocks/alpha/not-taken").exists()
    assert b"not_taken" not in hand.shop.files()["blocks/alpha/block.yaml"]
    assert before.splitlines()[:4] == hand.shop.files()["blocks/alpha/block.yaml"].splitlines()[:4]


def test_a_range_of_commits_is_folded_with_the_files_it_was_made_on(hand: Hand) -> None:
    tip = hand.shop.git("rev-parse", "HEAD")
    hand.shop.commit("Ten", src__a=numbered(3, 10))
    hand.shop.commit("Thirty", src__a=numbered(3, 10, 30))
    offers, blobs = read_range(hand.shop.branch, f"{tip}..HEAD", source="", rules=GIT, as_one=False)
    hand.write(plan_fold(hand.desk(), offers, Asked(), blobs))
    folds = hand.shop.release().blocks[0].folds
    assert [fold.id for fold in folds] == ["turn", "ten", "thirty"]
    assert folds[1].source == f"commit {hand.shop.git('rev-parse', 'HEAD~1')}"
    assert folds[1].author.name == "Ada Lovelace"


def test_a_commit_of_a_checkout_does_not_name_its_fold_twice(hand: Hand) -> None:
    hand.shop.commit("Ten\n\nIt is.\n\nStackproof-Block: alpha\nStackproof-Fold: ten", src__a=numbered(3, 10))
    offers, blobs = read_range(hand.shop.branch, "HEAD~1..HEAD", source="", rules=GIT, as_one=False)
    hand.write(plan_fold(hand.desk(), offers, Asked(licence="MIT"), blobs))
    fold = hand.shop.release().blocks[0].folds[-1]
    assert (fold.body, fold.licence) == ("It is.", "MIT")


def test_a_range_with_a_merge_is_refused(hand: Hand) -> None:
    hand.shop.git("checkout", "-q", "-b", "side", "HEAD~1")
    hand.shop.commit("Aside", new__x="x\n")
    hand.shop.git("merge", "-q", "--no-edit", "stackproof/engine-1-r1")
    with pytest.raises(InputFault, match="range-merge"):
        read_range(hand.shop.branch, "refs/stackproof/base..HEAD", source="", rules=GIT, as_one=False)


def test_a_repository_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputFault, match="repository-missing"):
        read_range(tmp_path, "a..b", source="", rules=GIT, as_one=False)


def test_both_halves_of_a_divided_patch_are_the_patch(hand: Hand) -> None:
    patch = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 20, 30), "new/x": "x\n"})
    whole = parse_sections(patch, file="p", dialect=Dialect.GIT)
    taken, rest = divide(whole, [read_pick("src/*#1,3")], 1)
    assert [len(section.hunks) for section in taken] == [2]
    assert [(section.created, len(section.hunks)) for section in rest] == [(True, 1), (False, 1)]


@pytest.mark.parametrize(
    ("text", "hunks"), [("a", None), ("a#1", {1}), ("a/**#1,3-5", {1, 3, 4, 5}), ("*", None), ("a#b#2", {2})]
)
def test_parts_are_read_as_written(text: str, hunks: set[int] | None) -> None:
    assert read_pick(text).hunks == (None if hunks is None else frozenset(hunks))


@pytest.mark.parametrize("text", ["", "#1", "a#", "a#0x1", "a#1,,2", "/abs", "../x"])
def test_parts_that_say_nothing_are_refused(text: str) -> None:
    with pytest.raises(InputFault, match="pick-malformed"):
        read_pick(text)


def test_a_new_file_is_not_divided_by_hunks(hand: Hand) -> None:
    whole = parse_sections(patch_of(hand.tip(), {"new/x": "x\n"}), file="p", dialect=Dialect.GIT)
    with pytest.raises(InputFault, match="pick-whole"):
        divide(whole, [Pick(glob="new/x", hunks=frozenset({1}), written="new/x#1")], 1)
