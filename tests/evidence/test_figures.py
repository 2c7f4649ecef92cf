"""What a record comes to, and where two differ, whatever kind they are of."""

from dataclasses import replace

from builder.figures import differences, figures, leaves
from tests.evidence.records import some_evidence, some_key


def test_leaves_name_items_by_what_they_call_themselves() -> None:
    value = {"arms": [{"arm": "on", "answers": [{"request": "p", "round": 2, "ids": [7]}]}], "n": None}
    assert dict(leaves(value)) == {
        "arms[on].arm": "on",
        "arms[on].answers[p.2].request": "p",
        "arms[on].answers[p.2].round": 2,
        "arms[on].answers[p.2].ids[0]": 7,
        "n": None,
    }


def test_equal_records_do_not_differ() -> None:
    assert differences(some_evidence(), some_evidence()) == ()


def test_parts_of_the_key_come_first_and_each_difference_has_both_sides() -> None:
    one, other = some_evidence(), some_evidence(key=some_key(model="n"))
    other = replace(other, observation={**other.observation, "seconds": 0.5, "more": 1})
    found = [(each.place, each.one, each.other) for each in differences(one, other)]
    assert found == [("key: model", "m", "n"), ("observation: seconds", 0.25, 0.5), ("observation: more", None, 1)]


def test_figures_are_short_and_of_one_line_each() -> None:
    record = replace(some_evidence(), observation={"text": "x" * 500 + "\n", "list": [1, 2], "share": 0.123456789})
    assert dict(figures(record)) == {"text": "x" * 99 + "…", "list": "2 items", "share": "0.123457"}
