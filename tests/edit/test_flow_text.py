"""A block.yaml that is written as JSON gets its folds changed in place; what is in brackets and no JSON is refused."""

import json
from typing import Any

import pytest
import yaml

from builder.edit.folds_text import FoldText, with_folds, with_more, without_items
from tests.edit.workshop import Workshop
from verify.model.diagnostic import InputFault
from verify.model.ids import FoldId

KEPT = {"id": "a", "subject": "A", "author": "A <a@x.org>", "licence": "MIT", "reason": "so"}
BLOCK: dict[str, Any] = {"title": "T", "gates": {"g": {"least": 1e-05}}, "folds": [KEPT], "owns": ["*"]}
NEW = FoldText(id=FoldId("b"), fields=(("id", "b"), ("subject", 'B "\x85\U0001f600'), ("body", "")))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_folds_of_a_block_in_json_are_added_changed_and_removed(newline: str) -> None:
    text = (json.dumps(BLOCK, indent=2) + "\n").replace("\n", newline)
    more = with_folds(text, "block.yaml", [NEW, FoldId("a")])
    assert json.loads(more) == {**BLOCK, "folds": [{"id": "b", "subject": 'B "\x85\U0001f600'}, KEPT]}
    assert more.isascii() is False
    assert "\x85" not in more
    other = FoldText(id=FoldId("a"), fields=(("id", "a"), ("subject", "Other"), ("author", "B"), ("reason", "")))
    assert json.loads(with_folds(more, "block.yaml", [other]))["folds"] == [
        {"id": "a", "subject": "Other", "author": "B", "licence": "MIT"}
    ]
    assert with_folds(text, "block.yaml", []) == text.replace(text[text.index("[") : text.index("]") + 1], "[]")


def test_a_list_that_a_block_in_json_does_not_have_is_made() -> None:
    more = with_more('{"title": "T"}\n', "block.yaml", "not_taken", [[("id", "x"), ("paths", ("a", "b"))]])
    assert json.loads(more) == {"title": "T", "not_taken": [{"id": "x", "paths": ["a", "b"]}]}
    assert json.loads(without_items(more, "block.yaml", "not_taken", {"x"})) == {"title": "T", "not_taken": []}


def test_a_list_in_brackets_that_is_no_json_is_refused_with_a_step() -> None:
    with pytest.raises(InputFault, match="list-inline") as met:
        with_folds("title: T\nfolds: [{id: a}]\n", "block.yaml", [NEW, FoldId("a")])
    assert met.value.diagnostics[0].help == "write `folds` of block.yaml as a list of lines"


def test_a_branch_is_read_back_into_blocks_in_json(shop: Workshop) -> None:
    for block in shop.release().blocks:
        file = shop.root / block.file

        file.write_text(json.dumps(yaml.load(file.read_text(), yaml.BaseLoader), indent=2) + "\n")
    shop.git("commit", "--quiet", "--amend", "-m", "Reworded\n\nStackproof-Block: beta\nStackproof-Fold: change")
    new = shop.commit("Change b again", src__b="int d;\n")
    shop.sync({new: "beta/again"})
    assert [fold.subject for fold in shop.release().blocks[1].folds] == ["Reworded", "Change b again"]
