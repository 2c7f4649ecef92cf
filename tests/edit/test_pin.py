"""Pinning says what changes and why, and changes the reference and the lock alone."""

import json

import pytest

from builder.edit.pin import Why, apply_pin, plan_pin
from builder.edit.reference import with_reference
from tests.edit.workshop import Workshop, edited
from verify.model.diagnostic import InputFault
from verify.model.ids import CommitId, TreeId
from verify.model.release import Reference

REFERENCE = Reference(base_tree=TreeId("1" * 40), tip_tree=TreeId("2" * 40), tip_commit=CommitId("3" * 40))


def why(shop: Workshop) -> dict[str, tuple[Why, ...]]:
    plan = plan_pin(root=shop.root, release=shop.release(), stack=shop.stack())
    return {change.fold: change.why for change in plan.folds}


def replace(shop: Workshop, name: str, old: str, new: str) -> None:
    file = shop.root / name
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new))


def test_pinning_twice_is_pinning_once(shop: Workshop) -> None:
    before = shop.files()
    plan = shop.pin()
    assert plan.is_empty()
    assert plan.unchanged == 2
    assert shop.files() == before


def test_the_reference_names_what_was_derived(shop: Workshop) -> None:
    stack = shop.stack()
    written = json.loads((shop.root / "release.json").read_bytes())["reference"]
    assert written == {
        "base_tree": stack.base_tree,
        "tip_tree": stack.tip_tree(),
        "tip_commit": stack.tip_commit(),
    }


def test_a_new_message_is_told_where_it_is_and_followed_above(shop: Workshop) -> None:
    replace(shop, "blocks/alpha/block.yaml", "Turn line 3", "Turn the third line")
    assert why(shop) == {"turn": (Why.IDENTITY,), "change": (Why.BELOW,)}


def test_a_changed_patch_is_told(shop: Workshop) -> None:
    replace(shop, "blocks/beta/folds/change/fold.patch", "+int c;", "+int e;")
    assert why(shop) == {"change": (Why.PATCH,)}


def test_a_changed_base_under_a_fold_is_told(shop: Workshop) -> None:
    replace(shop, "engine/src/a.cpp", "line 30\n", "line thirty\n")
    assert why(shop) == {"turn": (Why.PREIMAGE,), "change": (Why.BELOW,)}


def test_new_and_removed_folds_are_told(shop: Workshop) -> None:
    shop.sync({shop.commit("More of b", src__b="int d;\n"): "beta/more"})
    assert why(shop) == {"more": (Why.NEW,)}
    shop.pin()
    shop.checkout()
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    shop.sync()
    assert why(shop) == {"more": (Why.GONE,)}


def test_a_fold_that_changed_places_is_told(shop: Workshop) -> None:
    shop.sync({shop.commit("A new file", new__x="x\n"): "beta/file"})
    shop.pin()
    text = (shop.root / "blocks/beta/block.yaml").read_text()
    head, first, second = text.split("  - id: ")
    second, end = second.split("# The end")
    (shop.root / "blocks/beta/block.yaml").write_text(f"{head}  - id: {second}  - id: {first}# The end{end}")
    assert [fold for fold, reasons in why(shop).items() if Why.MOVED in reasons] in (["file"], ["change"])


def test_a_lock_that_changed_meanwhile_is_not_written_over(shop: Workshop) -> None:
    replace(shop, "blocks/alpha/block.yaml", "Turn line 3", "Turn the third line")
    plan = plan_pin(root=shop.root, release=shop.release(), stack=shop.stack())
    (shop.root / "blocks/lock.json").write_text("{}")
    before = shop.files()
    with pytest.raises(InputFault, match="pin-outdated"):
        apply_pin(root=shop.root, plan=plan, tell=lambda _: None)
    assert shop.files() == before


def test_a_stack_after_an_edit_is_pinned_again_without_a_finding(shop: Workshop) -> None:
    shop.git("reset", "--quiet", "--hard", "HEAD~1")
    shop.commit("Turn more\n\nStackproof-Block: alpha\nStackproof-Fold: more", src__a=edited(3, 20))
    shop.commit("Change b\n\nStackproof-Block: beta\nStackproof-Fold: change", src__b="int c;\n")
    shop.sync()
    shop.pin()
    assert shop.derived(locked=True).findings == ()


@pytest.mark.parametrize(
    ("head", "value", "tail"),
    [
        ('{"name": "x", "reference": ', "null", "}"),
        ('{\n    "reference": ', '{"base_tree": "a", "x": "}"}', ',\n    "name": "reference"\n}\n'),
        ('{\r\n\t"name": "x",\r\n\t"reference": ', "null", "\r\n}\r\n"),
        ('{"a": {"reference": null}, "reference":', "null", ' , "z": [1, {"reference": 2}]}'),
    ],
)
def test_only_the_reference_is_replaced(head: str, value: str, tail: str) -> None:
    new = with_reference(head + value + tail, REFERENCE)
    assert new.startswith(head)
    assert new.endswith(tail)
    assert json.loads(new)["reference"]["tip_commit"] == REFERENCE.tip_commit


def test_a_missing_reference_is_appended() -> None:
    new = with_reference('{\n  "name": "x"\n}\n', REFERENCE)
    assert new.startswith('{\n  "name": "x",\n  "reference": {\n    "base_tree": "1')
    assert new.endswith('"\n  }\n}\n')
