"""A small whole project that holds: an archive as its base, two blocks, three folds, a verdict on made-up evidence.

The engine is a few files (text, a program, a binary one, a link); the measurements are invented, everything else
(import, stack, lock, judge) is real.
"""

import gzip
import io
import json
import shutil
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

from builder.compile.build import Built
from builder.exchange.tree_diff import patch_between
from builder.review.add import Terms, plan_review
from builder.review.survey import Reviewed
from builder.seal.bundle import Sealed, seal
from builder.seal.give import Wanted
from builder.seal.place import FOLDER_DISK, FolderDisk
from builder.stack import Derived, derive, make_lock
from builder.store import Store
from builder.upstream import import_base
from tests.core.memory import tree_in_memory
from tests.core.real_git import Files
from verify.diff.render import render_patch
from verify.evidence import make_key
from verify.gates import tree_equal
from verify.gates.case import Case, Recorded, Rederived
from verify.gates.kind import AnyKind, Kind, Scope
from verify.judge import judge
from verify.manifest.claims import NO_CLAIMS
from verify.manifest.lock import render_lock
from verify.manifest.read import read_release
from verify.model.block import Person
from verify.model.evidence import BuildNeed, Evidence, Need
from verify.model.ids import ConfigName, RepoPath, Sha256
from verify.model.observation import Artifact, BuildObservation, encode_observation
from verify.model.patch import Mode
from verify.model.progress import Silent
from verify.model.release import Release
from verify.model.review import Decision
from verify.model.stack import Stack
from verify.model.verdict import Failed, Holds, Outcome, Passed
from verify.rederive import rederive
from verify.review.standing import Standings

NAME = "engine-1-r1"
ARCHIVE = "engine-1.tar.gz"
MAIN = b"".join(b"line %d\n" % number for number in range(1, 61))
LICENCE = (Mode.FILE, b"Permission is hereby granted, free of charge, to anybody.\n")
VENDORED = (Mode.FILE, b"/* SPDX-License-Identifier: BSD-3-Clause */\nint small;\n/* more */\n")
STATES: tuple[Files, ...] = (
    {
        RepoPath(b"LICENSE"): LICENCE,
        RepoPath(b"vendor/small/small.h"): VENDORED,
        RepoPath(b"src/main.c"): (Mode.FILE, MAIN),
        RepoPath(b"src/old name.c"): (Mode.FILE, b"int old;\n"),
        RepoPath(b"data.bin"): (Mode.FILE, b"\0\1\2one\n" * 20),
        RepoPath(b"run.sh"): (Mode.FILE, b"#!/bin/sh\nexec main\n"),
        RepoPath(b"latest"): (Mode.SYMLINK, b"src/main.c"),
    },
    {
        RepoPath(b"LICENSE"): LICENCE,
        RepoPath(b"vendor/small/small.h"): VENDORED,
        RepoPath(b"src/main.c"): (Mode.FILE, MAIN.replace(b"line 9\n", b"line nine\n").replace(b"line 50\n", b"")),
        RepoPath(b"src/old name.c"): (Mode.FILE, b"int old;\n"),
        RepoPath(b"data.bin"): (Mode.FILE, b"\0\1\2two\n" * 21),
        RepoPath(b"run.sh"): (Mode.EXECUTABLE, b"#!/bin/sh\nexec main\n"),
        RepoPath(b"latest"): (Mode.SYMLINK, b"src/main.c"),
    },
    {
        RepoPath(b"LICENSE"): LICENCE,
        RepoPath(b"vendor/small/small.h"): VENDORED,
        RepoPath(b"src/main.c"): (Mode.FILE, MAIN.replace(b"line 9\n", b"line 9 again\n").replace(b"line 50\n", b"")),
        RepoPath(b"src/new.c"): (Mode.FILE, b"int new;"),
        RepoPath(b"data.bin"): (Mode.FILE, b"\0\1\2two\n" * 21),
        RepoPath(b"run.sh"): (Mode.EXECUTABLE, b"#!/bin/sh\nexec main\n"),
        RepoPath(b"latest"): (Mode.SYMLINK, b"src/new.c"),
    },
    {
        RepoPath(b"LICENSE"): LICENCE,
        RepoPath(b"vendor/small/small.h"): VENDORED,
        RepoPath(b"src/main.c"): (Mode.FILE, MAIN.replace(b"line 9\n", b"line 9 again\n") + b"the end\n"),
        RepoPath(b"src/new.c"): (Mode.FILE, b"int new;"),
        RepoPath(b"run.sh"): (Mode.EXECUTABLE, b"#!/bin/sh\nexec main\n"),
        RepoPath(b"latest"): (Mode.SYMLINK, b"src/new.c"),
    },
)
FOLDS = (("alpha", "base"), ("alpha", "pr-7"), ("beta", "base"))
Folds = tuple[tuple[str, str], ...]
BLOCK = """schema: stackproof/block/1
title: {name} of the engine
why: It is needed.
until: upstream has it
owns: ["**/*.c", run.sh, data.bin, latest]
gates:
  {name}-built: {{kind: measured}}
folds:
"""
FOLD = """  - id: {fold}
    subject: Add {fold} to {block}
    body: |
      Why it is so.

      Reviewed-by: Ada Lovelace <ada@analytical.org>
    author: Grace Höpper <grace@navy.mil>
    date: "@{date} +0130"
    source: maintainers
    disposition: folded
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Params:
    """None."""


def needs(params: Params, case: Case) -> tuple[Need, ...]:
    return (BuildNeed(tree=case.tip_tree() or case.base_tree, configuration=ConfigName("release")),)


def check(params: Params, case: Case) -> Outcome:
    seen = [recorded.observation.ok for recorded in case.builds.values()]
    return Passed(summary="it was built") if seen == [True] else Failed(summary="it was not built", findings=())


MEASURED: AnyKind = Kind(
    name="measured",
    about="",
    scope=Scope.ANY,
    standing=False,
    structural=False,
    params=Params,
    needs=needs,
    check=check,
)
KINDS = {"tree-equal": tree_equal.KIND, "measured": MEASURED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project that holds, ready to be sealed."""

    root: Path
    store: Store
    release: Release
    stack: Stack
    case: Case
    holds: Holds
    evidence: tuple[Evidence, ...]
    wanted: Wanted
    standings: Standings | None = None

    def built(self) -> dict[BuildNeed, Built]:
        """The tip's build as a bench has it."""
        need = BuildNeed(tree=self.stack.tip_tree(), configuration=ConfigName("release"))
        seen = self.case.builds[need].observation
        folder = self.wanted.builds[need.configuration]
        return {need: Built(need=need, key=self.evidence[0].key, observation=seen, folder=folder, reused=True)}

    @property
    def archive(self) -> Path:
        """The base."""
        return self.root / ARCHIVE

    def seal(
        self, out: Path, *, disk: FolderDisk = FOLDER_DISK, key: Path | None = None, parent: Path | None = None
    ) -> Sealed:
        """Seal it."""
        return seal(
            holds=self.holds, release=self.release, stack=self.stack, store=self.store, evidence=self.evidence, out=out,
            root=self.root, progress=Silent(), disk=disk, wanted=replace(self.wanted, key=key, parent=parent),
            standings=self.standings,
        )  # fmt: skip


def archive_of(files: Files, top: str) -> bytes:
    """A tar archive of these files below one folder, the same bytes every time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for path, (mode, data) in sorted(files.items()):
            member = tarfile.TarInfo(f"{top}/{path.decode()}")
            if mode is Mode.SYMLINK:
                member.type, member.linkname = tarfile.SYMTYPE, data.decode()
                archive.addfile(member)
            else:
                member.size = len(data)
                member.mode = 0o755 if mode is Mode.EXECUTABLE else 0o644
                archive.addfile(member, io.BytesIO(data))
    return gzip.compress(packed.getvalue(), mtime=0)


def make_project(
    folder: Path,
    *,
    name: str = NAME,
    seconds: float = 1.5,
    folds: Folds = FOLDS,
    flavour: str = "",
    image: bool = False,
    parent: str | None = None,
    reviews: dict[str, object] | None = None,
    reviewer_key: Path | None = None,
) -> Project:
    """Write the project to `folder`/project, derive and pin it, and have it judged.

    An image takes its time, so that only some tests have one. Two flavours have the same names of files and no content
    in common. With `reviews`, the policy of reviews, block alpha is approved, signed with `reviewer_key`.
    """
    root = folder / "project"
    root.mkdir(parents=True)
    states = [_flavoured(files, flavour) for files in STATES]
    packed = archive_of(states[0], "engine-1")
    (root / ARCHIVE).write_bytes(packed)
    _write_blocks(root, folds, states, flavour)
    document: dict[str, object] = {
        "schema": "stackproof/release/1",
        "name": name,
        "parent": parent,
        "engine": "engine",
        "base": {
            "source": {"kind": "archive", "file": ARCHIVE, "sha256": sha256(packed).hexdigest(), "folder": "engine-1"},
            "upstream_commit": None,
        },
        "blocks": list(dict.fromkeys(block for block, _ in folds)),
        "configurations": {"release": {"build_type": "Release", "targets": ["main"], "proofs": ["tip"]}},
        "artifacts": {
            "binaries": {"release": {"without": ["test-*"], "smoke": ["main --version"]}},
            "image": {"configuration": "release", "program": "main", "arguments": ["--help"]} if image else None,
        },
        "gates": {"trees": {"kind": "tree-equal"}, "optional": {"kind": "measured", "required": False}},
        "policy": {"reviews": reviews} if reviews is not None else None,
        "reference": None,
    }
    _write_release(root, document)
    store = Store.open(folder / "objects.git")
    release = read_release(root, kinds=KINDS, pinned=False)
    stack = _derive(release, store, root)
    document["reference"] = {
        "base_tree": stack.base_tree,
        "tip_tree": stack.tip_tree(),
        "tip_commit": stack.tip_commit(),
    }
    _write_release(root, document)
    (root / "blocks/lock.json").write_bytes(render_lock(make_lock(stack, release.blocks)))
    release = read_release(root, kinds=KINDS)
    standings = None
    if reviews is not None:
        release, standings = _approved(root, release, stack, store, reviewer_key)
    built = build_by_hand(folder / "built")
    case, evidence = _measured(release, stack, store, seconds, built)
    holds = judge(release=release, case=case, kinds=KINDS)
    assert isinstance(holds, Holds), holds
    return Project(
        root=root, store=store, release=release, stack=stack, case=case, holds=holds, evidence=(evidence,),
        wanted=Wanted(builds={ConfigName("release"): built}), standings=standings,
    )  # fmt: skip


def _approved(root: Path, release: Release, stack: Stack, store: Store, key: Path | None) -> tuple[Release, Standings]:
    """The release with a review of its first block on record."""
    reviewed = Reviewed(release, stack, store, Derived(result=stack, findings=(), objects=()))
    terms = Terms(
        reviewer=Person(name="Ada Lovelace", email="ada@analytical.org"), date="@1790000100 +0000",
        decision=Decision.APPROVED, scope="all of it", claims=NO_CLAIMS, conditions=(), non_claims=(),
    )  # fmt: skip
    for name, data in plan_review(reviewed, release.blocks[0], (), terms, key=key).contents:
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(data)
    release = read_release(root, kinds=KINDS)
    again = Reviewed(release, stack, store, Derived(result=stack, findings=(), objects=()))
    return release, again.survey().standings


def build_by_hand(folder: Path) -> Path:
    """What a build would have kept: a real program that answers, a test of the engine, a library and its link."""
    (folder / "bin").mkdir(parents=True)
    for name in ("main", "test-main", "libmain.so.0"):
        shutil.copyfile("/bin/true", folder / "bin" / name)
        (folder / "bin" / name).chmod(0o755)
    (folder / "bin/libmain.so").symlink_to("libmain.so.0")
    return folder


def _write_release(root: Path, document: object) -> None:
    (root / "release.json").write_text(json.dumps(document, indent=2) + "\n", "utf-8")


def _flavoured(files: Files, flavour: str) -> Files:
    return {path: (mode, data.replace(b"line", b"line" + flavour.encode())) for path, (mode, data) in files.items()}


def _write_blocks(root: Path, folds: Folds, states: Sequence[Files], flavour: str) -> None:
    (root / "blocks").mkdir()
    texts: dict[str, str] = {}
    for number, (block, fold) in enumerate(folds):
        old, new = states[number], states[number + 1]
        before, after = tree_in_memory(old)[0], tree_in_memory(new)[0]
        patch = patch_between(before, after)
        place = root / "blocks" / block / "folds" / fold
        place.mkdir(parents=True)
        (place / "fold.patch").write_bytes(render_patch(patch))
        if fold == "pr-7":
            (place / "source.patch").write_text(f"From: somebody\n\nas it was submitted{flavour}\n", "utf-8")
        texts.setdefault(block, BLOCK.format(name=block + flavour))
        texts[block] += FOLD.format(block=block, fold=fold, date=1790000000 + number)
    for block, text in texts.items():
        (root / "blocks" / block / "block.yaml").write_text(text, "utf-8")


def _derive(release: Release, store: Store, root: Path) -> Stack:
    base = import_base(
        base=release.base, store=store, cache=root.parent / "cache", offline=True, progress=Silent(), root=root
    )
    derived = derive(blocks=release.blocks, lock=None, base_tree=base.tree, base_commit=base.commit, source=store)
    assert isinstance(derived.result, Stack), derived.findings
    store.write(derived.objects)
    return derived.result


def _measured(release: Release, stack: Stack, store: Store, seconds: float, built: Path) -> tuple[Case, Evidence]:
    patches = [fold.patch_bytes for block in release.blocks for fold in block.folds]
    need = BuildNeed(tree=stack.tip_tree(), configuration=ConfigName("release"))
    seen = BuildObservation(
        ok=True, failed_step="", errors=(), warnings=(), steps=3, compiled=3, cache_hits=0, cpu_seconds=seconds,
        wall_seconds=seconds, peak_kib=1000, artifacts=_artifacts(built), log="log", tail=(),
    )  # fmt: skip
    key = make_key(
        "build",
        {"tree": stack.tip_tree(), "build_type": "Release", "options": "", "targets": "main", "recipe": "by-hand/1",
         "toolchain": "0" * 64, "machine": "Linux x86_64"},
    )  # fmt: skip
    made = Evidence(
        key=key, observation=encode_observation(seen), made_by="local", made_on="a machine",
        made_at="2026-10-01T00:00:00Z", seconds=seconds,
    )  # fmt: skip
    case = Case(
        release=release,
        base_tree=stack.base_tree,
        base_paths=tuple(STATES[0]),
        stack=stack,
        rederived=Rederived(trees=rederive(git_dir=store.git_dir, base_tree=stack.base_tree, patches=patches)),
        builds={need: Recorded(key=key.digest, observation=seen)},
    )
    return case, made


def _artifacts(built: Path) -> tuple[Artifact, ...]:
    paths = [path for path in sorted((built / "bin").iterdir()) if not path.is_symlink()]
    return tuple(
        Artifact(name=path.name, sha256=Sha256(sha256(path.read_bytes()).hexdigest()), size=path.stat().st_size)
        for path in paths
    )
