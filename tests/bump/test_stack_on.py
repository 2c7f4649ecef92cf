"""Folds on another base: every outcome, past every conflict, and nothing ever silently in the wrong place."""

import pytest

from builder.bump.outcome import Cause, Outcome
from builder.tree import Overlay, Tree
from tests.bump.forks import changed, fork, fork_of, numbered, outcomes, piece
from tests.core import hazards
from tests.core.memory import Memory
from verify.model.ids import EMPTY_TREE, RepoPath
from verify.model.patch import Action, FileChange, Patch

A, X = RepoPath(b"a"), RepoPath(b"x")


def test_on_the_same_base_a_stack_is_itself() -> None:
    made = fork({"a": numbered()}, ("one/f", {"a": numbered(_9=b"nine\n")}), ("two/g", {"b": b"new\n"}))
    bumped = made.on({"a": numbered()})
    assert outcomes(bumped) == ["unchanged", "unchanged"]
    assert bumped.tip.id == made.stack.tip_tree()
    assert [each.text for each in bumped.folds] == [f.patch_bytes for block in made.blocks for f in block.folds]


def test_a_change_beside_it_moves_a_fold_and_one_in_its_context_merges_it() -> None:
    made = fork({"a": numbered()}, ("one/f", {"a": numbered(_9=b"nine\n", _30=b"thirty\n")}))
    bumped = made.on({"a": b"new\n" + numbered(_28=b"upstream\n")})
    assert [(each.outcome, each.cause, each.offset) for each in bumped.folds[0].pieces] == [
        (Outcome.MOVED, Cause.OFFSET, 1),
        (Outcome.MERGED, Cause.CONTEXT, 1),
    ]
    assert outcomes(bumped) == ["merged"]
    merged = piece(bumped.folds[0], 1).upstream
    assert [(each.old_start, each.removed, each.added) for each in merged] == [(28, (b"line 28\n",), (b"upstream\n",))]
    assert bumped.tip.blob(A) == b"new\n" + numbered(_9=b"nine\n", _28=b"upstream\n", _30=b"thirty\n")


def test_a_conflict_hides_no_other_and_names_what_upstream_did() -> None:
    made = fork(
        {"a": numbered(), "b": numbered()},
        ("one/f", {"a": numbered(_9=b"nine\n", _30=b"thirty\n")}),
        ("two/g", {"a": numbered(_9=b"nine\n", _20=b"twenty\n", _30=b"thirty\n")}),
        ("two/h", {"b": numbered(_5=b"five\n")}),
    )
    bumped = made.on({"a": numbered(_9=b"upstream\n"), "b": numbered(_5=b"theirs\n")})
    assert outcomes(bumped) == ["conflict", "unchanged", "conflict"]
    first = piece(bumped.folds[0], 0)
    assert (first.cause, first.upstream[0].added) == (Cause.SAME_LINES, (b"upstream\n",))
    assert bumped.tip.blob(A) == numbered(_9=b"upstream\n", _20=b"twenty\n", _30=b"thirty\n")


def test_a_fold_that_rests_on_a_conflict_says_which_one_it_waits_for() -> None:
    made = fork(
        {"a": numbered()},
        ("one/f", {"a": numbered(_9=b"nine\n")}),
        ("one/g", {"a": b"top\n" + numbered(_9=b"nine\n")}),
        ("two/h", {"a": b"top\n" + numbered(_9=b"nine and more\n")}),
    )
    bumped = made.on({"a": numbered(_9=b"upstream\n")})
    assert outcomes(bumped) == ["conflict", "unchanged", "conflict"]
    assert (piece(bumped.folds[2], 0).cause, piece(bumped.folds[2], 0).waits_for) == (Cause.WAITS, ("one", "f"))


def test_a_file_that_a_conflict_kept_from_being_made_is_waited_for() -> None:
    made = fork({"a": b"a\n"}, ("one/f", {"n": b"ours\n"}), ("one/g", {"n": b"ours, changed\n"}))
    bumped = made.on({"a": b"a\n", "n": b"theirs\n"})
    assert [piece(each, 0).cause for each in bumped.folds] == [Cause.FILE_THERE, Cause.WAITS]


def test_what_upstream_took_is_not_made_again() -> None:
    made = fork({"a": numbered()}, ("one/f", {"a": numbered(_9=b"nine\n", _30=b"thirty\n")}))
    whole = made.on({"a": numbered(_9=b"nine\n", _30=b"thirty\n")})
    assert (outcomes(whole), whole.folds[0].text) == (["upstreamed"], b"")
    share = piece(whole.folds[0], 0).share
    assert (share.there(), share.lines(), share.by_reverse) == (2, 2, True)
    part = made.on({"a": numbered(_9=b"nine\n")})
    assert outcomes(part) == ["partly upstreamed"]
    assert part.tip.blob(A) == numbered(_9=b"nine\n", _30=b"thirty\n")


def test_what_upstream_took_squashed_with_a_later_fold_is_found() -> None:
    made = fork(
        {"a": numbered()},
        ("one/f", {"a": numbered(_9=b"nine\nand more\n")}),
        ("two/g", {"a": numbered(_9=b"nine\nand much more\n")}),
    )
    bumped = made.on({"a": b"new\n" + numbered(_9=b"nine\nand much more\n")})
    assert outcomes(bumped) == ["upstreamed", "upstreamed"]
    assert piece(bumped.folds[0], 0).others == (("two", "g"),)
    assert bumped.tip.id == bumped.base


def test_what_upstream_has_removed_altogether_is_superseded() -> None:
    made = fork({"a": numbered(), "b": b"b\n"}, ("one/f", {"a": numbered(_20=b"twenty\n")}), ("one/g", {"b": b"c\n"}))
    gone: dict[str, bytes] = {f"_{number}": b"" for number in range(12, 30)}
    bumped = made.on({"a": numbered(**gone)})
    assert [(piece(each, 0).outcome, piece(each, 0).cause) for each in bumped.folds] == [
        (Outcome.SUPERSEDED, Cause.LINES_GONE),
        (Outcome.SUPERSEDED, Cause.FILE_GONE),
    ]


def test_how_much_upstream_took_of_a_hunk_that_conflicts_is_counted() -> None:
    made = fork({"a": numbered()}, ("one/f", {"a": numbered(_9=b"1\n2\n3\n4\n")}))
    bumped = made.on({"a": numbered(_9=b"1\n2\nother\n4\n")})
    share = piece(bumped.folds[0], 0).share
    assert (share.added, share.added_there, share.removed, share.removed_gone) == (4, 3, 1, 1)
    assert not share.by_reverse


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    "make", [hazards.same_bodies, hazards.already_there, hazards.only_moved, hazards.context_changed]
)
def test_hazard_shapes_come_out_right(make: object, seed: int) -> None:
    assert callable(make)
    bumped = bumped_shape(make(seed))
    assert bumped[0].blob(X) == make(seed).right, bumped[1]


@pytest.mark.parametrize("seed", range(12))
def test_where_upstream_changed_the_very_lines_nothing_is_placed(seed: int) -> None:
    shape = hazards.changed_under_us(seed)
    tip, said = bumped_shape(shape)
    assert (tip.blob(X), said) == (shape.present, ["conflict"])


def bumped_shape(shape: hazards.Shape) -> tuple[Tree, list[str]]:
    base = changed(Tree.at(Overlay(Memory()), EMPTY_TREE), {"x": shape.recorded})
    change = FileChange(
        action=Action.MODIFY, old_path=X, new_path=X, old_mode=None, new_mode=None, hunks=shape.hunks, binary=None,
        old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip
    bumped = fork_of(base, [("one", "f", Patch(files=(change,)))]).on({"x": shape.present})
    return bumped.tip, outcomes(bumped)
