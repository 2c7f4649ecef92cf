"""Laws of merging: what one side left alone is the other side's, and both sides' order is kept."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.edit.keeping import in_order
from builder.edit.merging import Sides, merge_file

LAWS = settings(derandomize=True, deadline=None, max_examples=100)
NAMES = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=6)
VALUES = st.recursive(
    st.one_of(st.text(max_size=3), st.booleans()),
    lambda inner: st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=6,
)
DOCUMENTS = st.fixed_dictionaries({"blocks": NAMES, "gates": VALUES, "name": st.sampled_from(["r1", "r2"])})


def spelled(document: object) -> bytes:
    return (json.dumps(document, indent=2) + "\n").encode()


@LAWS
@given(base=DOCUMENTS, other=DOCUMENTS)
def test_what_one_side_left_alone_is_the_other_sides(base: object, other: object) -> None:
    ours = merge_file("release.json", Sides(base=spelled(base), ours=spelled(base), theirs=spelled(other)))
    theirs = merge_file("release.json", Sides(base=spelled(base), ours=spelled(other), theirs=spelled(base)))
    assert (ours.conflicts, theirs.conflicts) == ((), ())
    for merged in (ours, theirs):
        read = json.loads(merged.data)
        read.pop("reference", None)
        assert read == other


@LAWS
@given(base=DOCUMENTS, one=DOCUMENTS, two=DOCUMENTS)
def test_sides_may_change_places(base: object, one: object, two: object) -> None:
    there = merge_file("release.json", Sides(base=spelled(base), ours=spelled(one), theirs=spelled(two)))
    back = merge_file("release.json", Sides(base=spelled(base), ours=spelled(two), theirs=spelled(one)))
    assert {each.code for each in there.conflicts} == {each.code for each in back.conflicts}


@LAWS
@given(first=NAMES, second=NAMES)
def test_lists_are_joined_in_order(first: list[str], second: list[str]) -> None:
    joined = in_order(first, second)
    assert [item for item in joined if item in first] == first
    assert set(joined) == {*first, *second}
    assert len(joined) == len(set(joined))
