"""A small project with one reviewed block: its base and its fold are given as texts, and can be given anew."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from builder.cli.main import app
from tests.mini_engine.project import patch_between
from verify.diff.render import render_patch

FILE = "src/queue.cpp"
BASE = """#include "limits.h"

int clamp(int x) {
    if (x > LIMIT) {
        return LIMIT;
    }
    return x;
}

void fill(queue & q, int n) {
    for (int i = 0; i < n; i++) {
        push(q, i);
    }
    finish(q);
}

int last(const queue & q) {
    return q.items[q.size - 1];
}
"""
LIMITS = "#define LIMIT 64\n"
FOLDED = BASE.replace("        push(q, i);\n", "        push(q, clamp(i));\n")
BLOCK = """schema: stackproof/block/1
title: Bound what is pushed
why: The queue overruns.
until: upstream bounds it
owns: [src/queue.cpp]
claims:
  - kind: only-call
    says: everything is pushed in the loop
    file: src/queue.cpp
    function: fill
    call: push
    inside: for (int i = 0
folds:
  - id: bound
    subject: Bound what is pushed
    author: Ada Lovelace <ada@analytical.org>
    date: "@1790000000 +0000"
    source: maintainers
    disposition: folded
"""
GRACE = "Grace Hopper <grace@navy.mil>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command said: its exit status and its document."""

    exit: int
    document: Mapping[str, object]

    def codes(self) -> list[str]:
        diagnostics = self.document["diagnostics"]
        assert isinstance(diagnostics, list)
        return [each["code"] for each in diagnostics]

    def fold(self) -> Mapping[str, object]:
        """The one fold of `status` and `packet`."""
        folds = self.document["folds"]
        assert isinstance(folds, list)
        return dict(folds[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """The project's folder and its cache."""

    root: Path
    cache: Path

    def lay(self, base: str = BASE, folded: str = FOLDED, limits: str = LIMITS) -> None:
        """This base with this fold on it."""
        for name, text in ((FILE, base), ("src/limits.h", limits)):
            (self.root / "engine" / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / "engine" / name).write_text(text)
        folder = self.root / "blocks/bound/folds/bound"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "fold.patch").write_bytes(render_patch(patch_between({FILE: base}, {FILE: folded})))

    def say(self, *arguments: str) -> Said:
        """A command with `--json`."""
        ended = CliRunner().invoke(app, [*arguments, "-C", str(self.root), "--json"])
        document = json.loads(ended.stdout)
        return Said(exit=ended.exit_code, document=document)

    def file(self, name: str, text: str) -> str:
        """Write a file beside the project."""
        path = self.root.parent / name
        path.write_text(text)
        return str(path)

    def head(self) -> tuple[str, str]:
        """Tree and commit of the tip."""
        tip = self.say("stack").document["tip"]
        assert isinstance(tip, dict)
        return tip["tree"], tip["commit"]


def make_project(folder: Path, monkeypatch: pytest.MonkeyPatch, policy: Mapping[str, object]) -> Project:
    """The project in a folder, with this policy of reviews."""
    project = Project(root=folder / "project", cache=folder / "cache")
    project.cache.mkdir()
    monkeypatch.setenv("STACKPROOF_CACHE", str(project.cache))
    project.lay()
    (project.root / "blocks/bound/block.yaml").write_text(BLOCK)
    release = {
        "schema": "stackproof/release/1",
        "name": "engine-1-r1",
        "parent": None,
        "engine": "engine",
        "base": {"source": {"kind": "folder", "path": "engine"}, "upstream_commit": None},
        "blocks": ["bound"],
        "configurations": {
            "release": {"build_type": "Release", "options": {}, "targets": ["engine"], "proofs": ["tip"]}
        },
        "policy": {"reviews": dict(policy)},
        "reference": None,
    }
    (project.root / "release.json").write_text(json.dumps(release, indent=2) + "\n")
    return project


def junit(tree: str, commit: str, leg: str, *, failures: int = 0) -> str:
    """A report of two cases."""
    case = "<testcase name='b'/>" if not failures else "<testcase name='b'><failure/></testcase>"
    return (
        f"<testsuites><testsuite name='s'><properties><property name='stackproof.tree' value='{tree}'/>"
        f"<property name='stackproof.commit' value='{commit}'/><property name='stackproof.leg' value='{leg}'/>"
        f"</properties><testcase name='a'/>{case}</testsuite></testsuites>"
    )
