"""A small good project to break: its files as text, and how to lay them out."""

import copy
import hashlib
import json
from pathlib import Path
from typing import Any

SHA = "4b" * 32
ID = "1f" * 20

PATCH = b"""diff --git a/src/a.cpp b/src/a.cpp
--- a/src/a.cpp
+++ b/src/a.cpp
@@ -1,2 +1,2 @@
 int a;
-int b;
+int c;
"""

ALPHA = """schema: stackproof/block/1
title: Alpha turns the prefill
why: The second slot waits for the first.
until: upstream interleaves slots
owns:
  - src/a.cpp
  - src/alpha/**
switches:
  - {name: LLAMA_ALPHA, off: "0", about: interleave slots}
claims:
  - no public struct changes
gates:
  alpha-seen:
    kind: arm-identity
    switch: LLAMA_ALPHA
    model: tiny
    configuration: release
    prompts: [Once upon a time]
    exercise: tokens
    seen: "alpha: \\\\d+"
folds:
  - id: base
    subject: Add alpha
    author: Ada Lovelace <ada@analytical.org>
    date: "@1790000000 +0000"
    source: maintainers
    disposition: folded
"""

BETA = """schema: stackproof/block/1
title: Beta
why: It is needed.
until: never
owns: [src/b.cpp]
requires: [alpha]
not_taken:
  - id: pr-7
    subject: Another queue
    author: Ada Lovelace <ada@analytical.org>
    date: "@1790000000 +0000"
    source: "PR #7"
    disposition: rejected
    reason: it is slower
    numbers: 412 t/s against 431 t/s
tombstones:
  - {text: old_queue, paths: [src/**], reason: the new one took its place, source: beta/old}
folds:
  - id: base
    subject: Add beta
    author: Grace Hopper <grace@navy.mil>
    date: "@1790000001 +0200"
    source: maintainers
    disposition: partly-taken
    reason: the second half waits
"""


def release() -> dict[str, Any]:
    """A good release.json, to be changed by tests."""
    return {
        "schema": "stackproof/release/1",
        "name": "engine-1.0-r1",
        "parent": None,
        "engine": "llama.cpp",
        "base": {
            "source": {
                "kind": "sdist",
                "package": "engine-python",
                "version": "1.0",
                "sha256": SHA,
                "folder": "vendor/engine",
                "git_dir": ".git/modules/vendor/engine",
            },
            "upstream_commit": ID,
        },
        "blocks": ["alpha", "beta"],
        "configurations": {
            "release": {
                "build_type": "Release",
                "options": {"GGML_NATIVE": "OFF", "CMAKE_C_FLAGS": ""},
                "targets": ["llama-server"],
                "proofs": ["prefix", "tip"],
            }
        },
        "models": {
            "tiny": {"kind": "generated", "generator": "swa", "sha256": SHA, "licence": "MIT"},
            "small": {
                "kind": "package",
                "package": "llm-small",
                "version": "0.1.2",
                "wheel_sha256": SHA,
                "member": "llm_small/small.gguf",
                "sha256": SHA,
                "licence": "Apache-2.0",
            },
        },
        "gates": {
            "golden": {"kind": "golden-tokens", "model": "small", "configuration": "release", "prompts": ["Hello"]},
            "trees": {"kind": "tree-equal", "required": True},
        },
        "reference": {"base_tree": ID, "tip_tree": ID, "tip_commit": ID},
        "not_taken": [
            {"id": "pr-8", "subject": "A rewrite", "source": "PR #8", "disposition": "deferred", "reason": "too large"}
        ],
        "tombstones": [{"text": "rewrite_all", "reason": "it was dropped", "source": "alpha/rewrite"}],
    }


def lock() -> dict[str, Any]:
    """The lock of the good project."""
    state = {"blob": ID, "mode": "100644"}
    return {
        "schema": "stackproof/lock/1",
        "folds": [
            {
                "block": block,
                "fold": "base",
                "patch_sha256": hashlib.sha256(PATCH).hexdigest(),
                "files": [{"path": "src/a.cpp", "before": state, "after": state}],
                "tree": ID,
                "commit": ID,
            }
            for block in ("alpha", "beta")
        ],
    }


def files() -> dict[str, bytes]:
    """Every file of the good project, by its name relative to the project."""
    return {
        "release.json": json.dumps(release(), indent=2).encode(),
        "blocks/lock.json": json.dumps(lock(), indent=2, sort_keys=True).encode() + b"\n",
        "blocks/alpha/block.yaml": ALPHA.encode(),
        "blocks/alpha/folds/base/fold.patch": PATCH,
        "blocks/alpha/folds/base/source.patch": b"From somewhere\n" + PATCH,
        "blocks/beta/block.yaml": BETA.encode(),
        "blocks/beta/folds/base/fold.patch": PATCH,
    }


def lay_out(root: Path, laid: dict[str, bytes]) -> Path:
    """Write the files below `root`."""
    for name, data in laid.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return root


def changed(document: dict[str, Any], *path: str | int, to: Any) -> bytes:
    """A JSON document with one value replaced."""
    whole = copy.deepcopy(document)
    place: Any = whole
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = to
    return json.dumps(whole, indent=2).encode()
