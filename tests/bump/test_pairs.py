"""Labelled pairs of a fold then and now, made before anything judged them: what a bump makes of them and owes."""

from functools import cache

import pytest

from builder.bump.compared import Compared
from builder.bump.drift import drift_of
from builder.bump.meaning import meaning_of
from builder.bump.outcome import OPEN, Outcome
from builder.bump.stack_on import Bumped
from builder.exchange.tree_diff import patch_between
from builder.tree import FileState, Obstructed, Overlay, Tree, file_state
from tests.bump.forks import Fork, fork_of
from tests.core.memory import Memory
from tests.core.real_git import Files
from tests.pairs.generate import pairs
from tests.pairs.pair import Label, Pair
from tests.pairs.source import Language
from verify.model.ids import EMPTY_TREE, RepoPath

LANGUAGES = (Language.CPP, Language.CMAKE)


@cache
def labelled() -> tuple[Pair, ...]:
    return tuple(pair for pair in pairs() if pair.language in LANGUAGES)


def tree_of(overlay: Overlay, files: Files) -> Tree:
    states: dict[RepoPath, FileState | None] = {path: file_state(data, mode) for path, (mode, data) in files.items()}
    made = Tree.at(overlay, EMPTY_TREE).with_changes(states)
    assert not isinstance(made, Obstructed)
    return made


def bumped(pair: Pair) -> tuple[Fork, Bumped, Tree]:
    """The reviewed fold on the base that it has now, and the tree that it has there."""
    overlay = Overlay(Memory())
    base, left = tree_of(overlay, pair.reviewed.base), tree_of(overlay, pair.reviewed.tree)
    made = fork_of(base, [("one", "f", patch_between(base, left))])
    return made, made.on_tree(tree_of(overlay, pair.now.base)), tree_of(overlay, pair.now.tree)


@pytest.mark.parametrize("label", [Label.SAME, Label.MOVED])
def test_what_only_moved_is_carried_to_the_very_tree_and_nothing_is_owed(label: Label) -> None:
    chosen = [pair for pair in labelled() if pair.label is label]
    assert len(chosen) > 20
    wrong = []
    for pair in chosen:
        made, found, tree = bumped(pair)
        clean = found.folds[0].outcome in (Outcome.UNCHANGED, Outcome.MOVED) and found.tip.id == tree.id
        drift = drift_of(found, made.blocks, Compared())
        if not clean or drift.strays or meaning_of(found, made.blocks, Compared()).owed:
            wrong.append(pair.name)
    assert wrong == []


def test_where_the_same_lines_mean_something_else_some_line_is_owed() -> None:
    chosen = [pair for pair in labelled() if pair.label is Label.OWED]
    assert len(chosen) > 80
    silent = []
    for pair in chosen:
        made, found, tree = bumped(pair)
        fold = found.folds[0]
        told = fold.outcome in OPEN or fold.outcome in (Outcome.UPSTREAMED, Outcome.PARTLY)
        if not told and found.tip.id == tree.id and not meaning_of(found, made.blocks, Compared()).owed:
            silent.append(pair.name)
    assert silent == []
