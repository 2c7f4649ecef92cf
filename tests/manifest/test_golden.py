"""What users see of a broken project: whole outputs, every mistake in one run."""

from pathlib import Path

import pytest

from tests.golden.golden import assert_golden
from tests.manifest.project import ALPHA, BETA, ID, PATCH, SHA, changed, files, lay_out, lock, release
from verify.gates.kinds import KINDS
from verify.manifest.read import read_release
from verify.model.diagnostic import InputFault
from verify.report.terminal import render_diagnostics

# Fixed here, so that a new kind of gate changes no golden.
SOME_KINDS = {name: KINDS[name] for name in ("tree-equal", "golden-tokens", "arm-identity", "warm-behind-cold")}


def broken_release() -> dict[str, bytes | None]:
    document = release()
    document["nmae"] = document.pop("name")
    document["parent"] = "r 0"
    document["base"]["source"]["sha256"] = SHA[:12]
    document["base"]["source"]["vresion"] = 1.0
    document["base"]["upstream_commit"] = ID[:10].upper()
    document["configurations"]["release"] |= {"build_type": "release", "targets": [], "proofs": ["tip", "tips", "tip"]}
    document["configurations"]["release"]["options"] = {"GGML NATIVE": "OFF", "GGML_CUDA": False}
    document["models"]["tiny"]["kind"] = "generate"
    document["models"]["small"]["member"] = "../small.gguf"
    document["gates"]["golden"] |= {"model": "smal", "tokens": 0, "prompts": [], "distinct": "4", "promts": []}
    document["gates"]["trees"] = {"kind": "tree-eqal", "required": "yes"}
    document["gates"]["own"] = {
        "kind": "warm-behind-cold",
        "switch": "LLAMA_ALPA",
        "model": "small",
        "configuration": "release",
        "seen": "(",
        "precision": True,
    }
    document["reference"] = []
    return {"release.json": changed(document, "engine", to=["llama.cpp"])}


def broken_blocks() -> dict[str, bytes | None]:
    return {
        "release.json": changed(release(), "blocks", to=["beta", "alpha", "beta", "gama", "Bad Name", "delta"]),
        "blocks/gamma/block.yaml": BETA.encode(),
        "blocks/delta/folds/base/fold.patch": PATCH,
        "blocks/alpha/folds/bass/fold.patch": PATCH,
        "blocks/alpha/folds/base/fold.patch": None,
        "blocks/beta/folds/base/fold.patch": PATCH.replace(b"int c", b"int d"),
    }


BROKEN_ALPHA = r"""schema: stackproof/block/1
title: "two\nlines"
why:
until: " "
owns: [/src/a.cpp, "src/../b", "**", "src/a**", .git/config, 'a\b', src/a.cpp, src/a.cpp]
requires: alpha
switches:
  - {name: llama_alpha, off: 0, about: [x]}
  - {name: LD_PRELOAD, off: "", about: y}
  - LLAMA_BETA
claims: {no: yes}
gate: {}
gates:
  golden: {kind: golden-tokens}
  trees: {kind: arm-identity, swich: LLAMA_ALPHA}
folds:
  - id: base
    subject: Add alpha
    author: Your Name <you@example.com>
    date: 2026-01-01
    source: maintainers
    disposition: fold
  - id: base
    subject: "  spaced"
    author: Ada Lovelace
    date: "@1790000000"
    source: "tab\there"
    disposition: dropped
    body: "bell\a"
"""


def broken_alpha() -> dict[str, bytes | None]:
    return {
        "blocks/alpha/block.yaml": BROKEN_ALPHA.encode(),
        "blocks/beta/block.yaml": BETA.replace("[alpha]", "[beta, alpah, alpha]").encode(),
        "release.json": changed(release(), "blocks", to=["beta", "alpha"]),
    }


def broken_yaml() -> dict[str, bytes | None]:
    documents = {
        "a": "schema: x\n\ttitle: y\n",
        "b": "date: @1790000000 +0000\n",
        "c": ALPHA.replace("why: The", "why: &why !!str The").replace("until: upstream", "until: *why\nwhy: again #"),
        "d": "%YAML 1.1\n---\n" + BETA + "---\nmore: x\n",
        "e": "<<<<<<< ours\ntitle: x\n=======\n",
        "f": "",
        "g": "title: [unclosed\n",
        "h": BETA.replace("why: It is needed.", "why: " + "[" * 30 + "]" * 30).replace("until", "[a, b]"),
        "i": "a: 'text\n",
        "j": "schema: stackproof/block/2\nother: things\n",
        "k": "- a\n- list\n",
        "l": "owns: [*.cpp]\n",
    }
    laid: dict[str, bytes | None] = {f"blocks/{name}/block.yaml": text.encode() for name, text in documents.items()}
    return laid | {
        "release.json": changed(release(), "blocks", to=list(documents)),
        "blocks/alpha/block.yaml": None,
        "blocks/alpha/folds/base/fold.patch": None,
        "blocks/alpha/folds/base/source.patch": None,
        "blocks/beta/block.yaml": None,
        "blocks/beta/folds/base/fold.patch": None,
        "blocks/lock.json": None,
    }


def broken_bytes() -> dict[str, bytes | None]:
    return {
        "blocks/alpha/block.yaml": ALPHA.encode().replace(b"first.", b"f\xefrst."),
        "blocks/beta/block.yaml": BETA.encode().replace(b"Beta", "Be\u202eta\x1b[2J\ufeff".encode()),
        "blocks/beta/folds/base/fold.patch": PATCH.replace(b"+++ b/src/a.cpp", b"+++ b/../a.cpp"),
    }


def broken_lock() -> dict[str, bytes | None]:
    document = lock()
    document["folds"][1] = document["folds"][0] | {"tree": "1", "extra": 1}
    document["folds"][0] |= {"block": "Alpha", "patch_sha256": 7}
    document["folds"][0]["files"] = [
        {"path": "../a", "before": None, "after": {"blob": ID, "mode": "100640"}},
        {"path": '"a"', "before": {"blob": ID}, "after": None},
        {"path": "é", "before": None},
    ]
    return {"blocks/lock.json": changed(document, "schema", to="stackproof/lock/1")}


def unpinned_half() -> dict[str, bytes | None]:
    return {"release.json": changed(release(), "reference", to=None)}


def lost_lock() -> dict[str, bytes | None]:
    return {"blocks/lock.json": None}


def broken_json() -> dict[str, bytes | None]:
    return {"release.json": b'{"schema": "stackproof/release/1",\n  "name": "x",\n}\n'}


@pytest.mark.parametrize(
    "broken",
    [
        broken_release,
        broken_blocks,
        broken_alpha,
        broken_yaml,
        broken_bytes,
        broken_lock,
        unpinned_half,
        lost_lock,
        broken_json,
    ],
)
def test_every_mistake_is_told_at_once(tmp_path: Path, broken) -> None:  # type: ignore[no-untyped-def]
    laid = {name: data for name, data in (files() | broken()).items() if data is not None}
    with pytest.raises(InputFault) as fault:
        read_release(lay_out(tmp_path, laid), kinds=SOME_KINDS)
    assert_golden(broken.__name__.replace("_", "-"), render_diagnostics(fault.value.diagnostics))
