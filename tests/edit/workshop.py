"""A small project on a folder as its base, and somebody who works on its checkout with plain git."""

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.edit.checkout import CheckedOut, checkout
from builder.edit.pin import PinPlan, apply_pin, plan_pin
from builder.edit.sync import SyncPlan, apply_sync, plan_sync
from builder.stack import Derived, derive
from builder.store import Store
from builder.upstream import import_base
from verify.manifest.read import read_release
from verify.model.progress import Silent
from verify.model.release import Release
from verify.model.stack import Stack

BASE = {
    "src/a.cpp": "".join(f"line {number}\n" for number in range(1, 41)),
    "src/b.cpp": "int b;\n",
    "README": "An engine.\n",
    "crlf.txt": "one\r\ntwo\r\n",
    ".gitattributes": "*.txt text eol=lf\n*.cpp filter=evil ident\n",
    ".gitignore": "*.log\nbuild/\n",
}

BLOCK = """# About alpha, by its author.
schema: stackproof/block/1
title: {name} turns the prefill
why: The second slot waits.
until: upstream does it   # forever?
owns: [{owns}]
folds: []
# The end.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """The project's folder, the cache and the checkout."""

    root: Path
    cache: Path
    branch: Path

    @classmethod
    def new(cls, folder: Path) -> "Workshop":
        """A project with two blocks that have no folds yet."""
        root = folder / "project"
        for name, text in BASE.items():
            file = root / "engine" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        release = {
            "schema": "stackproof/release/1",
            "name": "engine-1-r1",
            "parent": None,
            "engine": "engine",
            "base": {"source": {"kind": "folder", "path": "engine"}, "upstream_commit": None},
            "blocks": ["alpha", "beta"],
            "configurations": {
                "release": {"build_type": "Release", "options": {}, "targets": ["engine"], "proofs": ["tip"]}
            },
            "reference": None,
        }
        (root / "release.json").write_text(json.dumps(release, indent=2) + "\n")
        for name, owns in (("alpha", "src/a.cpp, new/**"), ("beta", "src/b.cpp")):
            (root / "blocks" / name).mkdir(parents=True)
            (root / "blocks" / name / "block.yaml").write_text(BLOCK.format(name=name.title(), owns=owns))
        return cls(root=root, cache=folder / "cache", branch=folder / "branch")

    def store(self) -> Store:
        return Store.open(self.cache / "objects.git")

    def release(self, *, pinned: bool = False) -> Release:
        return read_release(self.root, pinned=pinned)

    def derived(self, *, locked: bool = False) -> Derived:
        release = self.release(pinned=locked)
        store = self.store()
        base = import_base(
            base=release.base, store=store, cache=self.cache, offline=True, progress=Silent(), root=self.root
        )
        return derive(
            blocks=release.blocks,
            lock=release.lock if locked else None,
            base_tree=base.tree,
            base_commit=base.commit,
            source=store,
        )

    def stack(self) -> Stack:
        result = self.derived().result
        assert isinstance(result, Stack), result
        return result

    def checkout(self, directory: Path | None = None) -> CheckedOut:
        derived = self.derived()
        assert isinstance(derived.result, Stack), derived.result
        return checkout(
            name=self.release().name,
            stack=derived.result,
            objects=derived.objects,
            store=self.store(),
            directory=directory or self.branch,
        )

    def plan(self, **assign: str) -> SyncPlan:
        return self.plan_with({name.replace("_", "~"): fold for name, fold in assign.items()})

    def plan_with(self, assign: Mapping[str, str]) -> SyncPlan:
        return plan_sync(
            root=self.root,
            release=self.release(),
            stack=self.stack(),
            store=self.store(),
            directory=self.branch,
            assign=assign,
        )

    def sync(self, assign: Mapping[str, str] | None = None) -> SyncPlan:
        plan = self.plan_with(assign or {})
        apply_sync(root=self.root, plan=plan, tell=lambda _: None)
        return plan

    def pin(self) -> PinPlan:
        plan = plan_pin(root=self.root, release=self.release(), stack=self.stack())
        apply_pin(root=self.root, plan=plan, tell=lambda _: None)
        return plan

    def files(self) -> dict[str, bytes]:
        """Every file of the project that is declared."""
        found = [self.root / "release.json", *sorted((self.root / "blocks").rglob("*"))]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found if path.is_file()}

    def git(self, *args: str) -> str:
        """Plain git in the checkout, as its user runs it."""
        env = {
            "PATH": os.environ["PATH"],
            "HOME": str(self.cache.parent),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "Ada Lovelace",
            "GIT_AUTHOR_EMAIL": "ada@analytical.org",
            "GIT_AUTHOR_DATE": "@1790000000 +0200",
            "GIT_COMMITTER_NAME": "Ada Lovelace",
            "GIT_COMMITTER_EMAIL": "ada@analytical.org",
            "GIT_COMMITTER_DATE": "@1790000100 +0200",
            "GIT_EDITOR": "true",
        }
        done = subprocess.run(["git", *args], cwd=self.branch, env=env, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode().strip()

    def commit(self, message: str, **files: str) -> str:
        """Write files (`src__a` is src/a.cpp) and commit them."""
        for name, text in files.items():
            path = self.branch / (name.replace("__", "/") + ".cpp")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def with_two_folds(self) -> "Workshop":
        """The project with one fold in each block, pinned, and checked out anew."""
        self.checkout()
        first = self.commit("Turn line 3\n\nIt was wrong.\n\nCo-authored-by: B <b@c.org>", src__a=edited(3))
        second = self.commit("Change b", src__b="int c;\n")
        self.sync({first: "alpha/turn", second: "beta/change"})
        self.pin()
        self.checkout()
        return self


def edited(*numbers: int) -> str:
    """src/a.cpp with some lines changed."""
    return "".join(f"line {number}{' changed' if number in numbers else ''}\n" for number in range(1, 41))
