"""The tree as a value: git's order, replaced kinds, emptied folders, obstacles."""

import pytest

from builder.tree import FileState, Obstructed, Tree, file_state
from tests.core.memory import Memory, tree_in_memory
from tests.core.real_git import Files
from verify.model.diagnostic import InputFault
from verify.model.ids import EMPTY_TREE, RepoPath, TreeId
from verify.model.patch import Mode


def path(text: str) -> RepoPath:
    return RepoPath(text.encode())


def files(*names: str) -> Files:
    return {path(name): (Mode.FILE, name.encode()) for name in names}


def changed(tree: Tree, changes: dict[str, str | None]) -> Tree | Obstructed:
    states: dict[RepoPath, FileState | None] = {
        path(name): None if text is None else file_state(text.encode(), Mode.FILE) for name, text in changes.items()
    }
    return tree.with_changes(states)


def test_folders_sort_as_if_their_names_ended_in_a_slash() -> None:
    tree, _ = tree_in_memory(files("a.c", "a/x", "a-b", "a0"))
    assert [name for name, _ in tree.walk()] == [b"a-b", b"a.c", b"a/x", b"a0"]


def test_a_tree_without_files_is_the_empty_tree() -> None:
    made = changed(tree_in_memory(files("a/b/c"))[0], {"a/b/c": None})
    assert isinstance(made, Tree)
    assert made.id == EMPTY_TREE


def test_emptied_folders_vanish() -> None:
    made = changed(tree_in_memory(files("a/b/c", "d"))[0], {"a/b/c": None})
    assert isinstance(made, Tree)
    assert made.id == tree_in_memory(files("d"))[0].id


def test_a_file_becomes_a_folder() -> None:
    made = changed(tree_in_memory(files("a", "d"))[0], {"a": None, "a/b": "a/b"})
    assert isinstance(made, Tree)
    assert made.id == tree_in_memory(files("a/b", "d"))[0].id


def test_a_folder_becomes_a_file() -> None:
    made = changed(tree_in_memory(files("a/b/c", "a/d"))[0], {"a": "a", "a/b/c": None, "a/d": None})
    assert isinstance(made, Tree)
    assert made.id == tree_in_memory(files("a"))[0].id


@pytest.mark.parametrize(
    ("changes", "at"),
    [({"a/x": "1"}, "a"), ({"b": "1"}, "b"), ({"b": "1", "b/c": None}, "b"), ({"n": "1", "n/m": "2"}, "n")],
)
def test_a_file_and_a_folder_never_share_a_path(changes: dict[str, str | None], at: str) -> None:
    assert changed(tree_in_memory(files("a", "b/c", "b/d"))[0], changes) == Obstructed(path(at))


def test_a_path_below_a_link_is_obstructed() -> None:
    tree, _ = tree_in_memory({path("link"): (Mode.SYMLINK, b"../outside")})
    assert changed(tree, {"link/x": "1"}) == Obstructed(path("link"))


def test_removing_what_is_not_there_changes_nothing() -> None:
    tree, _ = tree_in_memory(files("a", "b/c"))
    made = changed(tree, {"x": None, "a/x": None, "b": None, "b/x/y": None})
    assert isinstance(made, Tree)
    assert made.id == tree.id


def test_only_folders_on_the_way_to_a_change_are_read() -> None:
    tree, source = tree_in_memory(files(*(f"{top}/{sub}/{name}" for top in "abc" for sub in "de" for name in "fg")))
    reads: list[str] = []

    class Counting(Memory):
        def tree(self, id: TreeId) -> bytes:  # noqa: A002
            reads.append(id)
            return source.tree(id)

    changed(Tree.at(Counting(), tree.id), {"a/d/f": "new"})

    assert len(reads) == 3


def test_the_tree_that_was_changed_stays_as_it_was() -> None:
    tree, _ = tree_in_memory(files("a/b", "c"))
    changed(tree, {"a/b": "other", "c": None, "d/e": "new"})
    assert [name for name, _ in tree.walk()] == [b"a/b", b"c"]
    assert tree.blob(path("a/b")) == b"a/b"


def test_a_submodule_reads_as_its_commit_line() -> None:
    line = b"Subproject commit " + b"1" * 40 + b"\n"
    tree, _ = tree_in_memory({path("m"): (Mode.SUBMODULE, line)})
    assert tree.blob(path("m")) == line


def test_a_damaged_tree_object_is_a_fault() -> None:
    source = Memory()
    source.objects["1" * 40] = b"100644 a\0short"
    with pytest.raises(InputFault, match="tree-malformed"):
        Tree.at(source, TreeId("1" * 40))
