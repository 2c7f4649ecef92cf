"""How operations of two graphs are put beside each other."""

import struct
from collections.abc import Sequence
from hashlib import sha256

from verify.probe.bindings.operations import Compared, Graph, TracedOperation, compare


def op(name: str, kind: str, *numbers: float, shape: tuple[int, ...] = ()) -> TracedOperation:
    data = struct.pack(f"<{len(numbers)}f", *numbers)
    whole = (shape or (len(numbers),)) + (1,) * (4 - len(shape or (1,)))
    return TracedOperation(name=name, op=kind, type="f32", shape=whole, sha256=sha256(data).hexdigest(), data=data)


def compared(one: Sequence[Graph], two: Sequence[Graph], start: int = 0) -> Compared:
    found = Compared()
    compare("p", one, two, start=start, arms=("one", "two"), found=found)
    return found


def test_the_first_that_differs_comes_first() -> None:
    one = [op("norm-0", "NORM", 1, 2), op("ffn-1", "MUL_MAT", 1, 2), op("out", "ADD", 3, 4)]
    two = [op("norm-0", "NORM", 1, 2), op("ffn-1", "MUL_MAT", 1, 2.5), op("out", "ADD", 3, 5)]
    found = compared([one], [two])
    assert (found.compared, found.differ, [each.name for each in found.first]) == (3, 2, ["ffn-1", "out"])
    assert (found.first[0].layer, found.first[0].maximum, found.first[1].layer) == (1, 0.5, -1)


def test_an_operation_of_one_arm_does_not_shift_the_rest() -> None:
    one = [op("node_4", "ADD", 1), op("node_5", "MUL", 2)]
    two = [op("extra", "SCALE", 9), op("node_5", "ADD", 1), op("node_6", "MUL", 2)]
    found = compared([one], [two])
    assert (found.compared, found.differ, list(found.lacking)) == (2, 0, ["two: extra SCALE"])


def test_operations_of_one_name_are_told_apart_by_their_order() -> None:
    one, two = [op("x", "ADD", 1), op("x", "ADD", 2)], [op("x", "ADD", 1), op("x", "ADD", 3)]
    found = compared([one], [two])
    assert (found.differ, found.first[0].index) == (1, 1)


def test_tokens_that_went_through_singly_are_those_that_went_together() -> None:
    single = [[op("q", "MUL_MAT", 1, 2, shape=(2, 1))], [op("q", "MUL_MAT", 3, 4, shape=(2, 1))]]
    together = [[op("q", "MUL_MAT", 1, 2, 3, 4, shape=(2, 2))]]
    assert (compared(single, together).compared, compared(single, together).differ) == (1, 0)
    other = [[op("q", "MUL_MAT", 1, 2, 3, 4.5, shape=(2, 2))]]
    assert compared(single, other).first[0].maximum == 0.5


def test_what_does_not_grow_with_tokens_is_not_compared() -> None:
    assert compared([[op("state", "COPY", 1)], [op("state", "COPY", 2)]], [[op("state", "COPY", 2)]]).compared == 0


def test_scores_of_tokens_that_are_not_read_yet_do_not_count() -> None:
    one = [
        [op("kq-0", "MUL_MAT", 1, 0, 0, shape=(3, 1))],
        [op("kq-0", "MUL_MAT", 2, 3, 0, shape=(3, 1))],
    ]
    two = [[op("kq-0", "MUL_MAT", 1, 7, 0, 2, 3, 0, shape=(3, 2))]]
    assert (compared(one, two).compared, compared(one, two).differ) == (1, 0)
    assert compared(one, two, start=1).differ == 1


def test_equal_infinities_are_no_difference() -> None:
    one = [op("mask", "ADD", float("-inf"), 1)]
    two = [op("mask", "ADD", float("-inf"), 1.5)]
    assert compared([one], [two]).first[0].maximum == 0.5


def test_a_value_that_became_infinite_has_no_distance() -> None:
    found = compared([[op("x", "ADD", 1, 2)]], [[op("x", "ADD", 1, float("inf"))]])
    assert (found.differ, found.first[0].relative) == (1, -1.0)
