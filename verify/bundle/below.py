"""Checks the releases that an overlay stands on, and brings the overlay's base about: upstream with their patches.

What they are is read and held to its pins by `verify/bundle/line.py`. Here their commits are computed again and, with
upstream at hand, git applies every patch of the line; the tree that it ends at is the base that the bundle's own
patches are then tried on.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from verify.bundle.declared import stack_findings
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import fold_member
from verify.bundle.line import Below, is_overlay, read_line
from verify.bundle.origin import NoBase, OpenBase, open_base
from verify.bundle.patches import check_commits
from verify.bundle.stack import Point
from verify.bundle.trees import check_base
from verify.git import Git, GitFailed
from verify.model.diagnostic import Diagnostic
from verify.model.verdict import Failed, Outcome, Undecided
from verify.model.wording import count


def check_line(bundle: Bundle) -> Outcome | None:
    """Each release below has the pinned name and digest and its own commits, and ends where the next one begins."""
    if not is_overlay(bundle.release):
        return None
    line = read_line(bundle.data, bundle.release)
    findings = list(line.findings)
    if not findings:
        above = bundle.stack.base
        for below in line.releases:
            findings += _itself(bundle, below)
            findings += _joint(below, above)
            above = below.stack.base
    names = ", on ".join(f"`{each.release.name}`" for each in line.releases)
    return ruled(findings, f"it stands on {names}, by digest")


def _itself(bundle: Bundle, below: Below) -> Iterator[Diagnostic]:
    own = _as_bundle(bundle, below)
    yield from stack_findings(below.stack, below.release)
    commits = check_commits(own)
    if isinstance(commits, Failed):
        yield from commits.findings


def _joint(below: Below, above: Point) -> Iterator[Diagnostic]:
    tip = below.stack.tip
    for what, met, expected in (("tree", above.tree, tip.tree), ("commit", above.commit, tip.commit)):
        if met != expected:
            message = f"the base {what} above is not the tip {what} of `{below.release.name}`"
            yield differs("bundle-base-release-differs", message, below.prefix, met=met, expected=expected)


def _as_bundle(bundle: Bundle, below: Below) -> Bundle:
    """The release below, for checks that look at release.json and stack.json alone: it has no verdict here."""
    return replace(bundle, release=below.release, stack=below.stack)


@contextmanager
def open_line(base: Path | None, bundle: Bundle) -> Iterator[OpenBase | NoBase]:
    """The bundle's base for as long as the block runs: upstream, with the patches of every release in between."""
    line = read_line(bundle.data, bundle.release)
    if line.findings:
        yield NoBase(reason=line.findings[0])
        return
    lowest = line.releases[-1] if line.releases else None
    with open_base(base, bundle.release if lowest is None else lowest.release) as opened:
        if lowest is None or isinstance(opened, NoBase):
            yield opened
            return
        yield _raised(bundle, line.releases, opened)


def _raised(bundle: Bundle, releases: tuple[Below, ...], upstream: OpenBase) -> OpenBase | NoBase:
    """The repository of `upstream` with the tree that the releases make of it, as git applies them."""
    lowest = check_base(_as_bundle(bundle, releases[-1]), upstream)
    if isinstance(lowest, Undecided):
        return NoBase(reason=lowest.reasons[0])
    findings = lowest.findings if isinstance(lowest, Failed) else ()
    if not findings:
        try:
            findings = tuple(_laid(bundle, releases, upstream.files))
        except GitFailed as error:
            notes = tuple(error.output.splitlines()[-3:])
            return NoBase(reason=Diagnostic(code="git-failed", message="git could not derive the base", notes=notes))
    names = " and ".join(each.release.name for each in reversed(releases))
    folds = count(sum(len(each.stack.folds()) for each in releases), "fold")
    came_from = f"{upstream.came_from} with {folds} of {names}"
    return OpenBase(
        files=upstream.files, upstream=upstream.upstream, came_from=came_from, archive_tree=None, findings=findings
    )


def _laid(bundle: Bundle, releases: tuple[Below, ...], files: Git) -> Iterator[Diagnostic]:
    """Lay every patch, from the lowest release up; the first that gives another tree ends it. Objects are kept."""
    with tempfile.TemporaryDirectory(prefix="stackproof-line-") as scratch:
        git = Git(git_dir=files.git_dir, cwd=Path(scratch), extra=(("GIT_INDEX_FILE", f"{scratch}/index"),))
        git.run("read-tree", releases[-1].stack.base.tree)
        for below in reversed(releases):
            for block, fold in below.stack.folds():
                name = below.prefix + fold_member(block, fold.id)
                patch = bundle.data(name)
                if patch is None:
                    yield finding("bundle-base-release-differs", f"`{name}` is missing", name)
                    return
                if patch.strip():
                    try:
                        git.run("apply", "--cached", "--whitespace=nowarn", "-p1", "-", stdin=patch)
                    except GitFailed as error:
                        message = f"git does not apply `{name}` to what lies below it"
                        yield finding("bundle-base-release-differs", message, name, *error.output.splitlines()[:6])
                        return
                met = git.text("write-tree")
                if met != fold.tree:
                    message = f"git derives another tree after fold `{fold.id}` of `{below.release.name}`"
                    yield differs("bundle-base-release-differs", message, name, met=met, expected=fold.tree)
                    return
