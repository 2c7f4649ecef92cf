"""Real git derives the trees a second time, whatever surrounds it."""

import os
import subprocess
from pathlib import Path

import pytest

from builder.store import Store
from builder.tree import Obstructed, Tree, file_state
from tests.git.hostile import hostile
from verify.model.diagnostic import EnvironmentFault, InputFault
from verify.model.ids import EMPTY_TREE, RepoPath, TreeId
from verify.model.patch import Mode
from verify.rederive import rederive

__all__ = ["hostile"]

FILES = {b"src/a.c": b"one\ntwo\nthree\n", b"dos.txt": b"one\r\ntwo\r\n", b".gitattributes": b"* text=auto eol=lf\n"}
SPACES = b"""diff --git a/src/a.c b/src/a.c
--- a/src/a.c
+++ b/src/a.c
@@ -1,3 +1,4 @@
 one
-two
+two  
+\t 
 three
"""  # noqa: W291 (white space at line ends is what this is about)
DOS = b"diff --git a/dos.txt b/dos.txt\n--- a/dos.txt\n+++ b/dos.txt\n@@ -1,2 +1,2 @@\n one\r\n-two\r\n+TWO\r\n"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "objects.git")


def tree_of(store: Store, files: dict[bytes, bytes]) -> TreeId:
    changes = {RepoPath(path): file_state(data, Mode.FILE) for path, data in files.items()}
    made = Tree.at(store, EMPTY_TREE).with_changes(changes)
    assert not isinstance(made, Obstructed)
    store.write(made.new_objects())
    return made.id


def test_each_patch_gives_the_tree_after_it(store: Store) -> None:
    base = tree_of(store, FILES)
    trees = rederive(git_dir=store.git_dir, base_tree=base, patches=[SPACES, DOS])
    first = {**FILES, b"src/a.c": b"one\ntwo  \n\t \nthree\n"}
    assert trees == (tree_of(store, first), tree_of(store, {**first, b"dos.txt": b"one\r\nTWO\r\n"}))


def test_no_configuration_attribute_folder_or_mask_changes_a_tree(store: Store, request: pytest.FixtureRequest) -> None:
    base = tree_of(store, FILES)
    before = rederive(git_dir=store.git_dir, base_tree=base, patches=[SPACES, DOS])
    request.getfixturevalue("hostile")
    assert rederive(git_dir=store.git_dir, base_tree=base, patches=[SPACES, DOS]) == before


def test_these_surroundings_do_change_what_plain_git_makes(store: Store, tmp_path: Path, hostile: Path) -> None:
    base = tree_of(store, {b"src/a.c": FILES[b"src/a.c"]})
    ours = {"GIT_DIR": str(store.git_dir), "GIT_INDEX_FILE": str(tmp_path / "index"), "GIT_WORK_TREE": str(tmp_path)}
    env = {key: value for key, value in os.environ.items() if not key.startswith("GIT_OBJECT")} | ours
    for command, data in ((["read-tree", base], b""), (["apply", "--cached", "-"], SPACES)):
        subprocess.run(["git", *command], env=env, cwd=tmp_path, input=data, check=True, capture_output=True)
    made = subprocess.run(["git", "write-tree"], env=env, cwd=tmp_path, check=True, capture_output=True).stdout
    (sealed,) = rederive(git_dir=store.git_dir, base_tree=base, patches=[SPACES])
    assert made.decode().strip() != sealed


def test_the_store_is_only_read(store: Store) -> None:
    base = tree_of(store, FILES)
    before = sorted(store.git_dir.rglob("*"))
    rederive(git_dir=store.git_dir, base_tree=base, patches=[SPACES])
    assert sorted(store.git_dir.rglob("*")) == before


def test_an_empty_patch_leaves_the_tree(store: Store) -> None:
    base = tree_of(store, FILES)
    assert rederive(git_dir=store.git_dir, base_tree=base, patches=[b"", SPACES, b""])[0] == base


def test_a_patch_that_git_refuses_is_named(store: Store) -> None:
    base = tree_of(store, FILES)
    with pytest.raises(InputFault) as caught:
        rederive(git_dir=store.git_dir, base_tree=base, patches=[b"", DOS, DOS])
    (told,) = caught.value.diagnostics
    assert told.code == "git-refuses-patch"
    assert told.message == "git does not apply patch 3 of 3"
    assert "dos.txt" in "".join(told.notes)


def test_a_refused_patch_is_placed_in_its_file(store: Store) -> None:
    with pytest.raises(InputFault) as caught:
        rederive(git_dir=store.git_dir, base_tree=EMPTY_TREE, patches=[DOS], names=["blocks/y/folds/x/fold.patch"])
    place = caught.value.diagnostics[0].place
    assert place is not None
    assert place.file == "blocks/y/folds/x/fold.patch"


def test_a_patch_that_leads_out_of_the_tree_is_refused(store: Store) -> None:
    evil = b"diff --git a/../x b/../x\nnew file mode 100644\n--- /dev/null\n+++ b/../x\n@@ -0,0 +1,1 @@\n+x\n"
    with pytest.raises(InputFault, match="git-refuses-patch"):
        rederive(git_dir=store.git_dir, base_tree=tree_of(store, FILES), patches=[evil])


def test_a_base_that_is_not_there_is_a_fault_of_the_machine(store: Store) -> None:
    with pytest.raises(EnvironmentFault, match="git-failed"):
        rederive(git_dir=store.git_dir, base_tree=TreeId("1" * 40), patches=[SPACES])
