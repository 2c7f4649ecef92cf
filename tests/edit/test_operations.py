"""Operations are recorded with what they write, and taken back without touching anything else."""

import errno
import json
from pathlib import Path

import pytest

from builder.edit.change import Change, apply_change
from builder.edit.operations import Kind, read_log, redo, standing, undo
from builder.edit.rearrange import plan_rename_fold
from builder.edit.take import Asked, plan_fold
from builder.write import finish_interrupted
from tests.edit.hand import Hand, mail, numbered, patch_of
from tests.edit.workshop import Workshop
from tests.write.sabotaged_disk import Killed, SabotagedDisk
from verify.model.diagnostic import EnvironmentFault, InputFault


def planned(hand: Hand) -> Change:
    """A fold that is split over two blocks, so that several files are written at once."""
    patch = patch_of(hand.tip(), {"src/a.cpp": numbered(3, 20), "src/b.cpp": "int c;\nint d;\n"})
    desk = hand.desk()
    made = plan_fold(desk, hand.offers(mail(patch, "Both")), Asked(by_owner=True), desk.blob)
    assert isinstance(made, Change)
    return made


def write(shop: Workshop, change: Change, disk: SabotagedDisk) -> None:
    apply_change(root=shop.root, change=change, at=1, tell=lambda _: None, disk=disk)


def log_of(shop: Workshop) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (shop.root / ".stackproof/log").glob("*")}


def everything(shop: Workshop) -> tuple[dict[str, bytes], dict[str, bytes]]:
    """The declared files, and the log."""
    return shop.files(), log_of(shop)


def calls_of(shop: Workshop, change: Change) -> int:
    disk = SabotagedDisk()
    write(shop, change, disk)
    return disk.calls


@pytest.mark.parametrize("refusal", [None, errno.ENOSPC])
def test_stopped_at_any_call_of_the_writer_an_edit_and_its_record_are_both_there_or_both_not(
    shop: Workshop, refusal: int | None
) -> None:
    hand = Hand(shop)
    change = planned(hand)
    old = everything(shop)
    calls = calls_of(shop, change)
    new = everything(shop)
    assert new != old
    seen = set()
    for at in range(1, calls + 1):
        if everything(shop) != old:
            undo(shop.root, count=1, at=2, tell=lambda _: None)
            for name in log_of(shop).keys() - old[1].keys():
                (shop.root / ".stackproof/log" / name).unlink()
        assert everything(shop) == old
        try:
            write(shop, change, SabotagedDisk(at, refusal))
        except (Killed, EnvironmentFault):
            finish_interrupted(shop.root, disk=SabotagedDisk())
        met = everything(shop)
        assert met in (old, new), at
        seen.add(met == new)
    assert seen == {True, False}


def test_undo_keeps_edits_of_other_files_and_refuses_those_of_its_own(shop: Workshop) -> None:
    hand = Hand(shop)
    hand.write(planned(hand))
    (shop.root / "NOTES").write_text("mine\n")
    yaml = shop.root / "blocks/alpha/block.yaml"
    written = yaml.read_bytes()
    yaml.write_bytes(written.replace(b"The second slot waits.", b"The second slot waits long."))
    after = shop.files()
    with pytest.raises(InputFault, match=r"undo-edited: blocks/alpha/block\.yaml"):
        hand.undo()
    assert shop.files() == after
    yaml.write_bytes(written)
    hand.undo()
    assert hand.folds() == {"alpha": ["turn"], "beta": ["change"]}
    assert (shop.root / "NOTES").read_text() == "mine\n"


def test_an_undo_is_undone_and_a_new_operation_ends_that(shop: Workshop) -> None:
    hand = Hand(shop)
    hand.write(plan_rename_fold(hand.desk(), "turn", "first"))
    hand.write(plan_rename_fold(hand.desk(), "first", "second"))
    hand.undo(2)
    assert hand.folds()["alpha"] == ["turn"]
    hand.redo()
    assert hand.folds()["alpha"] == ["first"]
    hand.write(plan_rename_fold(hand.desk(), "first", "third"))
    with pytest.raises(InputFault, match="undo-nothing"):
        hand.redo()
    hand.undo(2)
    assert hand.folds()["alpha"] == ["turn"]


def test_more_than_was_done_is_not_undone_at_all(shop: Workshop) -> None:
    hand = Hand(shop)
    hand.write(plan_rename_fold(hand.desk(), "turn", "first"))
    before = everything(shop)
    with pytest.raises(InputFault, match="undo-nothing"):
        hand.undo(50)
    assert everything(shop) == before


def test_syncing_and_pinning_are_in_the_log_and_are_undone(shop: Workshop) -> None:
    before = shop.files()
    shop.sync({shop.commit("More of b", src__b="int d;\n"): "beta/more"})
    shop.pin()
    log = read_log(shop.root)
    assert [each.command for each in log[-2:]] == ["sync", "pin"]
    undo(shop.root, count=2, at=9, tell=lambda _: None)
    assert shop.files() == before


def test_the_log_keeps_the_last_operations(shop: Workshop) -> None:
    hand = Hand(shop)
    folder = shop.root / ".stackproof/log"
    hand.write(plan_rename_fold(hand.desk(), "turn", "first"))
    record = json.loads(max(folder.glob("*.json")).read_bytes())
    for number in range(record["number"] + 1, record["number"] + 250):
        (folder / f"{number:08}.json").write_text(json.dumps(record | {"number": number, "files": []}))
    hand.write(plan_rename_fold(hand.desk(), "first", "second"))
    assert len(list(folder.glob("*.json"))) == 200
    done, _ = standing(read_log(shop.root))
    assert done[-1].summary == "alpha/first to second"


def test_a_forgotten_operation_that_was_undone_confuses_nobody(shop: Workshop) -> None:
    hand = Hand(shop)
    hand.write(plan_rename_fold(hand.desk(), "turn", "first"))
    hand.undo()
    log = read_log(shop.root)
    assert [each.kind for each in log[-2:]] == [Kind.DO, Kind.UNDO]
    min((shop.root / ".stackproof/log").glob(f"{log[-2].number:08}.json")).unlink()
    assert log[-1] not in standing(read_log(shop.root))[0]


def test_a_broken_record_is_told_and_nothing_is_written(shop: Workshop) -> None:
    hand = Hand(shop)
    hand.write(plan_rename_fold(hand.desk(), "turn", "first"))
    before = shop.files()
    max((shop.root / ".stackproof/log").glob("*.json")).write_bytes(b"{")
    with pytest.raises(EnvironmentFault, match="log-broken"):
        redo(shop.root, count=1, at=1, tell=lambda _: None)
    assert shop.files() == before


def test_an_edit_that_was_planned_on_older_files_is_not_written(shop: Workshop) -> None:
    hand = Hand(shop)
    change = planned(hand)
    yaml = shop.root / "blocks/alpha/block.yaml"
    yaml.write_bytes(yaml.read_bytes() + b"# more\n")
    before = shop.files()
    with pytest.raises(InputFault, match="edit-outdated"):
        write(shop, change, SabotagedDisk())
    assert shop.files() == before


def test_the_log_is_ignored_by_git(shop: Workshop) -> None:
    assert Path(shop.root / ".stackproof/.gitignore").read_bytes() == b"*\n"
