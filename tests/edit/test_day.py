"""A maintainer's day as one test, from the first submission to taking all of it back."""

import pytest

from builder.edit.picks import read_pick
from builder.edit.rearrange import plan_drop, plan_reorder
from builder.edit.restack import Conflict, How
from builder.edit.revise import Fields, plan_amend, plan_update
from tests.edit.hand import Hand, mail, numbered, patch_of
from tests.edit.workshop import Workshop
from verify.gates.tombstones import returns
from verify.model.block import Disposition, Refusal
from verify.model.diagnostic import InputFault


def test_a_day_of_submissions_revisions_and_second_thoughts(shop: Workshop) -> None:
    hand = Hand(shop)
    morning = shop.files()

    # The first submission touches both blocks: each takes its files, and says where the rest is.
    queue = {
        "src/a.cpp": numbered(3, 30),
        "src/b.cpp": "int c;\nint p;\nint q;\nint queue;\n",
        "new/queue.h": "int old_queue;\n",
    }
    ground = hand.tip()
    first = mail(patch_of(ground, queue), "Add a queue", head="a" * 40)
    hand.fold(first, source="PR #106", fold="pr-106", by_owner=True)
    assert hand.folds() == {"alpha": ["turn", "pr-106"], "beta": ["change", "pr-106"]}
    alpha = shop.release().blocks[0].folds[1]
    assert (alpha.author.name, alpha.disposition) == ("Grace Hopper", Disposition.SPLIT)
    assert "in block beta: src/b.cpp" in alpha.reason
    assert (shop.root / "blocks/beta/folds/pr-106/source.patch").read_bytes() == first

    # Of the second one only half is taken, and the other half is on record with the reason.
    both = {"src/b.cpp": "int c;\nint p;\nint d;\nint q;\nint queue;\n", "README": "An engine, faster.\n"}
    second = mail(patch_of(hand.tip(), both), "Be faster", author="Ada Lovelace <ada@analytical.org>")
    hand.fold(second, source="PR #7", fold="pr-7", block="beta", only=(read_pick("src/**"),), reason="no claims yet")
    half = shop.release().blocks[1].folds[2]
    assert half.disposition is Disposition.PARTLY_TAKEN
    assert half.reason == "no claims yet\nnot taken: README"

    # The second revision of the first submission: both parts follow, and the fold above is told to be unchanged.
    queue |= {
        "src/a.cpp": numbered(3, 30, 31),
        "new/queue.h": "int old_queue;\nint more;\n",
        "src/b.cpp": "int c;\nint p;\nint q;\nint queue2;\n",
    }
    revised = mail(patch_of(ground, queue), "Add a better queue", head="b" * 40)
    desk = hand.desk()
    revision = plan_update(
        desk, "pr-106", hand.offers(revised)[0], without=(), reason="", source="PR #106", blobs=desk.blob
    )
    assert b"+int more;\n" in revision.interdiff
    assert (revision.old_head, revision.new_head) == ("a" * 40, "b" * 40)
    change = hand.write(revision.change)
    assert {(each.block, each.fold): each.how for each in change.folds} == {
        ("alpha", "turn"): How.IDENTICAL,
        ("alpha", "pr-106"): How.CHANGED,
        ("beta", "change"): How.IDENTICAL,
        ("beta", "pr-106"): How.CHANGED,
        ("beta", "pr-7"): How.CONTEXT,
    }
    assert change.rebuild() == ("alpha", "beta")

    # An amendment to the older block, made on the tip and laid down on its fold.
    desk = hand.desk()
    fix = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 4, 30, 31)})
    change = hand.write(plan_amend(desk, "alpha/turn", hand.offers(fix), Fields(reason="with the fix"), desk.blob))
    assert {each.fold: each.how for each in change.folds if each.block == "alpha"} == {
        "turn": How.CHANGED,
        "pr-106": How.IDENTICAL,
    }

    # Folds that build on each other do not change places; those that do not, do.
    refused = plan_reorder(hand.desk(), ["pr-7", "pr-106", "change"], block="beta")
    assert isinstance(refused, Conflict)
    assert refused.findings[0].code == "edit-conflict"
    assert any("hunk 1 of `src/b.cpp`" in found.message for found in refused.findings)
    change = hand.write(plan_reorder(hand.desk(), ["pr-106", "turn"], block="alpha"))
    assert [each.how for each in change.folds[:2]] == [How.IDENTICAL, How.IDENTICAL]

    # What is dropped stays on record, and its tombstone catches its return in another fold.
    with pytest.raises(InputFault, match="tombstone-unmet"):
        plan_drop(hand.desk(), ["alpha/pr-106"], reason="it raced", buried=("old_que",))
    hand.write(plan_drop(hand.desk(), ["alpha/pr-106"], reason="it raced", buried=("old_queue",)))
    block = shop.release().blocks[0]
    assert [(each.id, each.disposition) for each in block.not_taken] == [("pr-106", Refusal.DROPPED)]
    assert (shop.root / "blocks/alpha/not-taken/pr-106.patch").read_bytes() == revised
    again = mail(patch_of(hand.tip(), {"new/other.h": "extern int old_queue;\n"}), "Something else")
    hand.fold(again, block="alpha", fold="sly")
    sly = shop.release().blocks[0].folds[-1]
    assert [path for path, _ in returns(shop.release().all_tombstones()[0], sly)] == [b"new/other.h"]

    # Undo of the whole day gives the morning's bytes; redo gives the evening's.
    evening = shop.files()
    assert len(hand.done) == 7
    hand.undo(len(hand.done))
    assert shop.files() == morning
    hand.redo(len(hand.done))
    assert shop.files() == evening
