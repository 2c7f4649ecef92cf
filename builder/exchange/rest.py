"""The rest: what a reference from outside has that the named blocks do not give, as a block that somebody owns.

A fork's branch, an archive or a combined diff may hold more than its patches. That difference is computed from the
two trees, shown, and kept as the one fold of the block `rest`; taken in as it is, it makes the stack end in the
reference's tree.
"""

from pathlib import Path

from builder.exchange.folder_tree import folder_tree
from builder.exchange.git_range import git_dir_of, read_commit
from builder.exchange.lay_submission import Rules
from builder.exchange.stack_in import Submission, take_in
from builder.exchange.tree_diff import patch_between
from builder.store import Store
from builder.tree import Overlay, Tree
from verify.diff.mail import Message
from verify.diff.render import render_patch
from verify.diff.submission import Dialect
from verify.model.block import Block, Person
from verify.model.ids import BlockName, CommitId

REST = BlockName("rest")
_WHO = Person(name="stackproof", email="maintainers@stackproof.dev")


def reference_tree(text: str) -> Tree:
    """The tree of a reference: a folder as it lies on disk, or `REPO:REV`, a commit of a git repository."""
    folder = Path(text)
    repository, colon, revision = text.rpartition(":")
    if folder.is_dir() or not colon or not repository:
        return folder_tree(folder)
    store = Store.open(git_dir_of(Path(repository)))
    return Tree.at(Overlay(store), read_commit(store, store.resolve(revision or "HEAD")).tree)


def rest_submission(tip: Tree, reference: Tree, *, source: str) -> Submission | None:
    """The change from the tip to the reference; None when there is none."""
    patch = patch_between(tip, reference)
    if not patch.files:
        return None
    data = render_patch(patch)
    subject = "What no other block gives"
    message = Message(text=data, first_line=1, subject=subject, body="", author=_WHO, date="@0 +0000")
    return Submission(
        block=REST,
        fold="rest",
        data=data,
        messages=(message,),
        rules=Rules(dialect=Dialect.GIT, drop_empty=False),
        file="rest",
        source=source,
        subject=subject,
    )


def rest_block(tip: Tree, reference: Tree, *, source: str) -> Block | None:
    """The block `rest` on the tip; None when the reference holds nothing more."""
    submission = rest_submission(tip, reference, source=source)
    if submission is None:
        return None
    taken = take_in([submission], tip, CommitId("0" * 40), titles={REST: submission.subject})
    return taken.blocks[0]
