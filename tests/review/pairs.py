"""A labelled pair as two changes in memory, graded."""

from dataclasses import dataclass

from builder.review.changes import change_between, differing, grade_between
from builder.tree import FileState, Obstructed, Tree, file_state
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from tests.pairs.pair import Pair, Side
from verify.diff.parse import parse_git_diff
from verify.model.ids import RepoPath
from verify.review.grades import Graded
from verify.review.identity import Change
from verify.syntax.outlines import Outlines


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """Both changes of a pair, and the trees that they met."""

    reviewed: Change
    present: Change
    trees: tuple[Tree, Tree]

    def differing(self) -> tuple[RepoPath, ...]:
        return differing(*self.trees)


def both_changes(pair: Pair) -> Both:
    old, _ = tree_in_memory(pair.reviewed.base)
    outlines = Outlines(old.overlay.blob)
    new = on(old, pair.now.base)
    return Both(
        reviewed=change(pair.reviewed, old, on(old, pair.reviewed.tree), outlines),
        present=change(pair.now, new, on(old, pair.now.tree), outlines),
        trees=(old, new),
    )


def graded(pair: Pair) -> Graded:
    both = both_changes(pair)
    return grade_between(both.reviewed, both.present, reviewed_text=pair.reviewed.patch, trees=both.trees)


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
