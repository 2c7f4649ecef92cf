"""Tree equality: every derived tree is the recorded one, and git derives the same.

The lock says what every fold met and left, release.json what the whole gives. A divergence is told where it first
appears, with both ids and the likely cause; what follows from it only says how much followed. The check passes only
when git, from the same patch bytes, made the same trees (two ways to one tree).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from verify.gates.case import Case, NotRederived
from verify.gates.kind import Kind, Scope
from verify.model.block import Fold
from verify.model.diagnostic import Diagnostic, Finding, Place
from verify.model.evidence import Need
from verify.model.ids import RepoPath, show_path
from verify.model.release import BlobState, Lock, LockedFile, LockedFold, Reference
from verify.model.stack import Layer, Stack, Stuck
from verify.model.verdict import Failed, Outcome, Passed, Undecided
from verify.model.wording import count as counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """No parameters."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    """Nothing is measured: trees are derived."""
    del params, case
    return ()


def check(params: Params, case: Case) -> Outcome:
    """Every tree equals the recorded one and git's."""
    del params
    reference, lock = case.release.reference, case.release.lock
    if reference is None or lock is None:
        return Undecided(summary="the release records no trees yet", reasons=(_no_reference(),))
    findings = list(_base(reference, case))
    match case.stack:
        case Stuck(block=block, fold=fold, findings=reasons):
            findings.extend(reasons or (_stuck(block, fold),))
            return Failed(summary=f"the stack is stuck at fold `{fold}` of block `{block}`", findings=tuple(findings))
        case Stack() as stack:
            findings.extend(_layers(stack, lock, case))
            findings.extend(_tip(stack, reference))
            findings.extend(_by_git(stack, case))
    if findings:
        return Failed(summary=findings[0].message, findings=tuple(findings))
    if isinstance(case.rederived, NotRederived):
        return Undecided(summary="git did not derive the trees", reasons=(case.rederived.reason,))
    count = len(stack.layers)
    derived = f"{counted(count, 'fold')}, {counted(count + 1, 'tree')}"
    return Passed(summary=f"{derived} and the tip commit as recorded; git derives the same")


def _no_reference() -> Diagnostic:
    return Diagnostic(
        code="no-reference",
        message="release.json and blocks/lock.json promise no trees yet",
        help="stackproof pin",
    )


def _stuck(block: str, fold: str) -> Finding:
    return Diagnostic(code="stack-stuck", message=f"fold `{fold}` of block `{block}` does not go on")


def _base(reference: Reference, case: Case) -> Iterator[Finding]:
    if case.base_tree != reference.base_tree:
        yield Diagnostic(
            code="base-tree-differs",
            message="the imported base is not the tree that release.json records",
            place=Place(file="release.json"),
            notes=(
                f"imported: {case.base_tree}",
                f"recorded: {reference.base_tree}",
                "likely cause: `base` was moved and the stack was not pinned again",
            ),
            help="stackproof pin",
        )
    if isinstance(case.stack, Stack) and case.stack.base_tree != case.base_tree:
        yield Diagnostic(
            code="base-tree-differs",
            message="the stack was derived on another base than the imported one",
            notes=(f"imported: {case.base_tree}", f"derived on: {case.stack.base_tree}"),
        )


def _layers(stack: Stack, lock: Lock, case: Case) -> Iterator[Finding]:
    derived = [(layer.block, layer.fold) for layer in stack.layers]
    locked = [(fold.block, fold.fold) for fold in lock.folds]
    declared = [(block.name, fold.id) for block in case.release.blocks for fold in block.folds]
    if derived != declared:
        yield Diagnostic(
            code="stack-incomplete",
            message=f"{len(derived)} folds were derived where the blocks declare {len(declared)}",
            notes=(f"derived: {_names(derived)}", f"declared: {_names(declared)}"),
        )
    if derived != locked:
        yield Diagnostic(
            code="lock-folds-differ",
            message="blocks/lock.json does not name the folds that the blocks declare",
            place=Place(file="blocks/lock.json"),
            notes=(f"derived: {_names(derived)}", f"recorded: {_names(locked)}"),
            help="stackproof pin",
        )
        return
    wrong = [pair for pair in zip(stack.layers, lock.folds, strict=True) if _differs(*pair)]
    if not wrong:
        return
    layer, record = wrong[0]
    yield _first_divergence(layer, record, _patch_edited(record, case), len(wrong))


def _names(folds: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{block}/{fold}" for block, fold in folds)[:400] or "none"


def _differs(layer: Layer, record: LockedFold) -> bool:
    return (layer.files, layer.after, layer.commit) != (record.files, record.tree, record.commit)


def _first_divergence(layer: Layer, record: LockedFold, edited: bool, wrong: int) -> Finding:
    where, met, expected, cause = _what_differs(layer, record)
    if edited:
        cause = "the patch was changed after the stack was pinned"
    rest = (f"{wrong - 1} later folds differ as well",) if wrong > 1 else ()
    return Diagnostic(
        code="tree-differs",
        message=f"block `{layer.block}`, fold `{layer.fold}`: {where} is not the recorded one",
        place=Place(file=f"blocks/{layer.block}/folds/{layer.fold}/fold.patch"),
        notes=(f"derived: {met}", f"recorded: {expected}", f"likely cause: {cause}", *rest),
        help="git diff blocks/ release.json, then `stackproof pin` if the change is meant",
    )


def _what_differs(layer: Layer, record: LockedFold) -> tuple[str, str, str, str]:
    """The first thing that differs, both its values, and the likely cause."""
    ours, theirs = _by_path(layer.files), _by_path(record.files)
    for path in sorted(ours.keys() | theirs.keys()):
        mine, recorded = ours.get(path), theirs.get(path)
        name = show_path(path)
        if mine is None or recorded is None:
            return f"the set of files ({name})", _said(mine), _said(recorded), "blocks/lock.json is stale"
        if mine.before != recorded.before:
            cause = "the base or an earlier fold changed this file"
            return f"the preimage of {name}", _state(mine.before), _state(recorded.before), cause
        if mine.after != recorded.after:
            cause = "blocks/lock.json was changed by hand"
            return f"the postimage of {name}", _state(mine.after), _state(recorded.after), cause
    if layer.after != record.tree:
        return "the tree", layer.after, record.tree, "blocks/lock.json was changed by hand, or the base moved"
    cause = "author, date, subject or body of the fold changed, or the upstream commit"
    return "the commit", layer.commit, record.commit, cause


def _by_path(files: tuple[LockedFile, ...]) -> dict[RepoPath, LockedFile]:
    return {file.path: file for file in files}


def _said(file: LockedFile | None) -> str:
    return "not changed" if file is None else f"{_state(file.before)} to {_state(file.after)}"


def _state(state: BlobState | None) -> str:
    return "absent" if state is None else f"{state.blob} mode {state.mode}"


def _patch_edited(record: LockedFold, case: Case) -> bool:
    folds = {(block.name, fold.id): fold for block in case.release.blocks for fold in block.folds}
    fold: Fold | None = folds.get((record.block, record.fold))
    return fold is not None and sha256(fold.patch_bytes).hexdigest() != record.patch_sha256


def _tip(stack: Stack, reference: Reference) -> Iterator[Finding]:
    if stack.tip_tree() != reference.tip_tree:
        yield _other_tip("tip-tree-differs", "tree", stack.tip_tree(), reference.tip_tree)
    if stack.tip_commit() != reference.tip_commit:
        yield _other_tip("tip-commit-differs", "commit", stack.tip_commit(), reference.tip_commit)


def _other_tip(code: str, what: str, met: str, expected: str) -> Finding:
    return Diagnostic(
        code=code,
        message=f"the tip {what} is not the one that release.json promises",
        place=Place(file="release.json"),
        notes=(f"derived: {met}", f"recorded: {expected}"),
        help="stackproof pin",
    )


def _by_git(stack: Stack, case: Case) -> Iterator[Finding]:
    if isinstance(case.rederived, NotRederived):
        return
    ours = tuple(layer.after for layer in stack.layers)
    theirs = case.rederived.trees
    if len(ours) != len(theirs):
        yield Diagnostic(
            code="git-derives-another-tree",
            message=f"git derived {len(theirs)} trees where the stack has {len(ours)} folds",
        )
    for layer, tree in zip(stack.layers, theirs, strict=False):
        if layer.after != tree:
            yield Diagnostic(
                code="git-derives-another-tree",
                message=f"block `{layer.block}`, fold `{layer.fold}`: git makes another tree from the same patch",
                place=Place(file=f"blocks/{layer.block}/folds/{layer.fold}/fold.patch"),
                notes=(f"in memory: {layer.after}", f"by git: {tree}"),
                help="this is a defect of stackproof or of git; keep the patch and report it",
            )
            return


KIND = Kind(
    name="tree-equal",
    about="every tree and the tip commit equal the recorded ones, and git derives the same",
    scope=Scope.RELEASE,
    standing=True,
    structural=True,
    params=Params,
    needs=needs,
    check=check,
    waivable=False,
)
