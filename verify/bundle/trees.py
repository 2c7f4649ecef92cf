"""Checks what only the base can show: that it is the recorded one, and that git derives every tree from the patches.

Two ways to one tree: the trees in stack.json were derived in memory, and here real git applies the same bytes. The
combined diff has to end at the same tip.
"""

from collections.abc import Iterator

from verify.bundle.base import declared_commit
from verify.bundle.commit import commit_text_id, commit_tree
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import COMBINED, RELEASE, patch_member
from verify.bundle.origin import NoBase, OpenBase
from verify.diff.parse import parse_canonical
from verify.git import GitFailed
from verify.model.diagnostic import Diagnostic, EnvironmentFault, InputFault
from verify.model.ids import TreeId
from verify.model.verdict import Outcome, Undecided
from verify.rederive import rederive


def check_base(bundle: Bundle, base: OpenBase | NoBase) -> Outcome:
    """The base has the recorded tree, and so has the upstream commit that release.json names."""
    if isinstance(base, NoBase):
        return _undecided(base.reason)
    if base.findings:
        return ruled(base.findings, "")
    recorded = bundle.stack.base.tree
    findings: list[Diagnostic] = []
    if base.archive_tree is not None and base.archive_tree != recorded:
        message = "the files of the pinned archive are not the recorded base"
        findings.append(differs("bundle-base-differs", message, RELEASE, met=base.archive_tree, expected=recorded))
    elif not _has_tree(base, recorded):
        return _undecided(_not_there(base, recorded))
    commit = declared_commit(bundle.release)
    if commit is not None:
        text = _commit(base, commit)
        if text is None:
            return ruled(findings, "") if findings else _undecided(_commit_not_there(commit))
        if commit_text_id(text) != commit or commit_tree(text) != recorded:
            message = f"commit {commit} has another tree than the recorded base"
            findings.append(differs("bundle-base-differs", message, RELEASE, met=commit_tree(text), expected=recorded))
    upstream = "" if commit is None else f", the tree of commit {commit}"
    return ruled(findings, f"{base.came_from} gives {recorded}{upstream}")


def check_trees(bundle: Bundle, base: OpenBase | NoBase) -> Outcome:
    """Git derives the recorded tree after every fold."""
    met = usable(bundle, base)
    if isinstance(met, Undecided):
        return met
    folds = bundle.stack.folds()
    names = [patch_member(number, block, fold.id) for number, (block, fold) in enumerate(folds, start=1)]
    patches = [bundle.data(name) for name in names]
    whole = [patch for patch in patches if patch is not None]
    if len(whole) != len(patches):
        return ruled(
            [finding("bundle-tree-differs", f"{len(patches) - len(whole)} patches are missing", "patches")], ""
        )
    try:
        trees = rederive(git_dir=met.files.git_dir, base_tree=bundle.stack.base.tree, patches=whole, names=names)
    except InputFault as fault:
        return ruled(fault.diagnostics, "")
    except EnvironmentFault as fault:
        return _undecided(*fault.diagnostics)
    return ruled(
        list(_diverging(bundle, names, trees)), f"git derives the recorded tree after each of {len(trees)} folds"
    )


def _diverging(bundle: Bundle, names: list[str], trees: tuple[TreeId, ...]) -> Iterator[Diagnostic]:
    """The first fold after which the tree is another; all that follow are a consequence."""
    for name, tree, (block, fold) in zip(names, trees, bundle.stack.folds(), strict=True):
        if tree != fold.tree:
            message = f"git derives another tree after fold `{fold.id}` of block `{block}`"
            yield differs("bundle-tree-differs", message, name, met=tree, expected=fold.tree)
            return


def check_combined(bundle: Bundle, base: OpenBase | NoBase) -> Outcome:
    """The combined diff makes the tip of the base."""
    data = bundle.data(COMBINED)
    if data is None:
        return ruled([finding("bundle-combined-differs", f"`{COMBINED}` is missing", COMBINED)], "")
    try:
        parse_canonical(data, file=COMBINED)
    except InputFault as fault:
        return ruled(fault.diagnostics, "")
    met = usable(bundle, base)
    if isinstance(met, Undecided):
        return met
    try:
        (tree,) = rederive(git_dir=met.files.git_dir, base_tree=bundle.stack.base.tree, patches=[data])
    except InputFault as fault:
        message = f"git does not apply `{COMBINED}` to the base"
        notes = fault.diagnostics[0].notes
        return ruled([finding("bundle-combined-differs", message, COMBINED, *notes)], "")
    except EnvironmentFault as fault:
        return _undecided(*fault.diagnostics)
    expected = bundle.stack.tip.tree
    message = f"`{COMBINED}` does not make the tip of the base"
    wrong = [differs("bundle-combined-differs", message, COMBINED, met=tree, expected=expected)]
    return ruled(wrong if tree != expected else [], f"base and {COMBINED} give {expected}")


def usable(bundle: Bundle, base: OpenBase | NoBase) -> OpenBase | Undecided:
    """The base where it holds the recorded tree, else why nothing can be derived from it."""
    if isinstance(base, NoBase):
        return _undecided(base.reason)
    return base if _has_tree(base, bundle.stack.base.tree) else _undecided(_not_there(base, bundle.stack.base.tree))


def _has_tree(base: OpenBase, tree: TreeId) -> bool:
    try:
        return base.files.text("cat-file", "-t", tree) == "tree"
    except GitFailed:
        return False


def _commit(base: OpenBase, commit: str) -> bytes | None:
    try:
        return base.upstream.run("cat-file", "commit", commit)
    except GitFailed:
        return None


def _undecided(*reasons: Diagnostic) -> Undecided:
    return Undecided(summary=reasons[0].message, reasons=reasons)


def _not_there(base: OpenBase, tree: TreeId) -> Diagnostic:
    return Diagnostic(
        code="base-unusable",
        message=f"{base.came_from} does not hold the recorded base tree",
        notes=(f"expected  {tree}",),
        help="give the archive that base.json names, or a git folder that has the base's tree",
    )


def _commit_not_there(commit: str) -> Diagnostic:
    return Diagnostic(
        code="base-unusable",
        message="what was given as the base does not hold the upstream commit, so that its tree cannot be compared",
        notes=(f"expected  {commit}",),
        help="give the archive that base.json names, or a git folder that has this commit",
    )
