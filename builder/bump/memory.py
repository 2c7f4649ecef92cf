"""A resolution that a hand once made, kept under the very files that it was made for, and checked again at each use.

The key is the block, the path and three blobs: what the fold met and left when it was recorded, and what it meets now.
The result is kept as a patch on the last of them, and counts only when it gives the recorded blob. So it is never used
for another file, however alike the conflict (hazard E11), nor when anything of it was edited. Pure.
"""

import hashlib
import json
from dataclasses import dataclass

from builder.exchange.tree_diff import patch_between
from builder.layer import Laid, lay
from builder.tree import FileState, Obstructed, Overlay, Tree, file_state
from verify.diff.quote import quote_name
from verify.diff.render import render_patch
from verify.model.diagnostic import Diagnostic, Place
from verify.model.ids import EMPTY_TREE, BlobId, BlockName, FoldId, RepoPath, show_path
from verify.model.patch import Mode, Patch

_KEY_DIGITS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The file that a resolution is kept under: its path, what a fold met and left there, and what it meets now."""

    block: BlockName
    path: RepoPath
    preimage: BlobId | None
    postimage: BlobId | None
    met: BlobId | None

    def key(self) -> str:
        """The name of the resolution within its block."""
        parts = [quote_name(self.path).decode("ascii"), self.preimage, self.postimage, self.met]
        text = json.dumps([self.block, *parts])
        return hashlib.sha256(text.encode()).hexdigest()[:_KEY_DIGITS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What a hand made of one file: `result` is its blob (None where the file shall be gone), `fold` whose it is.

    `patch` and `text` lead from the file that was met to the result.
    """

    wanted: Wanted
    fold: FoldId
    result: BlobId | None
    mode: Mode | None
    patch: Patch
    text: bytes
    file: str

    def state(self, source: Overlay) -> FileState | Diagnostic | None:
        """What the path shall hold (None: nothing), made anew from what is met; or why it is not believed."""
        tree = _alone(self.wanted.path, self.wanted.met, source)
        laid = lay(self.patch, tree, file=self.file, text=self.text)
        if not isinstance(laid, Laid):
            return self._broken(*(finding.message for finding in laid.findings))
        after = laid.tree.entry(self.wanted.path)
        made = after.blob if after is not None else None
        if made != self.result or [path for path, _ in laid.tree.walk()] not in ([], [self.wanted.path]):
            return self._broken(f"it makes {made}", f"recorded is {self.result}")
        if after is None:
            return None
        return file_state(source.blob(after.blob), self.mode or after.mode)

    def _broken(self, *notes: str) -> Diagnostic:
        return Diagnostic(
            code="resolution-broken",
            message=f"the resolution kept for `{show_path(self.wanted.path)}` does not give what it was recorded for",
            place=Place(file=self.file),
            notes=notes,
            help="stackproof bump resolve DIR",
        )


def make_resolution(
    wanted: Wanted, fold: FoldId, after: tuple[bytes, Mode] | None, *, source: Overlay, file: str
) -> Resolution:
    """The resolution whose result is this content and mode; `after` None removes the file."""
    before = _alone(wanted.path, wanted.met, source)
    state = file_state(*after) if after is not None else None
    made = before.with_changes({wanted.path: state})
    assert not isinstance(made, Obstructed)  # there is only this file
    patch = patch_between(before, made)
    return Resolution(
        wanted=wanted,
        fold=fold,
        result=state.blob if state is not None else None,
        mode=state.mode if state is not None else None,
        patch=patch,
        text=render_patch(patch),
        file=file,
    )


def _alone(path: RepoPath, blob: BlobId | None, source: Overlay) -> Tree:
    """A tree with this one file."""
    empty = Tree.at(source, EMPTY_TREE)
    if blob is None:
        return empty
    made = empty.with_changes({path: file_state(source.blob(blob), Mode.FILE)})
    assert not isinstance(made, Obstructed)  # there is only this file
    return made
