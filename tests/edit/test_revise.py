"""A new revision takes the place of the old one, and what the maintainer resolved stays or is told."""

import pytest

from builder.edit.picks import read_pick
from builder.edit.restack import Conflict
from builder.edit.revise import Fields, Revision, plan_amend, plan_update
from builder.edit.take import Asked, plan_fold
from builder.tree import Tree
from tests.edit.hand import Hand, mail, numbered, patch_of
from tests.edit.workshop import Workshop
from verify.model.block import Disposition
from verify.model.diagnostic import InputFault
from verify.model.ids import RepoPath


@pytest.fixture
def hand(shop: Workshop) -> Hand:
    return Hand(shop)


def updated(hand: Hand, name: str, data: bytes, *without: str) -> Revision:
    desk = hand.desk()
    picks = [read_pick(text) for text in without]
    return plan_update(desk, name, hand.offers(data)[0], without=picks, reason="", source="PR #1", blobs=desk.blob)


def a(hand: Hand) -> str:
    return (hand.tip().blob(RepoPath(b"src/a.cpp")) or b"").decode()


def take(hand: Hand, *changed: int) -> Tree:
    ground = hand.tip()
    data = mail(patch_of(ground, {"src/a.cpp": numbered(3, *changed)}), "First", head="a" * 40)
    hand.fold(data, block="alpha", fold="pr")
    return ground


def test_what_was_taken_as_sent_is_replaced_by_what_is_sent(hand: Hand) -> None:
    ground = take(hand, 10)
    second = mail(patch_of(ground, {"src/a.cpp": numbered(3, 11)}), "Second", head="b" * 40)
    revision = updated(hand, "pr", second)
    hand.write(revision.change)
    assert not revision.replayed
    assert a(hand) == numbered(3, 11)
    fold = hand.shop.release().blocks[0].folds[1]
    assert (fold.subject, fold.source_bytes) == ("Second", second)
    assert b"-line 10 changed\n-line 11\n+line 10\n+line 11 changed\n" in revision.interdiff


def test_a_resolution_of_the_maintainer_stays_with_the_new_revision(hand: Hand) -> None:
    ground = take(hand, 10)
    desk = hand.desk()
    own = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10, 30)})
    hand.write(plan_amend(desk, "pr", hand.offers(own), Fields(), desk.blob))
    revision = updated(hand, "pr", mail(patch_of(ground, {"src/a.cpp": numbered(3, 10, 20)}), "Second"))
    hand.write(revision.change)
    assert revision.replayed
    assert a(hand) == numbered(3, 10, 20, 30)


def test_a_revision_that_meets_the_resolution_is_told_and_nothing_is_written(hand: Hand) -> None:
    ground = take(hand, 10)
    desk = hand.desk()
    own = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 10).replace("line 10 changed", "line ten")})
    hand.write(plan_amend(desk, "pr", hand.offers(own), Fields(), desk.blob))
    before = hand.shop.files()
    second = numbered(3, 10).replace("line 10 changed", "line 10 changed again")
    change = updated(hand, "pr", mail(patch_of(ground, {"src/a.cpp": second}), "Second")).change
    assert isinstance(change, Conflict)
    assert change.findings[1].message == "hunk 1 of `src/a.cpp`: it does not fit the file"
    assert hand.shop.files() == before


def test_what_was_left_out_stays_left_out(hand: Hand) -> None:
    ground = hand.tip()
    files: dict[str, str | None] = {"src/a.cpp": numbered(3, 10), "README": "Faster.\n"}
    hand.fold(
        mail(patch_of(ground, files), "First"),
        block="alpha",
        fold="pr",
        only=(read_pick("src/**"),),
        reason="no claims",
    )
    files |= {"src/a.cpp": numbered(3, 10, 20), "README": "Much faster.\n"}
    hand.write(updated(hand, "pr", mail(patch_of(ground, files), "Second")).change)
    assert a(hand) == numbered(3, 10, 20)
    assert hand.tip().blob(RepoPath(b"README")) == b"An engine.\n"
    fold = hand.shop.release().blocks[0].folds[1]
    assert (fold.disposition, fold.reason) == (Disposition.PARTLY_TAKEN, "no claims\nnot taken: README")


def test_a_hunk_of_a_revision_is_left_out_by_its_number_in_the_interdiff(hand: Hand) -> None:
    ground = take(hand, 10)
    second = mail(patch_of(ground, {"src/a.cpp": numbered(3, 10, 20, 35)}), "Second")
    hand.write(updated(hand, "pr", second, "src/a.cpp#2").change)
    assert a(hand) == numbered(3, 10, 20)
    fold = hand.shop.release().blocks[0].folds[1]
    assert (fold.disposition, fold.reason) == (
        Disposition.PARTLY_TAKEN,
        "not taken of the new revision: src/a.cpp hunk 2",
    )


def test_a_fold_that_was_never_submitted_has_no_revisions(hand: Hand) -> None:
    with pytest.raises(InputFault, match="update-no-source"):
        updated(hand, "turn", mail(patch_of(hand.tip(), {"src/a.cpp": numbered()}), "New"))


def test_a_revision_for_other_files_says_that_it_cannot_be_compared(hand: Hand) -> None:
    take(hand, 10)
    odd = patch_of(hand.base(), {"src/a.cpp": numbered(20)}).replace(b" line 18\n", b" line eighteen\n")
    with pytest.raises(InputFault, match="update-stuck"):
        updated(hand, "pr", mail(odd, "Odd"))


def test_the_same_revision_again_changes_the_record_alone(hand: Hand) -> None:
    ground = take(hand, 10)
    again = mail(patch_of(ground, {"src/a.cpp": numbered(3, 10)}), "First", head="c" * 40)
    revision = updated(hand, "pr", again)
    change = hand.write(revision.change)
    assert revision.interdiff == b""
    assert [name for name, _ in change.contents] == ["blocks/alpha/folds/pr/source.patch"]


def sent_from_upstream(hand: Hand, text: str, subject: str) -> bytes:
    """A contributor's mail, made by git on the base without any fold."""
    hand.shop.git("checkout", "--quiet", "--detach", "refs/stackproof/base")
    hand.shop.commit(subject, src__a=text)
    mailed = hand.shop.git("format-patch", "-1", "--stdout", "--full-index").encode() + b"\n"
    hand.shop.git("checkout", "--quiet", "stackproof/engine-1-r1")
    return mailed


def test_a_revision_of_what_was_resolved_by_hand_is_compared_on_the_files_it_names(hand: Hand) -> None:
    first = sent_from_upstream(hand, numbered(4), "First")
    desk = hand.desk()
    assert isinstance(plan_fold(desk, hand.offers(first), Asked(block="alpha"), desk.blob), Conflict)
    commit = hand.shop.commit("First", src__a=numbered(3, 4))
    hand.shop.sync({commit: "beta/pr"})
    (hand.shop.root / "blocks/beta/folds/pr/source.patch").write_bytes(first)
    second = sent_from_upstream(hand, numbered(4, 20), "Second")
    revision = updated(hand, "beta/pr", second)
    hand.write(revision.change)
    assert revision.replayed
    assert a(hand) == numbered(3, 4, 20)
    assert hand.shop.release().blocks[1].folds[1].source_bytes == second
