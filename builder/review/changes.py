"""Changes with the trees that they stand between, as grades need them, and the reviewed change laid anew.

Trees come from an object source, so a change that was reviewed on another base can be looked at as long as its
objects are kept.
"""

from builder.carry import Carried, carry_patch
from builder.sources import TreeSources
from builder.tree import Tree
from verify.model.ids import RepoPath, TreeId
from verify.model.patch import Patch
from verify.model.release import LockedFile
from verify.review.grades import Graded, grade
from verify.review.identity import Change, change_id
from verify.syntax.outlines import Outlines


def change_between(
    *, patch: Patch, data: bytes, message: bytes, before: Tree, after: Tree, outlines: Outlines | None = None
) -> Change:
    """The change that a patch makes between two trees."""
    paths = {path for change in patch.files for path in (change.old_path, change.new_path) if path is not None}
    return Change(
        id=change_id(patch, data, message, before.id, after.id),
        patch=patch,
        files=tuple(
            LockedFile(path=path, before=before.entry(path), after=after.entry(path)) for path in sorted(paths)
        ),
        before=TreeSources(before, outlines),
        after=TreeSources(after, outlines),
    )


def grade_between(reviewed: Change, present: Change, *, reviewed_text: bytes, trees: tuple[Tree, Tree]) -> Graded:
    """The grade of a change; `trees` are those that the reviewed and the present one met, of one source."""
    old, new = trees

    def remerge() -> TreeId | None:
        made = carry_patch(reviewed.patch, reviewed_text, onto=new, recorded=old.blob, file="the reviewed patch")
        return made.tree.id if isinstance(made, Carried) else None

    return grade(reviewed, present, differing=differing(old, new), remerge=remerge)


def differing(old: Tree, new: Tree) -> tuple[RepoPath, ...]:
    """The paths that are not the same in both trees."""
    return tuple(path for path, _ in old.differences(new))
