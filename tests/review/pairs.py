"""A labelled pair as two changes in memory, graded."""

from builder.review.changes import change_between, grade_between
from builder.tree import FileState, Obstructed, Tree, file_state
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from tests.pairs.pair import Pair, Side
from verify.diff.parse import parse_git_diff
from verify.model.ids import RepoPath
from verify.review.grades import Graded
from verify.review.identity import Change
from verify.syntax.outlines import Outlines


def graded(pair: Pair) -> Graded:
    old, _ = tree_in_memory(pair.reviewed.base)
    trees = {"old": (old, on(old, pair.reviewed.tree)), "new": (on(old, pair.now.base), on(old, pair.now.tree))}
    outlines = Outlines(old.overlay.blob)
    reviewed = change(pair.reviewed, *trees["old"], outlines)
    present = change(pair.now, *trees["new"], outlines)
    return grade_between(reviewed, present, reviewed_text=pair.reviewed.patch, trees=(trees["old"][0], trees["new"][0]))


def change(side: Side, before: Tree, after: Tree, outlines: Outlines) -> Change:
    return change_between(
        patch=parse_git_diff(side.patch, file="pair.patch"),
        data=side.patch,
        message=side.author + b"\n\n" + side.message,
        before=before,
        after=after,
        outlines=outlines,
    )


def on(tree: Tree, files: Files) -> Tree:
    """A tree of these files, on the objects of another one."""
    changes: dict[RepoPath, FileState | None] = {path: None for path, _ in tree.walk()}
    changes |= {path: file_state(data, mode) for path, (mode, data) in files.items()}
    made = tree.with_changes(changes)
    assert not isinstance(made, Obstructed)
    return made
