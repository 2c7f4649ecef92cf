"""Laws of laying trees into a folder."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.compile.test_sources import Place
from verify.model.ids import RepoPath
from verify.model.patch import Mode

NAMES = st.sampled_from([b"a", b"b", b"c"])
PATHS = st.lists(NAMES, min_size=1, max_size=3).map(b"/".join).map(RepoPath)
STATES = st.tuples(st.sampled_from([Mode.FILE, Mode.EXECUTABLE, Mode.SYMLINK]), st.sampled_from([b"x", b"y", b"zz"]))


def possible(files: dict[RepoPath, tuple[Mode, bytes]]) -> dict[RepoPath, tuple[Mode, bytes]]:
    """The files without those that lie below another one."""
    return {path: state for path, state in files.items() if not any(path.startswith(other + b"/") for other in files)}


TREES = st.dictionaries(PATHS, STATES, min_size=1, max_size=6).map(possible)


@settings(max_examples=25, derandomize=True, deadline=None)
@given(st.lists(TREES, min_size=1, max_size=3))
def test_laying_one_tree_over_another_is_laying_it_into_an_empty_folder(
    trees: list[dict[RepoPath, tuple[Mode, bytes]]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        for tree in trees:
            place.lay(tree)
            assert place.holds() == tree


@settings(max_examples=25, derandomize=True, deadline=None)
@given(TREES)
def test_laying_a_tree_twice_writes_nothing_the_second_time(tree: dict[RepoPath, tuple[Mode, bytes]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        place = Place(Path(folder))
        place.lay(tree)
        assert place.lay(tree).written == 0
