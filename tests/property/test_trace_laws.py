"""Laws of the trace: put together again, the followed lines are the tip, and each added one stands in its patch."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.memory import tree_in_memory
from tests.core.random_edits import lines_of, random_files, random_patch
from tests.core.real_git import Files
from tests.core.stacks import block, derived, fold
from verify.diff.render import render_patch
from verify.diff.trace import Added, Upstream, blobs_to_count, count_lines, trace
from verify.model.block import Fold
from verify.model.stack import Stack

LAWS = settings(derandomize=True, deadline=None, max_examples=60)


def random_stack(seed: int) -> tuple[Files, Files, tuple[Fold, ...]]:
    rng = random.Random(seed)
    before = after = random_files(rng, 20)
    folds = []
    for number in range(4):
        patch, after = random_patch(rng, after, 6)
        folds.append(fold(f"f{number}", render_patch(patch)))
    return before, after, tuple(folds)


@LAWS
@given(seed=st.integers(0, 10**6))
def test_the_followed_lines_are_the_lines_of_the_tip(seed: int) -> None:
    before, after, folds = random_stack(seed)
    tree = tree_in_memory(before)[0]
    owner = block("b", *folds)
    made = derived(tree, owner)
    assert isinstance(made.result, Stack)
    contents = {item.id: item.data for item in made.objects}
    wanted = blobs_to_count((owner,), made.result.layers)
    counts = {blob: count_lines(contents[blob] if blob in contents else tree.overlay.blob(blob)) for blob in wanted}

    traced = trace((owner,), made.result.layers, counts)

    assert traced.broken == ()
    patches = {each.id: each.patch_bytes.split(b"\n") for each in folds}
    for path, pieces in traced.files.items():
        told: list[bytes | None] = []
        for piece in pieces:
            match piece:
                case Upstream(path=origin, start=start, count=count):
                    told += lines_of(before[origin][1])[start - 1 : start - 1 + count]
                case Added(texts=()):
                    told += [None] * piece.count
                case Added(texts=texts, patch_line=line, fold=name):
                    assert patches[name][line - 1] == b"+" + texts[0].removesuffix(b"\n")
                    told += texts
        real = lines_of(after[path][1]) if path in after else []
        assert [line for line in told if line is not None] == [
            line for line, there in zip(real, told, strict=True) if there is not None
        ]
