"""Ten canonical patches, every single bit of them flipped: the parser, the tree or the commit always notices."""

import random

import pytest

from builder.layer import Laid, lay
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.diagnostic import InputFault
from verify.model.patch import Patch


@pytest.mark.parametrize("seed", range(200, 210))
def test_no_flipped_bit_gives_the_same_tree(seed: int) -> None:
    rng = random.Random(seed)
    text, patch, files = b"", Patch(files=()), {}
    while not 200 < len(text) < 1200:
        files = random_files(rng, 12)
        patch, _ = random_patch(rng, files, 4)
        text = render_patch(patch)
    tree, _source = tree_in_memory(files)
    good = lay(patch, tree, file="p", text=text)
    assert isinstance(good, Laid)
    unnoticed = []
    for at in range(len(text) * 8):
        flipped = bytearray(text)
        flipped[at // 8] ^= 1 << at % 8
        try:
            made = lay(parse_canonical(bytes(flipped), file="p"), tree, file="p", text=bytes(flipped))
        except InputFault:
            continue
        if isinstance(made, Laid) and made.tree.id == good.tree.id:
            unnoticed.append(at)
    assert unnoticed == []
