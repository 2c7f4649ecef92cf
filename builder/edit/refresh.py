"""A fold on another tree than it was made on: every hunk goes two ways, and the patch that comes out is exact again.

Where each file is the very one that the fold met, its bytes stay as they are. Else its hunks are placed by context
and by a three-way merge from the file it met, also where the context stands at the very line; what the two ways do
not agree on is a conflict, and nothing is guessed.
"""

from builder.exchange.lay_submission import Recorded, Refused, Rules, Taken, lay_submission
from builder.layer import Laid, lay
from builder.tree import Tree
from verify.diff.submission import Dialect, Section, Side
from verify.model.block import Fold
from verify.model.ids import RepoPath
from verify.model.patch import Action, FileChange, Patch

GIT = Rules(dialect=Dialect.GIT, drop_empty=False)


def lay_again(fold: Fold, *, met: Tree, tree: Tree, blobs: Recorded) -> Taken | Refused:
    """The fold on `tree`; its patch exactly fits `met`."""
    if all(tree.entry(path) == met.entry(path) for path in paths_of(fold.patch)):
        laid = lay(fold.patch, tree, file=fold.patch_file, text=fold.patch_bytes)
        if isinstance(laid, Laid):
            return Taken(patch=fold.patch, text=fold.patch_bytes, tree=laid.tree, files=laid.files, fates=(), notes=())
        return Refused(findings=laid.findings, fates=())
    return lay_submission([sections_of(fold.patch, met)], tree, GIT, file=fold.patch_file, recorded=blobs)


def sections_of(patch: Patch, met: Tree) -> tuple[Section, ...]:
    """A patch as a submission that names the files it was made on."""
    return tuple(_section(change, met) for change in patch.files)


def paths_of(patch: Patch) -> set[RepoPath]:
    """Every path that a patch names."""
    return {path for change in patch.files for path in (change.old_path, change.new_path) if path is not None}


def _section(change: FileChange, met: Tree) -> Section:
    old, new = change.old_path, change.new_path
    before = met.entry(old) if old is not None else None
    moves = change.action in (Action.RENAME, Action.COPY)
    return Section(
        git=True,
        old=Side(missing=True) if old is None else Side(name=b"a/" + old),
        new=Side(missing=True) if new is None else Side(name=b"b/" + new),
        moved=(old, new) if moves else (None, None),
        rename=change.action is Action.RENAME,
        copy=change.action is Action.COPY,
        created=change.action is Action.CREATE,
        deleted=change.action is Action.DELETE,
        old_mode=change.old_mode,
        new_mode=change.new_mode,
        old_blob=before.blob if before is not None else change.old_blob,
        new_blob=change.new_blob,
        hunks=change.hunks,
        binary=change.binary,
        source_line=change.source_line,
    )
