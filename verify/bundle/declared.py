"""Checks that the declared files are those that were judged, and that everything else agrees with them.

The release's digest goes over the bytes of every declared file and stands in the verdict; stack.json lists the files
in that order, with the digest of each, so that a changed one is named.
"""

from collections.abc import Iterator

from verify.bundle.base import declared_commit, render_base
from verify.bundle.commit import root_commit_id
from verify.bundle.documents import Bundle, ReleaseDocument
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import (
    BASE,
    BINARIES,
    COMBINED,
    DEVIATIONS,
    IMAGE,
    LOCK,
    MAILBOX,
    NOTES,
    RELEASE,
    REVIEWS,
    SBOM,
    SERIES,
    SIGNATURES,
    SINCE,
    SOURCE,
    STACK,
    STATEMENTS,
    SUMS,
    TESTIMONIES,
    VERDICT,
    evidence_member,
)
from verify.bundle.line import is_overlay, read_line
from verify.bundle.stack import BundleGate, BundleStack
from verify.model.diagnostic import Diagnostic
from verify.model.digest import release_digest
from verify.model.verdict import Outcome

_ELSEWHERE = tuple(f"{folder}/" for folder in (SOURCE, BINARIES, IMAGE, STATEMENTS, SIGNATURES, TESTIMONIES))
"""Folders whose own checks tell of members that have no place in them."""


def check_declared(bundle: Bundle) -> Outcome:
    """release.json and blocks/ hold the bytes that the verdict is about."""
    findings = list(_files(bundle))
    if not findings:
        files = [(each.file, bundle.data(each.file) or b"") for each in bundle.stack.declared]
        met = release_digest(files)
        for where, expected in ((STACK, bundle.stack.digest), (VERDICT, bundle.verdict.subject.digest)):
            if met != expected:
                message = f"the declared files are not those that `{where}` names by their digest"
                findings.append(differs("bundle-declared-differs", message, where, met=met, expected=expected))
    return ruled(findings, f"{len(bundle.stack.declared)} files have the digest that was judged")


def _files(bundle: Bundle) -> Iterator[Diagnostic]:
    listed = [each.file for each in bundle.stack.declared]
    there = {name for name in bundle.files if name == RELEASE or name.startswith("blocks/")}
    needed = {RELEASE, LOCK, *(f"blocks/{block}/block.yaml" for block in bundle.release.blocks)}
    if len(set(listed)) != len(listed):
        yield finding("bundle-declared-differs", f"`{STACK}` lists a declared file twice", STACK)
    for name in sorted(there.symmetric_difference(listed) | (needed - there)):
        what = "is not among the files that were judged" if name in there else "was judged and is missing"
        yield finding("bundle-declared-differs", f"`{name}` {what}", name)
    for each in bundle.stack.declared:
        if each.file in there and bundle.files[each.file].sha256 != each.sha256:
            message = f"`{each.file}` is not the file that was judged"
            met = bundle.files[each.file].sha256
            yield differs("bundle-declared-differs", message, each.file, met=met, expected=each.sha256)


def check_agreement(bundle: Bundle) -> Outcome:
    """stack.json and base.json say what release.json says, and every member has its place."""
    return ruled(
        [*stack_findings(bundle.stack, bundle.release), *_base(bundle), *_gates(bundle), *_strays(bundle)],
        "all members say the same",
    )


def stack_findings(stack: BundleStack, release: ReleaseDocument) -> Iterator[Diagnostic]:
    """Where a stack.json contradicts its release.json, or itself."""
    base_commit = declared_commit(release) or root_commit_id(stack.base.tree)
    if is_overlay(release):
        base_commit = stack.base.commit  # the tip of the release below, which `below.py` compares
    for what, met, expected in (
        ("name", stack.release, release.name),
        ("parent", stack.parent, release.parent),
        ("engine", stack.engine, release.engine),
        ("list of blocks", ", ".join(block.name for block in stack.blocks), ", ".join(release.blocks)),
        ("base tree", stack.base.tree, release.base_tree),
        ("base commit", stack.base.commit, base_commit),
        ("tip tree", stack.tip.tree, release.tip_tree),
        ("tip commit", stack.tip.commit, release.tip_commit),
    ):
        if met != expected:
            message = f"the {what} in `{STACK}` is not the one of `{RELEASE}`"
            yield differs("bundle-stack-differs", message, STACK, met=met, expected=expected)
    tree = stack.base.tree
    for block in stack.blocks:
        tree = block.folds[-1].tree if block.folds else tree
        if block.tree != tree:
            message = f"the tree of block `{block.name}` is not that of its last fold"
            yield differs("bundle-stack-differs", message, STACK, met=block.tree, expected=tree)
    last = stack.folds()[-1][1] if stack.folds() else stack.base
    for what, met, expected in (("tree", stack.tip.tree, last.tree), ("commit", stack.tip.commit, last.commit)):
        if met != expected:
            message = f"the tip {what} is not that of the last fold"
            yield differs("bundle-stack-differs", message, STACK, met=met, expected=expected)


def _base(bundle: Bundle) -> Iterator[Diagnostic]:
    expected = render_base(bundle.release, bundle.stack.base, read_line(bundle.data, bundle.release))
    if bundle.data(BASE) != expected:
        message = f"`{BASE}` does not say what `{RELEASE}` and `{STACK}` say of the base"
        yield finding("bundle-base-differs", message, BASE)


def _gates(bundle: Bundle) -> Iterator[Diagnostic]:
    met = sorted(bundle.stack.gates, key=_gate_name)
    expected = sorted((gate.declared for gate in bundle.release.gates), key=_gate_name)
    if met != expected:
        names = [sorted({gate.name for gate in gates}) for gates in (met, expected)]
        message = f"the gates in `{STACK}` are not those of `{RELEASE}`"
        shown = [", ".join(each) for each in names]
        yield differs("bundle-stack-differs", message, STACK, met=shown[0], expected=shown[1])


def _gate_name(gate: BundleGate) -> str:
    return gate.name


def _strays(bundle: Bundle) -> Iterator[Diagnostic]:
    """Members that nothing accounts for; declared files, patches and evidence missing are told by their own checks."""
    known = {SUMS, STACK, BASE, VERDICT, REVIEWS, COMBINED, SERIES, DEVIATIONS, MAILBOX, SBOM, NOTES, SINCE}
    known |= {each.file for each in bundle.stack.declared}
    known |= {fold.patch for _, fold in bundle.stack.folds()}
    known |= {name for name in bundle.files if name.startswith(_ELSEWHERE)}
    known |= read_line(bundle.data, bundle.release).members()
    used = bundle.verdict.evidence()
    for name in sorted(bundle.files.keys() - known):
        kind, _, key = name.removeprefix("evidence/").removesuffix(".json").partition("/")
        if key not in used or name != evidence_member(kind, key):
            yield finding("bundle-file-unknown", f"`{name}` has no place in this bundle", name)
