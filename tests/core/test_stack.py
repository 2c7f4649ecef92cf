"""Folds onto a base: layers, the lock, and what is said when something differs."""

import dataclasses

from builder.stack import make_lock
from tests.core.stacks import TEXT, base, block, derived, fold, replacing
from verify.model.ids import RepoPath
from verify.model.stack import Stack, Stuck

ONE = replacing(TEXT, b"line 5\n", b"five\n")
AFTER_ONE = TEXT.replace(b"line 5\n", b"five\n")
TWO = replacing(AFTER_ONE, b"line 8\n", b"eight\n")
THREE = replacing(TEXT, b"line 20\n", b"twenty\n", name="y")
STALE = replacing(TEXT, b"line 5\n", b"other\n")


def codes(findings: tuple[object, ...]) -> list[str]:
    return [getattr(finding, "code", "") for finding in findings]


def test_a_stack_has_a_layer_for_each_fold() -> None:
    made = derived(
        base(x=TEXT, y=TEXT), block("a", fold("one", ONE), fold("two", TWO)), block("b", fold("three", THREE))
    )
    assert isinstance(made.result, Stack)
    assert [layer.fold for layer in made.result.layers] == ["one", "two", "three"]
    assert made.result.layers[1].before == made.result.layers[0].after


def test_an_empty_fold_is_a_layer_that_changes_nothing() -> None:
    tree = base(x=TEXT)
    made = derived(tree, block("a", fold("none", b"")))
    assert isinstance(made.result, Stack)
    assert made.result.tip_tree() == tree.id


def test_a_fold_that_does_not_fit_does_not_hide_the_ones_behind_it() -> None:
    made = derived(
        base(x=TEXT, y=TEXT),
        block("a", fold("one", ONE), fold("stale", STALE)),
        block("b", fold("three", THREE), fold("stale-too", STALE)),
    )
    assert isinstance(made.result, Stuck)
    assert [layer.fold for layer in made.result.done] == ["one", "three"]
    assert (made.result.block, made.result.fold) == ("a", "stale")
    assert codes(made.findings) == ["hunk-mismatch", "hunk-mismatch"]


def test_a_fold_goes_on_whole_or_not_at_all() -> None:
    both = replacing(TEXT, b"line 5\n", b"five\n") + replacing(TEXT, b"line 6\n", b"six\n", name="y")
    tree = base(x=TEXT, y=TEXT.replace(b"line 6\n", b"changed\n"))
    made = derived(tree, block("a", fold("both", both), fold("none", b"")))
    assert isinstance(made.result, Stuck)
    assert made.result.done[0].after == tree.id


def test_a_mismatch_says_the_line_what_was_met_and_who_changed_the_file() -> None:
    made = derived(base(x=TEXT), block("a", fold("one", ONE)), block("b", fold("stale", STALE)))
    notes = "\n".join(made.findings[0].notes)
    assert "line 5: expected 'line 5', met 'five'" in notes
    assert "`x` was last changed by fold `one` of block `a`" in notes


def test_old_lines_that_stand_elsewhere_are_not_taken() -> None:
    made = derived(base(x=b"new first line\n" + TEXT), block("a", fold("one", ONE)))
    assert isinstance(made.result, Stuck)
    assert "the old lines stand at line 3" in made.findings[0].notes


def test_a_stack_agrees_with_its_own_lock() -> None:
    blocks = block("a", fold("one", ONE), fold("two", TWO))
    made = derived(base(x=TEXT), blocks)
    assert isinstance(made.result, Stack)
    assert derived(base(x=TEXT), blocks, lock=make_lock(made.result, (blocks,))).findings == ()


def test_another_base_file_is_a_preimage_difference_even_if_the_hunks_fit() -> None:
    blocks = block("a", fold("one", ONE), fold("two", TWO))
    pinned = derived(base(x=TEXT), blocks)
    assert isinstance(pinned.result, Stack)
    other = derived(base(x=TEXT + b"more\n"), blocks, lock=make_lock(pinned.result, (blocks,)))
    assert isinstance(other.result, Stuck)
    assert codes(other.findings) == ["preimage-differs", "tree-differs", "preimage-differs"]
    assert "likely cause: the base tree holds another file than at the last pin" in other.findings[0].notes


def test_an_edited_patch_is_told_as_the_cause_of_what_follows() -> None:
    blocks = block("a", fold("one", ONE), fold("two", TWO))
    pinned = derived(base(x=TEXT), blocks)
    assert isinstance(pinned.result, Stack)
    edited = block("a", fold("one", ONE.replace(b"five", b"FIVE")), fold("two", TWO.replace(b"five", b"FIVE")))
    made = derived(base(x=TEXT), edited, lock=make_lock(pinned.result, (blocks,)))
    assert codes(made.findings) == ["lock-patch", "tree-differs", "lock-patch", "preimage-differs"]
    assert any("edited after the last pin" in note for note in made.findings[3].notes)


def test_an_untouched_path_of_the_base_shows_in_the_first_tree() -> None:
    blocks = block("a", fold("one", ONE))
    pinned = derived(base(x=TEXT, z=b"1\n"), blocks)
    assert isinstance(pinned.result, Stack)
    made = derived(base(x=TEXT, z=b"2\n"), blocks, lock=make_lock(pinned.result, (blocks,)))
    assert codes(made.findings) == ["tree-differs"]
    assert any("base tree is another one" in note for note in made.findings[0].notes)


def test_a_changed_subject_shows_in_the_commit_alone() -> None:
    blocks = block("a", fold("one", ONE))
    pinned = derived(base(x=TEXT), blocks)
    assert isinstance(pinned.result, Stack)
    renamed = block("a", fold("one", ONE, subject="Another subject"))
    assert codes(derived(base(x=TEXT), renamed, lock=make_lock(pinned.result, (blocks,))).findings) == [
        "commit-differs"
    ]


def test_folds_that_the_lock_does_not_know_or_know_too_much_are_told() -> None:
    blocks = block("a", fold("one", ONE), fold("two", TWO))
    pinned = derived(base(x=TEXT, y=TEXT), blocks)
    assert isinstance(pinned.result, Stack)
    lock = make_lock(pinned.result, (blocks,))
    other = block("a", fold("one", ONE), fold("three", THREE))
    assert codes(derived(base(x=TEXT, y=TEXT), other, lock=lock).findings) == ["lock-missing", "lock-stale"]


def test_a_lock_in_another_order_is_told() -> None:
    blocks = block("a", fold("one", ONE), fold("three", THREE))
    pinned = derived(base(x=TEXT, y=TEXT), blocks)
    assert isinstance(pinned.result, Stack)
    lock = make_lock(pinned.result, (blocks,))
    turned = dataclasses.replace(lock, folds=lock.folds[::-1])
    assert "lock-order" in codes(derived(base(x=TEXT, y=TEXT), blocks, lock=turned).findings)


def test_the_files_of_a_layer_are_both_sides_of_each_path() -> None:
    made = derived(base(x=TEXT), block("a", fold("one", ONE)))
    assert isinstance(made.result, Stack)
    (file,) = made.result.layers[0].files
    assert file.path == RepoPath(b"x")
    assert file.before is not None
    assert file.after is not None
    assert file.before.blob != file.after.blob
