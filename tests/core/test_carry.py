"""A fold on another tree: what git's own merge makes of it, or nothing; and never a change made twice."""

import random
from pathlib import Path

import pytest

from builder.carry import Carried, Drift, NotCarried, carry_patch
from builder.tree import Tree
from tests.core import hazards
from tests.core.memory import tree_in_memory
from tests.core.random_edits import random_files, random_patch
from tests.core.real_git import Files, RealGit
from tests.core.stacks import TEXT, replacing
from verify.diff.identity import change_identity
from verify.diff.parse import parse_canonical
from verify.diff.render import render_patch
from verify.model.ids import RepoPath
from verify.model.patch import Action, FileChange, Mode, Patch

X = RepoPath(b"x")


def tree(**texts: bytes) -> Tree:
    files: Files = {RepoPath(name.encode()): (Mode.FILE, text) for name, text in texts.items()}
    return tree_in_memory(files)[0]


def carried(text: bytes, onto: Tree, recorded: Tree) -> Carried | NotCarried:
    return carry_patch(parse_canonical(text, file="p"), text, onto=onto, recorded=recorded.blob, file="p")


def shape_patch(shape: hazards.Shape) -> bytes:
    change = FileChange(
        action=Action.MODIFY, old_path=X, new_path=X, old_mode=None, new_mode=None, hunks=shape.hunks, binary=None,
        old_blob=None, new_blob=None, source_line=0,
    )  # fmt: skip
    return render_patch(Patch(files=(change,)))


@pytest.mark.parametrize("seed", range(25))
@pytest.mark.parametrize(
    "make", [hazards.same_bodies, hazards.already_there, hazards.only_moved, hazards.context_changed]
)
def test_a_carried_fold_is_right_where_usual_tools_are_wrong(make: object, seed: int) -> None:
    assert callable(make)
    shape = make(seed)
    made = carried(shape_patch(shape), tree(x=shape.present), tree(x=shape.recorded))
    assert isinstance(made, Carried), made
    assert made.tree.blob(X) == shape.right


def test_on_its_own_tree_a_fold_is_identical() -> None:
    made = carried(replacing(TEXT, b"line 5\n", b"five\n"), tree(x=TEXT), tree(x=TEXT))
    assert isinstance(made, Carried)
    assert made.drift is Drift.NONE


def test_a_fold_that_only_moves_is_the_same_change() -> None:
    made = carried(replacing(TEXT, b"line 9\n", b"nine\n"), tree(x=b"new\n" + TEXT), tree(x=TEXT))
    assert isinstance(made, Carried)
    assert made.drift is Drift.MOVED


def test_a_fold_that_upstream_took_is_empty() -> None:
    text = replacing(TEXT, b"line 9\n", b"nine\n")
    made = carried(text, tree(x=TEXT.replace(b"line 9\n", b"nine\n")), tree(x=TEXT))
    assert isinstance(made, Carried)
    assert (made.drift, made.text) == (Drift.ABSORBED, b"")


def test_a_fold_that_upstream_took_in_part_keeps_the_rest() -> None:
    after = TEXT.replace(b"line 5\n", b"five\n").replace(b"line 25\n", b"twenty-five\n")
    both = (
        render_patch(Patch(files=parse_canonical(replacing(TEXT, b"line 5\n", b"five\n"), file="p").files))
        + b"@@ -22,7 +22,7 @@\n line 22\n line 23\n line 24\n-line 25\n+twenty-five\n line 26\n line 27\n line 28\n"
    )
    made = carried(both, tree(x=TEXT.replace(b"line 25\n", b"twenty-five\n")), tree(x=TEXT))
    assert isinstance(made, Carried)
    assert made.drift is Drift.CHANGED
    assert made.tree.blob(X) == after


def test_upstreams_new_lines_in_a_deleted_file_are_not_lost() -> None:
    text = b"diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
    made = carried(text, tree(x=b"a\nnew\nb\n", y=b""), tree(x=b"a\nb\n"))
    assert isinstance(made, NotCarried)


def test_a_copy_of_a_file_that_changed_since_is_told() -> None:
    text = b"diff --git a/x b/y\ncopy from x\ncopy to y\n"
    made = carried(text, tree(x=b"new\n"), tree(x=b"old\n"))
    assert isinstance(made, Carried)
    assert [note.reason for note in made.notes] == ["copies a file that changed since it was recorded"]


def test_white_space_and_modes_are_part_of_a_change() -> None:
    texts = [replacing(TEXT, b"line 5\n", new) for new in (b"five\n", b" five\n", b"five \n", b"five\r\n")]
    identities = {change_identity(parse_canonical(text, file="p")) for text in texts}
    assert len(identities) == 4


@pytest.mark.parametrize("seed", range(25))
def test_what_is_carried_is_what_gits_merge_makes_of_it(seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    files = random_files(rng, 20)
    patch, ours = random_patch(rng, files, 4)
    _, theirs = random_patch(rng, files, 4)
    text = render_patch(patch)
    base_tree, onto = tree_in_memory(files)[0], tree_in_memory(theirs)[0]
    made = carried(text, onto, base_tree)
    if not isinstance(made, Carried) or any(change.action is Action.COPY for change in patch.files):
        return  # for git's merge a copy is a new file with the old content; ours follows its origin, and says so
    git = RealGit(tmp_path)
    git.env["GIT_CONFIG_COUNT"], git.env["GIT_CONFIG_KEY_0"], git.env["GIT_CONFIG_VALUE_0"] = (
        "1",
        "merge.renames",
        "false",
    )
    base = git.run("commit-tree", git.tree_of(files), stdin=b"base").decode().strip()
    sides = [
        git.run("commit-tree", git.tree_of(side), "-p", base, stdin=b"s").decode().strip() for side in (theirs, ours)
    ]
    merged, *rest = git.run("merge-tree", "--write-tree", "--name-only", *sides, check=False).split(b"\n")
    if rest in ([], [b""]):  # a clean merge tells the tree and nothing else
        assert made.tree.id == merged.decode()


def test_random_folds_are_often_carried() -> None:
    count = 0
    for seed in range(60):
        rng = random.Random(seed)
        files = random_files(rng, 20)
        patch, _ = random_patch(rng, files, 4)
        _, theirs = random_patch(rng, files, 4)
        made = carried(render_patch(patch), tree_in_memory(theirs)[0], tree_in_memory(files)[0])
        count += isinstance(made, Carried)
    assert count > 20
