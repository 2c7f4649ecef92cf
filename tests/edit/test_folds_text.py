"""block.yaml is edited where its folds change, and nowhere else."""

import pytest

from builder.edit.folds_text import FoldText, with_folds
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Listing, Scalar, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.ids import FoldId

TEXT = """# Head.
schema: stackproof/block/1
title: Alpha   # short

# Comes in order.
folds:
  # The first one.
  - id: one
    subject: Add one   # plainly
    body: |
      Why it is.

      # not a comment
    author: Ada <ada@analytical.org>

    # When it was.
    date: "@1790000000 +0000"
    source: maintainers
    disposition: folded

  # The second one,
  # in two lines.
  - {id: two, subject: Add two, author: Ada <ada@analytical.org>, date: "@1 +0000", source: x, disposition: folded}
# What it owns.
owns:
  - src/**
"""


def fold(name: str, **fields: str) -> FoldText:
    values = {
        "id": name,
        "subject": f"Add {name}",
        "body": "",
        "author": "Ada <ada@analytical.org>",
        "date": "@1790000000 +0000",
        "source": "maintainers",
        "disposition": "folded",
        "reason": "",
    }
    return FoldText(id=FoldId(name), fields=tuple({**values, **fields}.items()))


def edit(text: str, *folds: FoldText | str) -> str:
    return with_folds(text, "block.yaml", [FoldId(one) if isinstance(one, str) else one for one in folds])


def read(text: str) -> list[dict[str, str]]:
    mistakes = Mistakes()
    root = read_yaml(Source("block.yaml", text), mistakes)
    mistakes.raise_if_any()
    assert isinstance(root, Table)
    (folds,) = [entry.value for entry in root.entries if entry.key.text == "folds"]
    assert isinstance(folds, Listing)
    found = []
    for item in folds.items:
        assert isinstance(item, Table)
        values = {entry.key.text: entry.value for entry in item.entries}
        found.append({key: value.text for key, value in values.items() if isinstance(value, Scalar)})
    return found


def test_keeping_every_fold_keeps_every_byte() -> None:
    assert edit(TEXT, "one", "two") == TEXT


def test_windows_line_ends_stay() -> None:
    text = TEXT.replace("\n", "\r\n")
    assert edit(text, "one", "two") == text
    assert "\r\n  - id: three\r\n" in edit(text, "one", "two", fold("three"))


def test_a_new_fold_is_appended_and_the_rest_stays() -> None:
    new = edit(TEXT, "one", "two", fold("three"))
    added = """  - id: three
    subject: Add three
    author: Ada <ada@analytical.org>
    date: "@1790000000 +0000"
    source: maintainers
    disposition: folded
"""
    assert new == TEXT.replace("# What it owns.", added + "# What it owns.")


def test_a_removed_fold_takes_its_comment_along() -> None:
    second = TEXT[TEXT.index("  # The second one,") : TEXT.index("# What it owns.")]
    assert edit(TEXT, "one") == TEXT.replace("\n" + second, "")


def test_folds_that_change_places_take_their_comments_along() -> None:
    new = edit(TEXT, "two", "one")
    assert new.index("# The second one,") < new.index("id: two") < new.index("# The first one.") < new.index("id: one")
    assert [item["id"] for item in read(new)] == ["two", "one"]


def test_a_changed_field_changes_its_own_lines_alone() -> None:
    new = edit(TEXT, fold("one", subject="Add the one", body="Why it is.\n\n# not a comment"), "two")
    assert new == TEXT.replace("subject: Add one   # plainly", "subject: Add the one")


def test_a_changed_body_replaces_the_whole_block_of_text() -> None:
    new = edit(TEXT, fold("one", body="Another\nreason."), "two")
    assert read(new)[0]["body"] == "Another\nreason."
    assert "not a comment" not in new
    assert "    # When it was.\n" in new


def test_a_body_that_is_gone_is_taken_out() -> None:
    assert "body" not in read(edit(TEXT, fold("one"), "two"))[0]


def test_a_fold_on_one_line_is_written_out_when_it_changes() -> None:
    new = edit(TEXT, "one", fold("two", source="pr 7"))
    assert read(new)[1]["source"] == "pr 7"
    assert "  # The second one,\n  # in two lines.\n  - id: two\n" in new


@pytest.mark.parametrize(
    "text", ["folds: []\nowns: [a]\n", "owns: [a]\nfolds: []\n", "owns: [a]\nfolds: []", "owns: [a]\n"]
)
def test_the_first_fold_is_written_out(text: str) -> None:
    new = edit(text, fold("one"))
    assert [item["id"] for item in read(new)] == ["one"]
    assert "owns: [a]" in new.split("\n")


def test_a_list_that_is_not_indented_stays_so() -> None:
    text = "folds:\n- id: one\n  subject: Add one\n# end\nowns: [a]\n"
    new = edit(text, "one", fold("two"))
    assert new.startswith("folds:\n- id: one\n  subject: Add one\n- id: two\n  subject: Add two\n")
    assert new.endswith("# end\nowns: [a]\n")


def test_the_last_fold_may_go() -> None:
    assert "folds: []\n# What it owns." in edit(TEXT)


@pytest.mark.parametrize("name", ["one", "two"])
def test_what_a_branch_cannot_say_stays(name: str) -> None:
    text = TEXT.replace("    source: maintainers\n", "    source: maintainers\n    licence: MIT\n")
    text = text.replace("disposition: folded}", "disposition: folded, licence: MIT}")
    made = edit(text, *(fold(each, subject="Other") if each == name else each for each in ("one", "two")))
    assert [each["licence"] for each in read(made)] == ["MIT", "MIT"]
