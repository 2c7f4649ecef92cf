"""Laws of folds laid apart, and of mutants: what must hold for every stack."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.laying import Laying, NoPlace
from builder.mutants import Mutant, NoMutant, mutants
from builder.stack import derive
from builder.tree import ObjectSource
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.stacks import BASE_COMMIT, block, fold
from verify.diff.render import render_patch
from verify.model.block import Block
from verify.model.stack import Stack

law = settings(max_examples=25, deadline=None, derandomize=True, database=None)
seeds = st.integers(min_value=0, max_value=2**32)


def some_stack(seed: int) -> tuple[Stack, tuple[Block, ...], ObjectSource]:
    """Blocks of one to three folds on a few files, so that they meet often."""
    rng = random.Random(seed)
    files = random_files(rng, rng.choice((4, 12)))
    tree, source = tree_in_memory(files)
    blocks = []
    for number in range(rng.choice((3, 6))):
        folds = []
        for at in range(rng.choice((1, 1, 3))):
            patch, files = random_patch(rng, files, 2)
            folds.append(fold(f"f{number}-{at}", render_patch(patch)))
        blocks.append(block(f"b{number}", *folds))
    made = derive(blocks=tuple(blocks), lock=None, base_tree=tree.id, base_commit=BASE_COMMIT, source=source)
    assert isinstance(made.result, Stack), made.result
    source.objects.update({new.id: new.data for new in made.objects})
    return made.result, tuple(blocks), source


@law
@given(seeds)
def test_laying_every_prefix_of_folds_gives_the_stacks_own_trees(seed: int) -> None:
    stack, blocks, source = some_stack(seed)
    laying = Laying(blocks, stack, source)
    for end in range(len(stack.layers) + 1):
        laid = laying.lay(laying.order[:end])
        assert isinstance(laid, Stack)
        assert laid.layers == stack.layers[:end]


@law
@given(seeds)
def test_a_laid_fold_meets_the_tree_that_the_one_before_it_left(seed: int) -> None:
    stack, blocks, source = some_stack(seed)
    laying = Laying(blocks, stack, source)
    rng = random.Random(seed)
    laid = laying.lay(name for name in laying.order if rng.random() < 0.7)
    if isinstance(laid, NoPlace):
        assert laid.findings
        return
    met = stack.base_tree
    for layer in laid.layers:
        assert layer.before == met
        met = layer.after


@law
@given(seeds)
def test_a_mutant_lacks_its_block_and_whatever_went_with_it_and_nothing_else(seed: int) -> None:
    stack, blocks, source = some_stack(seed)
    found = list(mutants(blocks, Laying(blocks, stack, source)))
    assert [each.block for each in found if isinstance(each, Mutant) and each.fold is None] == [
        each.name for each in blocks
    ]
    for each in found:
        match each:
            case Mutant(fold=None):
                gone = {each.block, *each.also}
                left = {(layer.block, layer.fold) for layer in each.stack.layers}
                assert left == {(name.name, one.id) for name in blocks if name.name not in gone for one in name.folds}
            case Mutant(fold=missing):
                assert (each.block, missing) not in {(layer.block, layer.fold) for layer in each.stack.layers}
            case NoMutant():
                assert each.no_place.fold[0] == each.block
