"""A small delivery on an archive, what is sealed of it, and projects that stand on its bundle."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from builder import pipeline
from builder.cli.main import app
from builder.exchange.tree_diff import patch_between
from builder.seal.below import carried_members
from builder.seal.bundle import seal
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from tests.seal.project import archive_of
from verify.diff.render import render_patch
from verify.gates import tree_equal
from verify.judge import judge
from verify.manifest.read import read_release
from verify.model.ids import RepoPath
from verify.model.patch import Mode
from verify.model.progress import Silent
from verify.model.stack import Stack
from verify.model.verdict import Holds

ARCHIVE = "engine-1.tar.gz"
LINES = "".join(f"line {number}\n" for number in range(1, 61))
BLOCK = """schema: stackproof/block/1
title: {name} of the engine
why: It is needed.
until: upstream has it
owns: ["src/**"]
folds:
  - id: base
    subject: Add {name}
    author: Grace Hopper <grace@navy.mil>
    date: "@{date} +0000"
    source: PR #{date}
    disposition: folded
"""


def lines(**changed: str) -> str:
    """src/main.c with some lines changed: `l3="three"`."""
    words = {int(key.removeprefix("l")): text for key, text in changed.items()}
    return "".join(f"{words.get(number, f'line {number}')}\n" for number in range(1, 61))


def tree(main: str) -> Files:
    """The engine with this src/main.c."""
    return {
        RepoPath(b"LICENSE"): (Mode.FILE, b"Permission is hereby granted, free of charge, to anybody.\n"),
        RepoPath(b"src/main.c"): (Mode.FILE, main.encode()),
        RepoPath(b"src/other.c"): (Mode.FILE, b"int other;\n"),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project's folder and the cache that all of them share."""

    root: Path
    cache: Path

    def run(self, *words: str, status: int = 0) -> str:
        """`stackproof WORDS` in the project, without its sandboxed or networked parts."""
        env = {"STACKPROOF_CACHE": str(self.cache), "NO_COLOR": "1", "COLUMNS": "200"}
        result = CliRunner().invoke(app, [words[0], *words[1:], "-C", str(self.root)], env=env)
        assert result.exit_code == status, result.output
        return result.output

    def json(self, *words: str, status: int = 0) -> Any:
        """The document of `stackproof WORDS --json`."""
        return json.loads(self.run(*words, "--json", status=status))

    def document(self) -> Any:
        """release.json."""
        return json.loads((self.root / "release.json").read_text())

    def stacked(self) -> tuple[pipeline.Workshop, pipeline.Stacked]:
        """The release, laid."""
        workshop = pipeline.Workshop(root=self.root, cache=self.cache, offline=True, progress=Silent())
        return workshop, pipeline.stack(pipeline.read(workshop), workshop)

    def stack(self) -> Stack:
        """The stack as it stands."""
        result = self.stacked()[1].derived.result
        assert isinstance(result, Stack), result
        return result

    def seal(self, out: Path) -> Path:
        """Its bundle, on a verdict about the trees alone."""
        workshop, stacked = self.stacked()
        stacked.keep()
        kinds = {"tree-equal": tree_equal.KIND}
        case = pipeline.case(stacked, workshop, to_build=False)
        holds = judge(release=stacked.release, case=case, kinds=kinds)
        assert isinstance(holds, Holds), holds
        assert isinstance(case.stack, Stack)
        sealed = seal(
            holds=holds, release=stacked.release, stack=case.stack, store=stacked.store, evidence=(), out=out,
            root=self.root, progress=Silent(), carried=carried_members(stacked.release.base, self.root),
        )  # fmt: skip
        return sealed.folder

    def files(self) -> dict[str, bytes]:
        """Every declared file."""
        found = [self.root / "release.json", *sorted((self.root / "blocks").rglob("*"))]
        return {str(path.relative_to(self.root)): path.read_bytes() for path in found if path.is_file()}


def on_release(bundle: Path, root: Path, *, base: str = "") -> dict[str, object]:
    """A base that pins the release in `bundle`, for a project in `root`."""
    stack = json.loads((bundle / "stack.json").read_text())
    source = {
        "kind": "release",
        "release": stack["release"],
        "digest": stack["digest"],
        "bundle": str(Path(*[".."] * len(root.relative_to(bundle.parents[1]).parts)) / bundle.parent.name / bundle.name)
        if root.is_relative_to(bundle.parents[1])
        else str(bundle),
    }
    return {"source": source | ({"base": base} if base else {}), "upstream_commit": None}


def make(
    folder: Path, root: str, *, name: str, base: dict[str, object] | None, blocks: Sequence[tuple[str, str]], start: str
) -> Project:
    """A pinned project; `blocks` are names with the src/main.c that each leaves, on one that is `start`."""
    project = Project(root=folder / root, cache=folder / "cache")
    project.root.mkdir(parents=True)
    archive = archive_of(tree(LINES), "engine-1")
    (folder / ARCHIVE).write_bytes(archive)
    if base is None:
        digest = sha256(archive).hexdigest()
        source = {"kind": "archive", "file": f"../{ARCHIVE}", "sha256": digest, "folder": "engine-1"}
        base = {"source": source, "upstream_commit": None}
    before = start
    for number, (block, after) in enumerate(blocks):
        place = project.root / "blocks" / block / "folds/base"
        place.mkdir(parents=True)
        patch = patch_between(tree_in_memory(tree(before))[0], tree_in_memory(tree(after))[0])
        (place / "fold.patch").write_bytes(render_patch(patch))
        (place / "source.patch").write_text(f"From: Grace Hopper\n\n{block} as it was submitted\n")
        text = BLOCK.format(name=block, date=1790000000 + number)
        (project.root / "blocks" / block / "block.yaml").write_text(text)
        before = after
    document = {
        "schema": "stackproof/release/1",
        "name": name,
        "parent": None,
        "engine": "engine",
        "base": base,
        "blocks": [block for block, _ in blocks],
        "configurations": {"release": {"build_type": "Release", "targets": ["main"], "proofs": ["tip"]}},
        "gates": {"trees": {"kind": "tree-equal"}},
        "reference": None,
    }
    (project.root / "release.json").write_text(json.dumps(document, indent=2) + "\n")
    project.run("pin")
    read_release(project.root)
    return project


DELIVERED = lines(l5="five of alpha", l30="thirty of beta")
BETA = lines(l5="five of alpha", l30="thirty of beta", l10="ten of gamma")
BETA_2 = lines(l5="five of alpha", l30="thirty of beta", l10="ten of gamma", l50="fifty of delta")


def delivery(folder: Path) -> Project:
    """Two blocks on the archive."""
    blocks = (("alpha", lines(l5="five of alpha")), ("beta", DELIVERED))
    return make(folder, "delivery", name="engine-1-r1", base=None, blocks=blocks, start=LINES)


def overlay(folder: Path, bundle: Path, *, root: str = "overlay", name: str = "engine-1-r1-beta") -> Project:
    """Two blocks on the delivery's bundle."""
    base = on_release(bundle, folder / root, base=f"../{ARCHIVE}")
    return make(folder, root, name=name, base=base, blocks=(("gamma", BETA), ("delta", BETA_2)), start=DELIVERED)
