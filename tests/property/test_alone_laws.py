"""Laws of blocks by themselves: what must hold for every stack, whatever its folds do to files."""

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from builder.alone import alone_trees
from builder.stack import derive
from builder.tree import ObjectSource
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.stacks import BASE_COMMIT, block, fold
from verify.diff.render import render_patch
from verify.gates.alone import AloneTree
from verify.model.block import Block
from verify.model.ids import BlockName
from verify.model.stack import Stack

law = settings(max_examples=25, deadline=None, derandomize=True, database=None)
seeds = st.integers(min_value=0, max_value=2**32)


def some_blocks(seed: int) -> tuple[Stack, tuple[Block, ...], ObjectSource]:
    """Blocks of one fold on a few files, so that they meet often."""
    rng = random.Random(seed)
    files = random_files(rng, rng.choice((4, 12)))
    tree, source = tree_in_memory(files)
    blocks = []
    for number in range(rng.choice((4, 14))):
        patch, files = random_patch(rng, files, 3)
        blocks.append(block(f"b{number}", fold(f"f{number}", render_patch(patch))))
    made = derive(blocks=tuple(blocks), lock=None, base_tree=tree.id, base_commit=BASE_COMMIT, source=source)
    assert isinstance(made.result, Stack), made.result
    source.objects.update({new.id: new.data for new in made.objects})
    return made.result, tuple(blocks), source


def laid(stack: Stack, blocks: tuple[Block, ...], source: ObjectSource) -> tuple[AloneTree, ...]:
    return alone_trees(blocks=blocks, stack=stack, source=source).trees


@law
@given(seeds)
def test_a_block_that_requires_all_below_it_is_its_prefix(seed: int) -> None:
    stack, blocks, source = some_blocks(seed)
    names: tuple[BlockName, ...] = tuple(each.name for each in blocks)
    demanding = tuple(replace(each, requires=names[:at]) for at, each in enumerate(blocks))
    own = {each.block: each for each in laid(stack, demanding, source) if each.without is None}
    for each in blocks:
        assert own[each.name].tree == stack.block_tree(each.name)
        assert own[each.name].textual == ()


@law
@given(seeds)
def test_every_block_has_a_tree_by_itself_with_earlier_blocks_alone_below_it(seed: int) -> None:
    stack, blocks, source = some_blocks(seed)
    names = [each.name for each in blocks]
    for each in laid(stack, blocks, source):
        earlier = names[: names.index(each.block)]
        assert [name for name in earlier if name in each.below] == list(each.below)
        assert tuple(need.on for need in each.textual) == each.below
        assert all(need.findings for need in each.textual)
        assert each.trace.broken == ()


@law
@given(seeds)
def test_the_first_block_by_itself_is_the_first_prefix(seed: int) -> None:
    stack, blocks, source = some_blocks(seed)
    first = laid(stack, blocks, source)[0]
    assert (first.tree, first.below) == (stack.block_tree(blocks[0].name), ())
