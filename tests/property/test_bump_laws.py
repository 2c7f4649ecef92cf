"""Laws of moving a stack to another base."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.bump.compared import Compared
from builder.bump.deletions import silent_deletions
from builder.bump.drift import drift_of
from builder.bump.outcome import OPEN, Outcome
from builder.bump.stack_on import Bumped
from builder.tree import FileState, Obstructed, Tree, file_state
from tests.bump.forks import Fork, fork_of
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files
from verify.diff.net import net_changes
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.ids import RepoPath
from verify.model.patch import Patch

law = settings(max_examples=50, deadline=None, derandomize=True, database=None)
seeds = st.integers(min_value=0, max_value=2**32)
_CLEAN = frozenset({Outcome.UNCHANGED, Outcome.MOVED})


def some_fork(seed: int, folds: int = 4) -> tuple[Fork, Files]:
    """A stack of random folds, and the files of its base."""
    rng = random.Random(seed)
    first = files = random_files(rng, 12)
    steps: list[tuple[str, str, Patch]] = []
    for number in range(folds):
        patch, files = random_patch(rng, files, 4)
        steps.append((f"b{number % 2}" if number < 2 else "b1", f"f{number}", patch))
    return fork_of(tree_in_memory(first)[0], steps), first


def newer(made: Fork, files: Files, seed: int) -> Tree:
    """Another base: upstream's own random change."""
    _, after = random_patch(random.Random(seed), files, 4)
    base = Tree.at(made.overlay, made.stack.base_tree)
    states: dict[RepoPath, FileState | None] = dict.fromkeys(files.keys() - after.keys())
    states.update({path: file_state(data, mode) for path, (mode, data) in after.items()})
    changed = base.with_changes(states)
    assert not isinstance(changed, Obstructed)
    return changed


def carried(seed: int, other: int) -> tuple[Fork, Bumped]:
    made, files = some_fork(seed)
    return made, made.on_tree(newer(made, files, other))


@law
@given(seeds)
def test_a_bump_to_the_same_base_is_no_change(seed: int) -> None:
    made, _ = some_fork(seed)
    bumped = made.on_tree(Tree.at(made.overlay, made.stack.base_tree))
    assert {fold.outcome for fold in bumped.folds} <= {Outcome.UNCHANGED}
    assert bumped.tip.id == made.stack.tip_tree()
    assert [fold.text for fold in bumped.folds] == [fold.patch_bytes for block in made.blocks for fold in block.folds]


@law
@given(seeds, seeds)
def test_there_and_back_is_where_it_was_when_all_moved(seed: int, other: int) -> None:
    made, bumped = carried(seed, other)
    if not all(fold.outcome in _CLEAN for fold in bumped.folds):
        return
    steps = [(fold.block, fold.fold, fold.patch) for fold in bumped.folds]
    there = fork_of(Tree.at(made.overlay, bumped.base), [(str(b), str(f), parsed(p)) for b, f, p in steps])
    home = there.on_tree(Tree.at(there.overlay, made.stack.base_tree))
    assert home.tip.id == made.stack.tip_tree()


@law
@given(seeds, seeds)
def test_every_refreshed_patch_is_exact(seed: int, other: int) -> None:
    made, bumped = carried(seed, other)
    steps = [(str(fold.block), str(fold.fold), parsed(fold.patch)) for fold in bumped.folds]
    assert fork_of(Tree.at(made.overlay, bumped.base), steps).stack.tip_tree() == bumped.tip.id


@law
@given(seeds, seeds)
def test_nothing_drifts_without_a_decision_and_nothing_is_deleted_silently(seed: int, other: int) -> None:
    made, bumped = carried(seed, other)
    if any(fold.outcome in OPEN for fold in bumped.folds):
        return
    compared = Compared()
    assert drift_of(bumped, made.blocks, compared).strays == ()
    assert silent_deletions(bumped, compared) == ()


@law
@given(seeds, seeds)
def test_a_conflict_hides_no_other(seed: int, other: int) -> None:
    made, bumped = carried(seed, other)
    keys = made.keys()
    assert [fold.key() for fold in bumped.folds] == keys
    for fold in bumped.folds:
        assert (fold.outcome in OPEN) == bool(fold.open_pieces())
        assert all(piece.waits_for is None or piece.waits_for in keys for piece in fold.pieces)


@law
@given(seeds)
def test_what_folds_change_in_sum_is_what_their_tip_changes(seed: int) -> None:
    made, _ = some_fork(seed)
    net = net_changes((block.name, fold.id, fold.patch) for block in made.blocks for fold in block.folds)
    base, tip = Tree.at(made.overlay, made.stack.base_tree), Tree.at(made.overlay, made.stack.tip_tree())
    differing = {path for path, _ in base.differences(tip)}
    moved = {change.old_path for block in made.blocks for fold in block.folds for change in fold.patch.files}
    assert differing <= net.keys() | moved
    for path, file in net.items():
        before, after = base.blob(file.origin) if file.origin else b"", tip.blob(path)
        if before is None or after is None or any(item.sign == b"~" for item in file.items):
            continue
        added = sum(len(item.text) for item in file.items if item.sign == b"+")
        removed = sum(len(item.text) for item in file.items if item.sign == b"-")
        assert len(after) == len(before) + added - removed


def parsed(patch: Patch) -> Patch:
    """The patch as it reads back."""
    return parse_canonical(render_patch(patch), file="p")
