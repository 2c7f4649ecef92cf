"""A maintainer's hand: submissions made from text, edits planned and written, and git asked for the same trees."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from builder.edit.change import Change, apply_change
from builder.edit.desk import Desk, open_desk
from builder.edit.offers import Offer, read_offers
from builder.edit.operations import Operation, redo, undo
from builder.edit.refresh import GIT
from builder.edit.restack import Conflict
from builder.edit.take import Asked, plan_fold
from builder.exchange.tree_diff import patch_between
from builder.tree import FileState, Obstructed, Tree, file_state
from tests.edit.workshop import Workshop
from verify.diff.render import render_patch
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.rederive import rederive

MAIL = """From {head} Mon Sep 17 00:00:00 2001
From: {author}
Date: Mon, 21 Sep 2026 14:13:20 +0000
Subject: [PATCH] {subject}

{body}
---
"""


def numbered(*changed: int, extra: Mapping[int, str] | None = None) -> str:
    """src/a.cpp with lines changed, and lines added behind some."""
    lines = []
    for number in range(1, 41):
        lines.append(f"line {number}{' changed' if number in changed else ''}\n")
        lines += [f"{(extra or {})[number]}\n"] if number in (extra or {}) else []
    return "".join(lines)


def patch_of(tree: Tree, files: Mapping[str, str | None]) -> bytes:
    """The patch from a tree to the tree with these files."""
    changes: dict[RepoPath, FileState | None] = {}
    for name, text in files.items():
        path = RepoPath(name.encode())
        changes[path] = None if text is None else file_state(text.encode(), Mode.FILE)
    after = tree.with_changes(changes)
    assert not isinstance(after, Obstructed)
    return render_patch(patch_between(tree, after))


def mail(
    patch: bytes,
    subject: str,
    *,
    author: str = "Grace Hopper <grace@navy.mil>",
    body: str = "It was needed.",
    head: str = "1" * 40,
) -> bytes:
    """A patch as git's own mail."""
    text = MAIL.format(author=author, subject=subject, body=body, head=head)
    return text.encode() + patch + b"-- \n2.45.0\n\n"


@dataclass
class Hand:
    """One maintainer at one project; every edit is a second later than the one before."""

    shop: Workshop
    at: int = 1_790_000_000
    done: list[Operation] = field(default_factory=list)

    def desk(self) -> Desk:
        return open_desk(
            root=self.shop.root, release=self.shop.release(), derived=self.shop.derived(), store=self.shop.store()
        )

    def base(self) -> Tree:
        desk = self.desk()
        return desk.tree(desk.stack.base_tree)

    def tip(self) -> Tree:
        desk = self.desk()
        return desk.tree(desk.stack.tip_tree())

    def offers(self, data: bytes, *, source: str = "PR #1", as_one: bool = False) -> tuple[Offer, ...]:
        return read_offers(data, file="pr.patch", source=source, rules=GIT, as_one=as_one)

    def fold(self, data: bytes, *, source: str = "PR #1", **asked: object) -> Change:
        desk = self.desk()
        planned = plan_fold(desk, self.offers(data, source=source), Asked(**asked), desk.blob)  # type: ignore[arg-type]
        return self.write(planned)

    def write(self, planned: Change | Conflict) -> Change:
        """Write an edit that must be possible, and let git derive the same trees."""
        assert isinstance(planned, Change), planned
        self.at += 1
        operation = apply_change(root=self.shop.root, change=planned, at=self.at, tell=lambda _: None)
        if operation is not None:
            self.done.append(operation)
        self.by_git()
        return planned

    def by_git(self) -> None:
        """The trees by git are the derived ones."""
        desk = self.desk()
        patches = [fold.patch_bytes for block in desk.release.blocks for fold in block.folds]
        trees = rederive(git_dir=self.shop.store().git_dir, base_tree=desk.stack.base_tree, patches=patches)
        assert trees == tuple(layer.after for layer in desk.stack.layers)

    def undo(self, count: int = 1) -> None:
        self.at += 1
        undo(self.shop.root, count=count, at=self.at, tell=lambda _: None)

    def redo(self, count: int = 1) -> None:
        self.at += 1
        redo(self.shop.root, count=count, at=self.at, tell=lambda _: None)

    def folds(self) -> dict[str, list[str]]:
        return {block.name: [fold.id for fold in block.folds] for block in self.shop.release().blocks}
