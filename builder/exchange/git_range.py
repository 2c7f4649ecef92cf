"""A range of a git repository, `BASE..TIP`, as a project: one fold for each commit, in order.

Merges are refused: a fold is one change on one tree. A commit that `stackproof export git` made names its block and
fold in its trailers, and goes back into them.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from builder.commit import BLOCK_TRAILER, FOLD_TRAILER
from builder.exchange.lay_submission import Rules
from builder.exchange.project import write_project
from builder.exchange.stack_in import StackIn, Submission, slug, take_in
from builder.exchange.tree_diff import patch_between
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.diff.mail import Message
from verify.diff.render import render_patch
from verify.diff.submission import Dialect
from verify.model.block import Person
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import BlockName, CommitId, TreeId, is_name

_MOST_COMMITS = 100_000
_WHO = re.compile(r"(.*) <(.*)> (\d+) ([+-]\d{4})", re.DOTALL)
_TRAILERS = re.compile(rf"(?:\A|\n)(?:\n)?{BLOCK_TRAILER}: (\S+)\n{FOLD_TRAILER}: (\S+)\n*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class RawCommit:
    """A commit as git stores it, taken apart."""

    id: CommitId
    tree: TreeId
    parents: tuple[CommitId, ...]
    author: Person
    date: str
    text: str


def import_range(*, repository: Path, revisions: str, block: str | None, out: Path) -> StackIn:
    """Read `BASE..TIP` and write the project; raises `InputFault` for merges and for a base that is no ancestor."""
    store = Store.open(git_dir_of(repository))
    base_spec, dots, tip_spec = revisions.partition("..")
    if not dots or not base_spec or tip_spec.startswith("."):
        raise _fault("range-wrong", f"`{revisions}` is not BASE..TIP", help_="git log --oneline BASE..TIP")
    base, tip = store.resolve(base_spec), store.resolve(tip_spec or "HEAD")
    commits = _between(store, base, tip)
    name = slug(out.absolute().name)
    overlay = Overlay(store)
    base_tree = Tree.at(overlay, read_commit(store, base).tree)
    submissions = []
    before = base_tree
    for commit in commits:
        after = Tree.at(overlay, commit.tree)
        submissions.append(_submission(commit, before, after, BlockName(block or name)))
        before = after
    taken = take_in(submissions, base_tree, base, titles={BlockName(block or name): f"Commits {revisions}"})
    if taken.tip.id != before.id:
        raise ValueError("the imported range ends in another tree than its last commit")
    write_project(
        out,
        name=name,
        source={"kind": "git", "repository": str(repository.absolute()), "commit": base},
        upstream_commit=base,
        blocks=taken.blocks,
        stack=taken.stack,
        sources={},
    )
    return taken


def git_dir_of(repository: Path) -> Path:
    """The git folder of a work tree, or of a bare repository."""
    inner = repository / ".git"
    if inner.is_file():
        line = inner.read_text("utf-8", "surrogateescape").strip()
        return repository / line.removeprefix("gitdir:").strip()
    git_dir = inner if inner.is_dir() else repository
    if not (git_dir / "HEAD").exists():
        raise _fault("repository-missing", f"{repository} is no git repository", help_=f"git -C {repository} status")
    return git_dir


def read_commit(store: Store, commit: CommitId) -> RawCommit:
    """A commit of the store."""
    head, _, text = store.commit(commit).decode("utf-8", "surrogateescape").partition("\n\n")
    fields = [line.partition(" ")[::2] for line in head.split("\n") if not line.startswith(" ")]
    who = _WHO.fullmatch(next((value for key, value in fields if key == "author"), ""))
    return RawCommit(
        id=commit,
        tree=TreeId(next(value for key, value in fields if key == "tree")),
        parents=tuple(CommitId(value) for key, value in fields if key == "parent"),
        author=Person(name=who[1], email=who[2]) if who else Person(name="", email=""),
        date=f"@{who[3]} {who[4]}" if who else "@0 +0000",
        text=text,
    )


def _between(store: Store, base: CommitId, tip: CommitId) -> list[RawCommit]:
    """The commits from the base (without) to the tip, oldest first."""
    found: list[RawCommit] = []
    at = tip
    while at != base:
        commit = read_commit(store, at)
        if len(commit.parents) > 1:
            raise _fault(
                "range-merge",
                f"commit {at} is a merge, and a fold is one change on one tree",
                help_=f"git rebase {base} (without merges) on a branch of its own, then import that",
            )
        if not commit.parents or len(found) >= _MOST_COMMITS:
            raise _fault(
                "range-unrelated",
                f"commit {base} is no ancestor of {tip}",
                help_=f"git merge-base {base} {tip}",
            )
        found.append(commit)
        at = commit.parents[0]
    return found[::-1]


def _submission(commit: RawCommit, before: Tree, after: Tree, block: BlockName) -> Submission:
    data = render_patch(patch_between(before, after))
    trailers = _TRAILERS.search(commit.text)
    fold = commit.id[:12]
    text = commit.text
    if trailers is not None and is_name(trailers[1]) and is_name(trailers[2]):
        block, fold = BlockName(trailers[1]), trailers[2]
        text = text[: trailers.start()]
    subject, body = split_message(text)
    if trailers is None:
        fold = f"{slug(subject)[:56].strip('-.+')}-{commit.id[:8]}"
    message = Message(text=data, first_line=1, subject=subject, body=body, author=commit.author, date=commit.date)
    return Submission(
        block=block,
        fold=fold,
        data=data,
        messages=(message,),
        rules=Rules(dialect=Dialect.GIT),
        file=f"commit {commit.id}",
        source=f"commit {commit.id}",
        subject=f"Commit {commit.id[:12]}",
    )


def split_message(text: str) -> tuple[str, str]:
    """A commit message's subject (its first paragraph on one line) and its body."""
    first, _, body = text.strip("\n").partition("\n\n")
    return " ".join(first.split("\n")).strip(), body.strip("\n")


def _fault(code: str, message: str, *, help_: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, help=help_))
