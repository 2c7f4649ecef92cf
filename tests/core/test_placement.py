"""Where hunks go: two ways with a recorded preimage, one way by dialect without, and never a guess."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from builder.by_rule import place_by_rule
from builder.placement import Fate, Placement, runs_of, with_runs
from builder.two_ways import place_two_ways
from tests.core import hazards
from tests.core.hazards import Shape
from tests.core.random_edits import hunks_of, random_content, random_runs
from tests.core.real_git import RealGit
from verify.diff.render import render_hunk
from verify.diff.submission import Dialect
from verify.model.patch import Hunk

SEEDS = range(25)


def placed(content: bytes, placements: tuple[Placement, ...]) -> bytes:
    return with_runs(content, runs_of(placements))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_hunk_never_goes_into_the_other_function_with_the_same_body(seed: int) -> None:
    shape = hazards.same_bodies(seed)
    placements = place_two_ways(shape.present, shape.hunks, shape.recorded)
    assert all(placement.placed for placement in placements), placements
    assert placed(shape.present, placements) == shape.right


@pytest.mark.parametrize("seed", SEEDS)
def test_a_change_that_is_there_is_neither_made_twice_nor_taken_away(seed: int) -> None:
    shape = hazards.already_there(seed)
    placements = place_two_ways(shape.present, shape.hunks, shape.recorded)
    assert {placement.fate for placement in placements} == {Fate.ALREADY_THERE}
    assert placed(shape.present, placements) == shape.right


@pytest.mark.parametrize("seed", SEEDS)
def test_lines_that_upstream_changed_are_a_conflict_even_if_equal_lines_stand_elsewhere(seed: int) -> None:
    shape = hazards.changed_under_us(seed)
    (placement,) = place_two_ways(shape.present, shape.hunks, shape.recorded)
    assert placement.fate is Fate.CONFLICT
    assert not placement.runs


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("make", "fate"), [(hazards.only_moved, Fate.OFFSET), (hazards.context_changed, Fate.MERGED)])
def test_a_hunk_follows_its_lines(make: Callable[[int], Shape], fate: Fate, seed: int) -> None:
    shape = make(seed)
    placements = place_two_ways(shape.present, shape.hunks, shape.recorded)
    assert [placement.fate for placement in placements] == [fate]
    assert placed(shape.present, placements) == shape.right


@pytest.mark.parametrize("seed", SEEDS)
def test_on_its_own_preimage_every_hunk_is_exact(seed: int) -> None:
    rng = random.Random(seed)
    content = random_content(rng)
    hunks = hunks_of(content, random_runs(rng, content))
    assert all(placement.fate is Fate.EXACT for placement in place_two_ways(content, hunks, content))


@pytest.mark.parametrize("seed", range(40))
def test_two_ways_place_what_git_merges_to_the_same_file_or_nothing(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    words = [b"%d\n" % number for number in range(rng.choice((6, 40, 200)))]
    recorded = b"".join(rng.choice(words) for _ in range(40))
    theirs_runs, ours_runs = random_runs(rng, recorded), random_runs(rng, recorded)
    present = with_runs(recorded, theirs_runs)
    hunks = hunks_of(recorded, ours_runs)
    placements = place_two_ways(present, hunks, recorded)
    if not all(placement.placed or placement.fate is Fate.ALREADY_THERE for placement in placements):
        return
    names = {"ours": present, "base": recorded, "theirs": with_runs(recorded, ours_runs)}
    for name, data in names.items():
        (tmp_path / name).write_bytes(data)
    git = RealGit(tmp_path)
    merged = git.run("merge-file", "-p", *(str(tmp_path / name) for name in names), check=False)
    if merged and b"<<<<<<<" not in merged:  # git merges no file with a NUL byte
        assert placed(present, placements) == merged


def hunk(old_start: int, *lines: bytes) -> Hunk:
    return Hunk(
        old_start=old_start,
        new_start=old_start,
        lines=tuple((line[:1], line[1:] + b"\n") for line in lines),
        source_line=1,
    )


def test_by_rule_a_moved_hunk_is_told_as_one_way() -> None:
    content = b"new\na\nb\nc\nd\ne\nf\ng\n"
    (placement,) = place_by_rule(content, (hunk(1, b" a", b" b", b" c", b"-d", b" e", b" f", b" g"),), Dialect.GNU)
    assert (placement.fate, placement.offset) == (Fate.OFFSET, 1)
    assert placement.notes == ("by dialect rule, one way",)


def test_by_rule_a_choice_between_equal_places_is_told_as_ambiguous() -> None:
    content = b"x\n" * 5 + b"a\nb\n" + b"y\n" * 9 + b"a\nb\n"
    (placement,) = place_by_rule(content, (hunk(7, b" a", b"+n", b" b"),), Dialect.GNU)
    assert (placement.fate, placement.line) == (Fate.AMBIGUOUS, 6)


def test_by_rule_a_result_that_stands_there_already_is_not_made_again() -> None:
    content = b"a\nb\nnew\nc\nd\n"
    (placement,) = place_by_rule(content, (hunk(1, b" a", b" b", b"+new", b" c", b" d"),), Dialect.GNU)
    assert placement.fate is Fate.ALREADY_THERE
    assert not placement.runs


def test_by_rule_nothing_is_dropped_from_the_context() -> None:
    content = b"a\nb\nc\nchanged\ne\n"
    for dialect in Dialect:
        (placement,) = place_by_rule(content, (hunk(1, b" a", b" b", b"-c", b" d", b" e"),), dialect)
        assert placement.fate is Fate.CONFLICT


def test_a_hunk_that_shows_the_beginning_of_the_file_goes_nowhere_else() -> None:
    content = b"new\na\nb\nc\nd\n"
    (placement,) = place_by_rule(content, (hunk(1, b"+x", b" a", b" b", b" c"),), Dialect.GNU)
    assert placement.fate is Fate.CONFLICT


def test_a_hunk_that_shows_the_end_of_the_file_goes_nowhere_else() -> None:
    content = b"a\nb\nc\nmore\n"
    for dialect in Dialect:
        (placement,) = place_by_rule(content, (hunk(1, b" a", b" b", b" c", b"+x"),), dialect)
        assert placement.fate is Fate.CONFLICT


@pytest.mark.parametrize("seed", range(40))
def test_by_gits_rule_a_hunk_goes_where_git_puts_it(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    words = [b"a\n", b"b\n", b"c\n", b"d\n", b"}\n"]
    content = b"".join(rng.choice(words) for _ in range(60))
    hunks = hunks_of(content, random_runs(rng, content))
    moved = [rng.choice(words) for _ in range(rng.randint(1, 5))]
    present = b"".join(moved) + content if rng.random() < 0.5 else content[2 * rng.randint(1, 3) :]
    if not hunks:
        return
    placements = place_by_rule(present, hunks, Dialect.GIT)
    (tmp_path / "x").write_bytes(present)
    patch = b"--- a/x\n+++ b/x\n" + b"".join(part for item in hunks for part in render_hunk(item))
    git = RealGit(tmp_path)
    git.env.pop("GIT_DIR")
    git.run("apply", "-", stdin=patch, check=False)
    theirs = (tmp_path / "x").read_bytes()
    if all(placement.placed for placement in placements):
        assert placed(present, placements) == theirs
    else:
        assert theirs == present
