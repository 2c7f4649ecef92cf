"""Reads a checkout's branch back: every commit from the base to `HEAD`, with its author, message, trees and trailers.

Objects are looked at through a repository of our own that borrows those of the checkout and of the store, so that no
configuration, attribute or hook of the checkout has a say in any byte.
"""

import re
import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER
from builder.edit.worktree import known_ref, work_tree_git
from builder.scratch import scratch
from builder.store import Store
from verify.diff.parse import parse_canonical, parse_git_diff
from verify.diff.render import render_patch
from verify.git import Git, make_repository
from verify.model.block import Person
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import CommitId, RepoPath, TreeId

_PERSON = re.compile(r"(.*?) ?<([^<>]*)> (\d{1,11}) ([+-]\d{4})")
_TRAILER = re.compile(rf"({BLOCK_TRAILER}|{FOLD_TRAILER}): *(\S+) *")
_DIFF = (
    "diff-tree", "-r", "-p", "--full-index", "--binary", "--no-renames", "--no-ext-diff", "--no-textconv", "--no-color",
    "--src-prefix=a/", "--dst-prefix=b/", "--unified=3", "--inter-hunk-context=0", "--diff-algorithm=myers",
    "--indent-heuristic", "--submodule=short", "--ignore-submodules=none",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchCommit:
    """One commit of the branch; `block` and `fold` are what its trailers say, body and message are without them."""

    id: CommitId
    tree: TreeId
    tree_before: TreeId
    author: Person
    date: str
    subject: str
    body: str
    block: str | None
    fold: str | None

    def shown(self) -> str:
        """The commit in a few words."""
        return f"{self.id[:12]} {self.subject}"


class Lens:
    """Objects of a checkout and of the store at once, free of any configuration."""

    def __init__(self, git: Git, objects: Store) -> None:
        self._git = git
        self.objects = objects

    def canonical_patch(self, before: TreeId, after: TreeId) -> bytes:
        """The change between two trees in canonical form: diffed once, with every option of git set."""
        printed = self._git.run(*_DIFF, before, after)
        data = render_patch(parse_git_diff(printed, file="git diff"))
        parse_canonical(data, file="git diff")
        return data

    def changed_paths(self, before: TreeId, after: TreeId) -> tuple[RepoPath, ...]:
        """The paths that differ between two trees."""
        printed = self._git.run("diff-tree", "-r", "-z", "--name-only", "--no-renames", before, after)
        return tuple(RepoPath(path) for path in printed.split(b"\0")[:-1])


@contextmanager
def lens_on(directory: Path, store: Store) -> Iterator[Lens]:
    """Look at the objects of a checkout."""
    with scratch(store.git_dir, "lens-") as work:
        own = work / "own.git"
        own.mkdir()
        make_repository(own, alternates=(directory / ".git/objects", store.git_dir / "objects"))
        yield Lens(Git(git_dir=own, cwd=work), Store.open(own))


def read_branch(directory: Path, lens: Lens, base: CommitId) -> tuple[BranchCommit, ...]:
    """The commits from the base (without it) to `HEAD` in order; raises `InputFault` where they are not one line."""
    git = work_tree_git(directory)
    head = known_ref(git, "HEAD")
    listed = git.run("rev-list", "--parents", "--topo-order", "--reverse", "HEAD", f"^{base}") if head else b""
    lines = [line.split() for line in listed.decode("ascii").splitlines()]
    merges = [line[0] for line in lines if len(line) > 2]
    if merges:
        raise InputFault(*(_merge(directory, CommitId(commit)) for commit in merges))
    if head is None or (lines[0][1:] != [base] if lines else head != base):
        raise _base_lost(directory, base, head)
    trees = {base: _tree(lens, base)}
    commits = []
    for commit, parent in lines:
        commits.append(_read(lens, CommitId(commit), trees[CommitId(parent)], amending(directory, commit, head)))
        trees[CommitId(commit)] = commits[-1].tree
    return tuple(commits)


def _read(lens: Lens, commit: CommitId, before: TreeId, amend: str) -> BranchCommit:
    raw = lens.objects.commit(commit)
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(commit, "its author or message is not UTF-8", amend) from error
    head, _, message = text.partition("\n\n")
    author = next((line[7:] for line in head.split("\n") if line.startswith("author ")), "")
    found = _PERSON.fullmatch(author)
    if found is None:
        raise _unreadable(commit, f"its author line is `{author}`", amend)
    subject, body, trailers = split_message(message)
    return BranchCommit(
        id=commit,
        tree=_tree(lens, commit),
        tree_before=before,
        author=Person(name=found[1], email=found[2]),
        date=f"@{int(found[3])} {found[4]}",
        subject=subject,
        body=body,
        block=trailers.get(BLOCK_TRAILER),
        fold=trailers.get(FOLD_TRAILER),
    )


def split_message(message: str) -> tuple[str, str, dict[str, str]]:
    """Subject, body and our trailers; the trailers are those of the last paragraph, and no part of the body."""
    head, _, rest = message.strip("\n").partition("\n\n")
    paragraphs = rest.strip("\n").split("\n\n") if rest.strip("\n") else []
    trailers: dict[str, str] = {}
    if paragraphs:
        kept = []
        for line in paragraphs[-1].split("\n"):
            found = _TRAILER.fullmatch(line)
            if found is None:
                kept.append(line)
            else:
                trailers[found[1]] = found[2]
        paragraphs[-1] = "\n".join(kept)
    subject = " ".join(line.strip() for line in head.split("\n")).strip()
    return subject, "\n\n".join(paragraphs).strip("\n"), trailers


def _tree(lens: Lens, commit: CommitId) -> TreeId:
    return TreeId(lens.objects.commit(commit)[5:45].decode("ascii"))


def _merge(directory: Path, commit: CommitId) -> Diagnostic:
    return Diagnostic(
        code="sync-merge",
        message=f"commit {commit[:12]} is a merge; a stack is one line of commits",
        notes=("lay the merged commits on the branch one by one instead",),
        help=f"git -C {shlex.quote(str(directory))} rebase refs/stackproof/base",
    )


def _base_lost(directory: Path, base: CommitId, head: CommitId | None) -> InputFault:
    return InputFault(
        Diagnostic(
            code="sync-base-lost",
            message=f"the branch in {directory} does not start at the base of the release",
            notes=(f"the base is {base}", f"HEAD is {head or 'nothing'}", "a newer upstream is taken in by a bump"),
            help=f"git -C {shlex.quote(str(directory))} rebase --onto refs/stackproof/base UPSTREAM",
        )
    )


def amending(directory: Path, commit: str, head: str) -> str:
    """The command that changes a commit: the newest one is amended, one below is stopped at in a rebase."""
    git = f"git -C {shlex.quote(str(directory))}"
    if commit == head:
        return f"{git} commit --amend"
    return f"{git} rebase --interactive {commit[:12]}^  # say `edit` for it, then {git} commit --amend"


def _unreadable(commit: CommitId, what: str, amend: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="sync-commit-unreadable",
            message=f"commit {commit[:12]} cannot become a fold: {what}",
            help=f"{amend} --reset-author",
        )
    )
