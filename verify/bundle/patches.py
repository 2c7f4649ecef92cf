"""Checks the folds as far as they can be without the base: patches, their order, the lock, and every commit's id.

A commit id is computed anew from the tree, the parent, the author, the date and the message that stack.json gives, so
that a changed credit is found as surely as a changed tree.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

from verify.bundle.commit import fold_commit_id
from verify.bundle.document import load_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import LOCK, SERIES, STACK, fold_member, patch_member, series
from verify.bundle.stack import BundleFold
from verify.diff.parse import parse_canonical
from verify.model.codec import CodecError, from_json
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName
from verify.model.patch import Mode
from verify.model.verdict import Outcome


def check_patches(bundle: Bundle) -> Outcome:
    """Each patch is the declared one, canonical, and stands in its place of the series."""
    findings: list[Diagnostic] = []
    folds = bundle.stack.folds()
    for number, (block, fold) in enumerate(folds, start=1):
        findings += _patch(bundle, number, block, fold)
    if bundle.data(SERIES) != series(patch_member(at, block, fold.id) for at, (block, fold) in enumerate(folds, 1)):
        findings.append(finding("bundle-patch-differs", f"`{SERIES}` does not list the patches in their order", SERIES))
    return ruled(findings, f"{len(folds)} canonical patches, each as declared and in its order")


def _patch(bundle: Bundle, number: int, block: BlockName, fold: BundleFold) -> Iterator[Diagnostic]:
    name = patch_member(number, block, fold.id)
    if fold.patch != name:
        message = f"the patch of fold `{fold.id}` of block `{block}` has another name in `{STACK}`"
        yield differs("bundle-patch-differs", message, STACK, met=fold.patch, expected=name)
    data = bundle.data(name)
    if data is None:
        yield finding("bundle-patch-differs", f"`{name}` is missing", name)
        return
    met = hashlib.sha256(data).hexdigest()
    if met != fold.patch_sha256:
        message = f"`{name}` is not the patch that `{STACK}` names"
        yield differs("bundle-patch-differs", message, name, met=met, expected=fold.patch_sha256)
    if data != bundle.data(fold_member(block, fold.id)):
        yield finding("bundle-patch-differs", f"`{name}` is not `{fold_member(block, fold.id)}`", name)
    try:
        parse_canonical(data, file=name)
    except InputFault as fault:
        yield from fault.diagnostics


def check_commits(bundle: Bundle) -> Outcome:
    """Every fold's commit has the id that its content gives, up to the tip."""
    findings: list[Diagnostic] = []
    parent = bundle.stack.base.commit
    for block, fold in bundle.stack.folds():
        where = f"fold `{fold.id}` of block `{block}`"
        met = fold_commit_id(tree=fold.tree, parent=parent, author=fold.author, date=fold.date, message=fold.message)
        if met is None:
            findings.append(finding("bundle-commit-differs", f"{where}: git has no date {fold.date!r:.80}", STACK))
        elif met != fold.commit:
            message = f"{where}: author, date, message or tree do not give the commit"
            findings.append(differs("bundle-commit-differs", message, STACK, met=met, expected=fold.commit))
        if f"Stackproof-Block: {block}\nStackproof-Fold: {fold.id}\n" not in fold.message:
            message = f"{where}: its commit message does not name them"
            findings.append(finding("bundle-commit-differs", message, STACK))
        parent = fold.commit
    return ruled(findings, f"{len(bundle.stack.folds())} commits computed, the tip is {bundle.stack.tip.commit}")


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    blob: str
    mode: Mode


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    path: str
    before: _State | None
    after: _State | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fold:
    block: str
    fold: str
    patch_sha256: str
    files: tuple[_File, ...]
    tree: str
    commit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lock:
    schema: str
    folds: tuple[_Fold, ...]


def check_lock(bundle: Bundle) -> Outcome:
    """blocks/lock.json records these very folds, patches, trees and commits."""
    data = bundle.data(LOCK)
    try:
        lock = from_json(_Lock, None if data is None else load_document(data))
    except CodecError as error:
        return ruled([finding("bundle-lock-differs", f"`{LOCK}` cannot be read: {error}", LOCK)], "")
    met = [(each.block, each.fold, each.patch_sha256, each.tree, each.commit) for each in lock.folds]
    expected = [(block, fold.id, fold.patch_sha256, fold.tree, fold.commit) for block, fold in bundle.stack.folds()]
    findings = []
    for at in range(max(len(met), len(expected))):
        locked = met[at] if at < len(met) else ("nothing",)
        stacked = expected[at] if at < len(expected) else ("nothing",)
        if locked != stacked:
            message = f"`{LOCK}` and `{STACK}` differ at fold {at + 1}"
            shown = [" ".join(each) for each in (locked, stacked)]
            findings.append(differs("bundle-lock-differs", message, LOCK, met=shown[0], expected=shown[1]))
            break
    return ruled(findings, f"{len(met)} folds as `{STACK}` gives them")
