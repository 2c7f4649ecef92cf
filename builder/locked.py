"""Compares a stack with its lock while it is derived, and says the likely cause of the first difference.

A preimage or postimage that differs names the path, both ids and who changed that path last. What can only be a
consequence of an earlier difference (every tree and commit behind it) is told once and not again for each fold.
"""

import hashlib
from collections.abc import Iterator

from builder.tree import Tree
from verify.model.block import Block, Fold
from verify.model.diagnostic import Diagnostic, Place
from verify.model.ids import BlockName, FoldId, RepoPath, show_path
from verify.model.release import BlobState, Lock, LockedFile, LockedFold
from verify.model.stack import Layer

_LOCK_FILE = "blocks/lock.json"
_FoldKey = tuple[BlockName, FoldId]


class LockCheck:
    """What the lock says of each fold, asked in stack order. Without a lock it finds nothing."""

    def __init__(self, lock: Lock | None, blocks: tuple[Block, ...]) -> None:
        self._lock = lock
        self._locked: dict[_FoldKey, LockedFold] = {(f.block, f.fold): f for f in lock.folds} if lock else {}
        self._order: list[_FoldKey] = [(block.name, fold.id) for block in blocks for fold in block.folds]
        self._last_change: dict[RepoPath, _FoldKey] = {}
        self._left_out: list[_FoldKey] = []
        self._diverged = ""  # says where trees first differ
        self._edited: set[_FoldKey] = set()

    def laid(self, layer: Layer, fold: Fold) -> tuple[tuple[Diagnostic, ...], bool]:
        """What differs from the lock, and whether the fold met the very files that it was recorded on."""
        key = (layer.block, layer.fold)
        findings: list[Diagnostic] = []
        exact = True
        if self._lock is not None:
            locked = self._locked.get(key)
            if locked is None:
                findings.append(_unlocked(key, fold))
                self._diverge(key)
            else:
                findings += self._patch(key, fold, locked)
                preimages = tuple(self._preimages(key, layer, fold, locked))
                exact = not preimages
                findings += preimages
                findings += self._results(key, layer, fold, locked, explained=bool(findings))
        for file in layer.files:
            if file.before != file.after:
                self._last_change[file.path] = key
        return tuple(findings), exact

    def not_laid(self, block: Block, fold: Fold, findings: tuple[Diagnostic, ...], met: Tree) -> tuple[Diagnostic, ...]:
        """The findings of a fold that did not go on, each with its likely cause."""
        key = (block.name, fold.id)
        locked = self._locked.get(key)
        notes: list[str] = [f"fold `{fold.id}` of block `{block.name}` is left out whole"]
        touched = {path for change in fold.patch.files for path in (change.old_path, change.new_path) if path}
        for file in locked.files if locked else ():
            if (state := met.entry(file.path)) != file.before:
                notes.append(f"`{show_path(file.path)}`: recorded {_show(file.before)}, met {_show(state)}")
        for path in sorted(touched):
            if path in self._last_change:
                notes.append(f"`{show_path(path)}` was last changed by {_name(self._last_change[path])}")
        if locked is not None and _sha256(fold) != locked.patch_sha256:
            notes.append("likely cause: the patch itself differs from the one that was pinned")
        elif self._left_out:
            notes.append(f"likely cause: {_name(self._left_out[0])} did not go on before it")
        elif locked is not None and len(notes) > 1:
            notes.append(f"likely cause: {self._cause(next(iter(sorted(touched)), RepoPath(b'')), None)}")
        self._left_out.append(key)
        self._diverge(key)
        return tuple(
            Diagnostic(code=f.code, message=f.message, place=f.place, notes=(*f.notes, *notes), help=f.help)
            for f in findings
        )

    def rest(self) -> Iterator[Diagnostic]:
        """Folds that the lock records and the stack does not have, and an order that differs."""
        if self._lock is None:
            return
        present = set(self._order)
        for locked in self._lock.folds:
            if (locked.block, locked.fold) not in present:
                text = f"the lock records {_name((locked.block, locked.fold))}, which the stack does not have"
                yield _finding("lock-stale", text, file=_LOCK_FILE)
        order = [(f.block, f.fold) for f in self._lock.folds if (f.block, f.fold) in present]
        ours = [key for key in self._order if key in self._locked]
        for recorded, met in zip(order, ours, strict=True):
            if recorded != met:
                text = f"the order of the folds is not the pinned one: {_name(met)} stands where {_name(recorded)} was"
                yield _finding("lock-order", text, file=_LOCK_FILE)
                return

    def _patch(self, key: _FoldKey, fold: Fold, locked: LockedFold) -> Iterator[Diagnostic]:
        if (met := _sha256(fold)) != locked.patch_sha256:
            self._edited.add(key)
            text = f"the patch of {_name(key)} differs from the pinned one"
            notes = (f"expected sha256 {locked.patch_sha256}", f"met      sha256 {met}")
            yield _finding("lock-patch", text, *notes, file=fold.patch_file)

    def _preimages(self, key: _FoldKey, layer: Layer, fold: Fold, locked: LockedFold) -> Iterator[Diagnostic]:
        recorded = {file.path: file for file in locked.files}
        for file in layer.files:
            known = recorded.get(file.path)
            if known is None or known.before == file.before:
                continue
            text = f"{_name(key)} meets another `{show_path(file.path)}` than the one it was recorded on"
            cause = self._cause(file.path, known.before)
            yield _finding("preimage-differs", text, *_both(known.before, file.before), cause, file=fold.patch_file)

    def _results(
        self, key: _FoldKey, layer: Layer, fold: Fold, locked: LockedFold, *, explained: bool
    ) -> Iterator[Diagnostic]:
        if not explained:
            yield from _postimages(key, layer, fold, locked)
        if layer.after == locked.tree and layer.commit == locked.commit:
            return
        if not self._diverged:
            if layer.after != locked.tree:
                cause = self._tree_cause(key, layer, locked, explained=explained)
                notes = (f"expected tree {locked.tree}", f"met      tree {layer.after}", cause)
                yield _finding("tree-differs", f"the tree after {_name(key)} is not the pinned one", *notes)
            else:
                cause = "likely cause: its subject, body, author or date changed since the last pin"
                notes = (f"expected commit {locked.commit}", f"met      commit {layer.commit}", cause)
                yield _finding("commit-differs", f"the commit of {_name(key)} is not the pinned one", *notes)
        self._diverge(key)

    def _tree_cause(self, key: _FoldKey, layer: Layer, locked: LockedFold, *, explained: bool) -> str:
        if explained:
            return "likely cause: the differences above"
        if locked.files == layer.files:
            return "likely cause: the base tree is another one, in paths that no fold touched so far"
        return f"likely cause: the lock was written for another patch of {_name(key)}"

    def _cause(self, path: RepoPath, expected: BlobState | None) -> str:
        changed_by = self._last_change.get(path)
        later = [
            (f.block, f.fold)
            for f in (self._lock.folds if self._lock else ())
            if any(file.path == path and file.after == expected for file in f.files)
        ]
        if changed_by is not None and changed_by in self._edited:
            return f"likely cause: the patch of {_name(changed_by)}, which was edited after the last pin, changes it"
        if later and later[-1] not in self._order:
            return f"likely cause: {_name(later[-1])}, which left the recorded file, was taken out of the stack"
        if later and later[-1] != changed_by:
            return f"likely cause: {_name(later[-1])} left the recorded file, and does not stand before it any more"
        if changed_by is None:
            return "likely cause: the base tree holds another file than at the last pin"
        return f"likely cause: {_name(changed_by)}, which changed this file last"

    def _diverge(self, key: _FoldKey) -> None:
        self._diverged = self._diverged or _name(key)


def _postimages(key: _FoldKey, layer: Layer, fold: Fold, locked: LockedFold) -> Iterator[Diagnostic]:
    recorded = {file.path: file for file in locked.files}
    ours = {file.path: file for file in layer.files}
    for path in sorted(recorded.keys() | ours.keys()):
        old, new = recorded.get(path), ours.get(path)
        if _after(old) != _after(new) or (old is None) != (new is None):
            text = f"{_name(key)} leaves another `{show_path(path)}` than the lock records"
            cause = "likely cause: the lock was edited, or written for another patch"
            yield _finding("postimage-differs", text, *_both(_after(old), _after(new)), cause, file=fold.patch_file)


def _after(file: LockedFile | None) -> BlobState | None:
    return file.after if file is not None else None


def _unlocked(key: _FoldKey, fold: Fold) -> Diagnostic:
    text = f"the lock does not know {_name(key)}"
    return _finding("lock-missing", text, f"its patch is {fold.patch_file}", file=_LOCK_FILE)


def _both(expected: BlobState | None, met: BlobState | None) -> tuple[str, str]:
    return f"expected {_show(expected)}", f"met      {_show(met)}"


def _show(state: BlobState | None) -> str:
    return f"blob {state.blob} mode {state.mode}" if state is not None else "nothing"


def _name(key: _FoldKey) -> str:
    return f"fold `{key[1]}` of block `{key[0]}`"


def _sha256(fold: Fold) -> str:
    return hashlib.sha256(fold.patch_bytes).hexdigest()


def _finding(code: str, text: str, *notes: str, file: str = _LOCK_FILE) -> Diagnostic:
    return Diagnostic(code=code, message=text, place=Place(file=file), notes=notes, help="stackproof pin")
