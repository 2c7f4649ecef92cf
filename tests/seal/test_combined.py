"""The combined diff: one canonical patch that makes the tip of the base, by our own hands and by git's."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builder.layer import Laid, lay
from builder.seal.combined import combined_patch
from builder.seal.lines import runs_between, split_lines
from builder.tree import Tree
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files, RealGit
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.ids import RepoPath
from verify.model.patch import Mode

TEXTS = st.lists(st.sampled_from([b"a\n", b"b\n", b"c\n", b"}\n", b"\n", b"\r\n", b"no end"]), max_size=30).map(
    b"".join
)


def combined(base: Files, tip: Files) -> bytes:
    before, after = tree_in_memory(base)[0], tree_in_memory(tip)[0]
    return render_patch(combined_patch(base=before, tip=after, touched=[*base, *tip]))


def made(base: Files, patch: bytes) -> Tree:
    laid = lay(parse_canonical(patch, file="c"), tree_in_memory(base)[0], file="c", text=patch)
    assert isinstance(laid, Laid), laid
    return laid.tree


def test_any_number_of_folds_is_one_patch_that_git_applies_too(tmp_path: Path) -> None:
    git = RealGit(tmp_path)
    for seed in range(20):
        rng = random.Random(seed)
        base = tip = random_files(rng, 30)
        for _ in range(4):
            tip = random_patch(rng, tip, 12)[1]

        patch = combined(base, tip)

        expected = tree_in_memory(tip)[0].id
        assert made(base, patch).id == expected
        assert git.apply(git.tree_of(base), patch) == expected, git.why


@given(TEXTS, TEXTS)
@settings(derandomize=True, deadline=None, max_examples=300)
def test_the_runs_between_two_texts_make_the_second_of_the_first(old: bytes, new: bytes) -> None:
    out, at = [], 0
    for run in runs_between(old, new):
        assert run.line == old.count(b"\n", 0, run.at) + 1
        out.append(old[at : run.at])
        out.append(b"".join(text for sign, text in run.lines if sign == b"+"))
        removed = b"".join(text for sign, text in run.lines if sign == b"-")
        assert old[run.at : run.end()] == removed
        at = run.end()
    assert b"".join([*out, old[at:]]) == new


@given(TEXTS)
@settings(derandomize=True, deadline=None)
def test_a_text_without_a_change_has_no_runs(text: bytes) -> None:
    assert runs_between(text, text) == ()


@given(TEXTS, TEXTS)
@settings(derandomize=True, deadline=None)
def test_two_runs_never_touch_and_stand_in_order(old: bytes, new: bytes) -> None:
    assert all(first.end() < second.at for first, second in pairwise(runs_between(old, new)))


def test_where_no_line_is_unique_the_shortest_edit_is_found() -> None:
    old, new = b"x\ny\n" * 20, b"x\ny\n" * 9 + b"y\n" + b"x\ny\n" * 11

    changed = sum(len(run.lines) for run in runs_between(old, new))

    assert changed == 1


def test_unique_lines_hold_functions_together() -> None:
    old = b"int a()\n{\n  one;\n}\n\nint c()\n{\n  three;\n}\n"
    new = b"int a()\n{\n  one;\n}\n\nint b()\n{\n  two;\n}\n\nint c()\n{\n  three;\n}\n"

    runs = runs_between(old, new)

    assert len(runs) == 1
    assert {sign for sign, _ in runs[0].lines} == {b"+"}
    assert len(runs[0].lines) == 5


def test_two_texts_with_nothing_in_common_are_replaced_without_a_long_search() -> None:
    old, new = b"a\nb\n" * 5000, b"c\nd\n" * 5000

    runs = runs_between(old, new)

    assert len(runs) == 1
    assert len(runs[0].lines) == 20000


def test_a_file_that_becomes_a_link_is_deleted_and_created() -> None:
    path = RepoPath(b"a")

    patch = combined({path: (Mode.FILE, b"text\n")}, {path: (Mode.SYMLINK, b"b")})

    assert patch.index(b"deleted file mode 100644") < patch.index(b"new file mode 120000")


def test_binary_content_is_carried_whole_both_ways() -> None:
    path = RepoPath(b"model.bin")
    old, new = b"\0one" * 100, b"\0two" * 100

    patch = combined({path: (Mode.FILE, old)}, {path: (Mode.EXECUTABLE, new)})

    change = parse_canonical(patch, file="c").files[0]
    assert change.binary is not None
    assert change.binary.reverse is not None
    assert (change.binary.forward.data, change.binary.reverse.data) == (new, old)


@pytest.mark.parametrize("mode", [Mode.FILE, Mode.SYMLINK])
def test_what_is_as_it_was_is_not_in_the_patch(mode: Mode) -> None:
    files = {RepoPath(b"a"): (mode, b"text")}

    assert combined(files, files) == b""


def test_only_lf_ends_a_line() -> None:
    assert split_lines(b"a\r\nb\rc\n\nd") == [b"a\r\n", b"b\rc\n", b"\n", b"d"]
