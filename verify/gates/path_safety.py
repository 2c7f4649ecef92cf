"""Path safety: no path of a fold leaves the tree, and none that it brings breaks a checkout elsewhere.

What a patch may name at all is refused for every path it touches; names that Windows or macOS cannot hold, and names
that differ from a neighbour only by case or Unicode form, only for paths that a fold brings: the base's own are
upstream's. A symbolic link must not point out of the tree, and a submodule is not brought at all, since its content
would be in no tree of ours.
"""

import posixpath
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from verify.diff.paths import awkward_path, unsafe_path
from verify.gates.case import Case
from verify.gates.kind import Kind, Scope
from verify.model.block import Fold
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.ids import RepoPath, show_path
from verify.model.patch import Action, FileChange, Mode
from verify.model.verdict import Failed, Outcome, Passed
from verify.model.wording import count as counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every path of every fold."""
    del params
    taken = {_folded(path): path for path in sorted(case.base_paths, reverse=True)}
    folders = {_folded(parent): parent for path in case.base_paths for parent in _parents(path)}
    findings: list[Finding] = []
    count = 0
    for block in case.release.blocks:
        for fold in block.folds:
            for change in fold.patch.files:
                count += 1
                findings.extend(_unsafe(fold, change))
                findings.extend(_brought(fold, change, taken, folders))
    if findings:
        return Failed(summary=f"{len(findings)} unsafe paths", findings=tuple(findings))
    return Passed(summary=f"{counted(count, 'changed file')} with safe paths")


def _unsafe(fold: Fold, change: FileChange) -> Iterator[Finding]:
    for path in dict.fromkeys(path for path in (change.old_path, change.new_path) if path is not None):
        if why := unsafe_path(path):
            yield _finding("path-unsafe", fold, change, path, why)


def _brought(
    fold: Fold, change: FileChange, taken: dict[bytes, RepoPath], folders: dict[bytes, bytes]
) -> Iterator[Finding]:
    """Findings about a path that the fold adds to the tree; later folds see it as taken."""
    if change.action in (Action.DELETE, Action.RENAME) and change.old_path is not None:
        taken.pop(_folded(change.old_path), None)
    path = change.new_path
    if change.new_mode is Mode.SUBMODULE and path is not None:
        yield _finding("submodule-brought", fold, change, path, "it is a submodule, whose content no tree here holds")
    if change.new_mode is Mode.SYMLINK and path is not None:
        yield from _link(fold, change, path)
    if change.action not in (Action.CREATE, Action.RENAME, Action.COPY) or path is None:
        return
    if why := awkward_path(path):
        yield _finding("path-not-portable", fold, change, path, why)
    other = taken.get(_folded(path))
    if other is not None and other != path:
        yield _finding("path-collides", fold, change, path, f"it differs from {show_path(other)} only by case or form")
    for parent in _parents(path):
        known = folders.setdefault(_folded(parent), parent)
        if known != parent:
            why = f"its folder differs from {show_path(RepoPath(known))} only by case or form"
            yield _finding("path-collides", fold, change, path, why)
    taken[_folded(path)] = path


def _link(fold: Fold, change: FileChange, path: RepoPath) -> Iterator[Finding]:
    if change.binary is not None:
        yield _finding("symlink-leaves-tree", fold, change, path, "its target is given as binary data")
        return
    target = b"".join(line for hunk in change.hunks for line in hunk.new()).rstrip(b"\n")
    inside = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
    if target.startswith(b"/") or b"\\" in target or inside == b".." or inside.startswith(b"../"):
        yield _finding("symlink-leaves-tree", fold, change, path, f"it points to {show_path(RepoPath(target))}")


def _folded(path: bytes) -> bytes:
    """The path as a file system that knows neither case nor Unicode forms sees it."""
    text = path.decode("utf-8", errors="surrogateescape")
    return unicodedata.normalize("NFC", text.casefold()).encode("utf-8", errors="surrogateescape")


def _parents(path: bytes) -> Iterator[bytes]:
    parts = path.split(b"/")
    return (b"/".join(parts[:depth]) for depth in range(1, len(parts)))


def _finding(code: str, fold: Fold, change: FileChange, path: RepoPath, why: str) -> Finding:
    return Diagnostic(
        code=code,
        message=f"fold `{fold.id}`: {show_path(path)}: {why}",
        place=Place(file=fold.patch_file, line=change.source_line),
        help="choose another path in this fold",
    )


KIND = Kind(
    name="path-safety",
    about="no path of a fold leaves the tree or cannot be checked out elsewhere",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
    waivable=False,
)
