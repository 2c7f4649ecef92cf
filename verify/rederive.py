"""The trees once more, by git itself.

The builder places hunks in memory. Here real git applies the same patch bytes to the same base in an index of its own
and says which tree that gives after every patch; both must agree (architecture, decision 1). It is asked under a seal
(`verify.git`), in an empty folder outside of every repository (hazard E6), and whatever it makes goes to a folder that
is thrown away: the store is only read.

That git finds a place for a hunk proves nothing by itself, since it also takes a hunk that has moved (hazard E3). The
comparison of every tree with the recorded one does, and that is the caller's.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from verify.git import Git, GitFailed, make_repository
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault, Place
from verify.model.ids import TreeId, is_object_id


def rederive(
    *, git_dir: Path, base_tree: TreeId, patches: Sequence[bytes], names: Sequence[str] = ()
) -> tuple[TreeId, ...]:
    """The tree after each patch, as git makes it; raises `InputFault` at the first patch that git refuses.

    `git_dir` is a repository that holds the base; an empty patch leaves the tree as it is. `names` are the patches'
    files, for the place of a fault.
    """
    with tempfile.TemporaryDirectory(prefix="stackproof-git-") as scratch:
        own = Path(scratch) / "own.git"
        empty = Path(scratch) / "empty"
        empty.mkdir()
        make_repository(own, alternates=(git_dir / "objects",))
        git = Git(git_dir=own, cwd=empty, extra=(("GIT_INDEX_FILE", str(own / "index")),))
        try:
            git.run("read-tree", base_tree)
            return _apply(git, base_tree, patches, names)
        except GitFailed as error:
            raise EnvironmentFault(
                Diagnostic(
                    code="git-failed",
                    message="git could not derive the trees",
                    notes=tuple(error.output.splitlines()[-4:]),
                    help=f"git --git-dir {git_dir} fsck",
                )
            ) from error


def _apply(git: Git, base_tree: TreeId, patches: Sequence[bytes], names: Sequence[str]) -> tuple[TreeId, ...]:
    trees: list[TreeId] = []
    for number, patch in enumerate(patches, start=1):
        if not patch.strip():
            # Git calls an empty patch an error; an empty fold is legal.
            trees.append(trees[-1] if trees else base_tree)
            continue
        try:
            git.run("apply", "--cached", "--whitespace=nowarn", "-p1", "-", stdin=patch)
        except GitFailed as error:
            raise InputFault(
                Diagnostic(
                    code="git-refuses-patch",
                    message=f"git does not apply patch {number} of {len(patches)}",
                    place=Place(file=names[number - 1]) if names else None,
                    notes=(
                        f"the tree before it is {trees[-1] if trees else base_tree}",
                        *error.output.splitlines()[:6],
                    ),
                    help="stackproof explain git-refuses-patch",
                )
            ) from error
        answer = git.text("write-tree")
        if not is_object_id(answer):
            raise GitFailed(("write-tree",), 0, f"no id but `{answer}`")
        trees.append(TreeId(answer))
    return tuple(trees)
