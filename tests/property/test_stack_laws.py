"""Laws of the core: what must hold for every patch, tree and stack."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.by_rule import place_by_rule
from builder.canonical import Run, canonical_hunks
from builder.draft import compose
from builder.exchange.lay_submission import Rules, Taken, lay_submission
from builder.layer import Laid, lay
from builder.placement import Fate, runs_of, with_runs
from builder.stack import Stacker, derive
from builder.tree import Tree, file_state
from builder.two_ways import place_two_ways
from tests.core.memory import tree_in_memory
from tests.core.random_edits import edited, hunks_of, lines_of, random_content, random_files, random_patch, random_runs
from tests.core.stacks import BASE_COMMIT, block, fold
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.diff.submission import Dialect, parse_sections
from verify.model.block import Block
from verify.model.patch import Action, Hunk, Patch
from verify.model.stack import Stack

law = settings(max_examples=60, deadline=None, derandomize=True, database=None)
seeds = st.integers(min_value=0, max_value=2**32)


def some_stack(seed: int, folds: int) -> tuple[Tree, Block]:
    rng = random.Random(seed)
    files = random_files(rng, 15)
    tree, _ = tree_in_memory(files)
    made = []
    for number in range(folds):
        patch, files = random_patch(rng, files, 5)
        made.append(fold(f"f{number}", render_patch(patch)))
    return tree, block("b", *made)


def stacked(tree: Tree, one: Block) -> Stack:
    made = derive(blocks=(one,), lock=None, base_tree=tree.id, base_commit=BASE_COMMIT, source=tree.overlay)
    assert isinstance(made.result, Stack), made.findings
    for new in made.objects:
        tree.overlay.add(new)
    return made.result


@law
@given(seeds, st.integers(min_value=0, max_value=4))
def test_stacking_in_two_parts_is_stacking_once(seed: int, cut: int) -> None:
    tree, one = some_stack(seed, 4)
    whole = stacked(tree, one)
    first = stacked(tree, block("b", *one.folds[:cut]))
    rest = stacked(Tree.at(tree.overlay, first.tip_tree()), block("b", *one.folds[cut:]))
    assert rest.tip_tree() == whole.tip_tree()


@law
@given(seeds)
def test_remembering_what_was_laid_changes_nothing(seed: int) -> None:
    tree, one = some_stack(seed, 4)
    stacker = Stacker(tree.overlay)
    made = [
        stacker.derive(blocks=(each,), lock=None, base_tree=tree.id, base_commit=BASE_COMMIT).result
        for each in (one, block("b", *one.folds[:2]), one)
    ]
    assert made[0] == made[2] == stacked(tree, one)


@law
@given(seeds)
def test_one_canonical_text_for_a_change_however_much_context_it_came_with(seed: int) -> None:
    rng = random.Random(seed)
    content = random_content(rng)
    runs = random_runs(rng, content)
    texts = set()
    for context in (1, 2, 3, 5, 50):
        hunks = tuple(_with_context(content, runs, context))
        placements = place_two_ways(content, hunks, content)
        assert all(placement.fate is Fate.EXACT for placement in placements)
        again = runs_of(placements)
        texts.add(tuple((item.hunk.old_start, item.hunk.lines) for item in canonical_hunks(content, again)))
    assert len(texts) == 1


def _with_context(content: bytes, runs: tuple[Run, ...], context: int) -> list[Hunk]:
    """One hunk a run, with that many lines of context; runs that stand close share one."""
    lines = lines_of(content)
    hunks: list[Hunk] = []
    groups: list[list[Run]] = []
    for run in runs:
        close = groups and run.line - groups[-1][-1].line - groups[-1][-1].removed() <= 2 * context
        if close:
            groups[-1].append(run)
        else:
            groups.append([run])
    for group in groups:
        first = max(group[0].line - 1 - context, 0)
        signed: list[tuple[bytes, bytes]] = []
        at = first
        for run in group:
            signed += [(b" ", line) for line in lines[at : run.line - 1]]
            signed += run.lines
            at = run.line - 1 + run.removed()
        signed += [(b" ", line) for line in lines[at : at + context]]
        olds = any(sign != b"+" for sign, _ in signed)
        hunks.append(Hunk(old_start=first + olds, new_start=first + olds, lines=tuple(signed), source_line=1))
    return hunks


@law
@given(seeds)
def test_composed_changes_are_the_changes_one_after_the_other(seed: int) -> None:
    rng = random.Random(seed)
    content = random_content(rng)
    first = random_runs(rng, content)
    between = edited(content, first)
    second = random_runs(rng, between)
    assert with_runs(content, compose(content, first, second)) == edited(between, second)


@law
@given(seeds)
def test_by_rule_a_patch_on_its_own_file_goes_where_it_says(seed: int) -> None:
    rng = random.Random(seed)
    content = random_content(rng)
    runs = random_runs(rng, content)
    for dialect in Dialect:
        placements = place_by_rule(content, hunks_of(content, runs), dialect)
        assert all(placement.offset == 0 and placement.placed for placement in placements)
        assert with_runs(content, runs_of(placements)) == edited(content, runs)


@law
@given(seeds)
def test_a_canonical_patch_is_its_own_canonical_form(seed: int) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 20)
    patch, after = random_patch(rng, files, 15)
    tree, _ = tree_in_memory(files)
    text = render_patch(patch)
    sections = parse_sections(text, file="p", dialect=Dialect.GIT)
    made = lay_submission([sections], tree, Rules(dialect=Dialect.GIT), file="p")
    assert isinstance(made, Taken), made
    assert made.tree.id == tree_in_memory(after)[0].id
    assert made.text == text


@law
@given(seeds)
def test_the_way_back_leads_back(seed: int) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 20)
    patch, _ = random_patch(rng, files, 15)
    kept = tuple(change for change in patch.files if change.binary is None and change.action is not Action.COPY)
    text = render_patch(Patch(files=kept))
    tree, _ = tree_in_memory(files)
    there = lay(parse_canonical(text, file="p"), tree, file="p", text=text)
    assert isinstance(there, Laid)
    sections = parse_sections(text, file="p", dialect=Dialect.GIT)
    back = lay_submission([sections], there.tree, Rules(dialect=Dialect.GIT, reverse=True), file="p")
    assert isinstance(back, Taken), back
    assert back.tree.id == tree.id


@law
@given(seeds)
def test_changes_of_a_tree_may_be_made_in_two_steps(seed: int) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 25)
    tree, _ = tree_in_memory(files)
    chosen = rng.sample(sorted(files), min(len(files), 8))
    states = {path: file_state(rng.randbytes(5), files[path][0]) for path in chosen if files[path][0] != "160000"}
    half = dict(list(states.items())[: len(states) // 2])
    once = tree.with_changes(states)
    first = tree.with_changes(half)
    assert isinstance(once, Tree)
    assert isinstance(first, Tree)
    twice = first.with_changes({path: state for path, state in states.items() if path not in half})
    assert isinstance(twice, Tree)
    assert once.id == twice.id


@law
@given(seeds)
def test_what_differs_between_two_trees_is_what_was_changed(seed: int) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 20)
    _, after = random_patch(rng, files, 15)
    before_tree, _ = tree_in_memory(files)
    after_tree, _ = tree_in_memory(after)
    changed = {path for path, _ in before_tree.differences(after_tree)}
    assert changed == {path for path in files.keys() | after.keys() if files.get(path) != after.get(path)}


def test_laws_are_about_real_patches() -> None:
    sizes = [len(some_stack(seed, 3)[1].folds[-1].patch.files) for seed in range(10)]
    assert sum(sizes) > 20
