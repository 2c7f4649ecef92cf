"""The schemas say of one file what the reader says, and the written ones are those that are rendered."""

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tests.manifest.project import ALPHA, BETA, files, lay_out, lock, release
from verify.gates.kinds import KINDS
from verify.manifest.document import open_document
from verify.manifest.mistakes import Mistakes
from verify.manifest.node import Form, Listing, Node, Scalar, Table
from verify.manifest.read import read_release
from verify.manifest.schema import block_schema, deviations_schema, lock_schema, release_schema, render
from verify.model.diagnostic import InputFault

SCHEMAS = Path(__file__).parents[2] / "docs" / "schema"

# What files say together, or what takes more than a schema: the schemas accept these.
BEYOND_SCHEMAS = {
    "bad-path",
    "base-release-cycle",
    "upstream-commit-inherited",
    "deviation-not-waivable",
    "deviation-number-reused",
    "deviation-numbers",
    "block-file-missing",
    "block-unlisted",
    "duplicate-name",
    "file-unfit",
    "fold-unlisted",
    "lock-file-missing",
    "lock-patch",
    "patch-missing",
    "placeholder-author",
    "reference-missing",
    "unknown-block",
    "unknown-configuration",
    "unknown-gate",
    "unknown-model",
    "unknown-switch",
}

OTHER_TYPES: tuple[object, ...] = (
    None,
    True,
    1.5,
    "abc",
    [],
    ["abc", "abc"],
    [None],
    {},
    {"abc": None},
    {"X Y": {}},
    ...,
)
OTHER_TEXTS: tuple[object, ...] = (
    0,
    "",
    " ",
    "x y",
    "-x",
    "X",
    "two\nlines",
    " outer",
    "a/../b",
    "/abs",
    "a\\b",
    "0" * 40,
    "0" * 64,
    "A" * 64,
)


def value_of(node: Node) -> Any:
    """What a JSON Schema is held against: plain scalars as an editor takes them."""
    match node:
        case Scalar(form=Form.QUOTED, text=text):
            return text
        case Scalar(text=text):
            try:
                return json.loads(text or "null")
            except ValueError:
                return text
        case Listing(items=items):
            return [value_of(item) for item in items]
        case Table(entries=entries):
            return {entry.key.text: value_of(entry.value) for entry in entries}
        case _:
            raise AssertionError(node)


def as_value(name: str, text: str) -> Any:
    mistakes = Mistakes()
    found = value_of(open_document(name, text.encode(), mistakes).node)
    mistakes.raise_if_any()
    return found


def paths(value: Any, prefix: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a document but its top."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*prefix, key)
        yield from paths(child, (*prefix, key))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        document = document[key]
    return document


def variants(document: Any) -> Iterator[tuple[str, Any]]:
    """The document with each place left out, replaced by each value, and given a field that nobody knows."""
    yield "as it is", document
    for path in paths(document):
        for value in OTHER_TYPES + (OTHER_TEXTS if isinstance(at(document, path), str) else ()):
            whole = copy.deepcopy(document)
            place = at(whole, path[:-1])
            if value is ...:
                del place[path[-1]]
            else:
                place[path[-1]] = value
            yield f"{path} = {value!r}", whole
        whole = copy.deepcopy(document)
        place = at(whole, path)
        if isinstance(place, dict):
            place["Un known"] = "x"
            yield f"{path} with one more", whole


def reader_accepts(root: Path) -> bool:
    try:
        read_release(root)
    except InputFault as fault:
        return {found.code for found in fault.diagnostics} <= BEYOND_SCHEMAS
    return True


def disagreements(root: Path, name: str, schema: dict[str, Any], document: Any) -> list[str]:
    validator = Draft202012Validator(schema)
    found = []
    for what, variant in variants(document):
        (root / name).write_text(json.dumps(variant))
        by_reader, by_schema = reader_accepts(root), validator.is_valid(variant)
        if by_reader != by_schema:
            found.append(f"{what}: reader {by_reader}, schema {by_schema}")
    return found


def lay_out_with(root: Path, *blocks: str) -> Path:
    """The good project with these blocks alone, not pinned: little to read, many times."""
    document = release() | {"blocks": list(blocks), "reference": None}
    laid = {name: data for name, data in files().items() if name.split("/")[1:2] and name.split("/")[1] in blocks}
    return lay_out(root, laid | {"release.json": json.dumps(document).encode()})


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    (tmp_path / "blocks").mkdir()
    return lay_out_with(tmp_path)


def test_release_json_is_read_as_its_schema_says(bare: Path) -> None:
    document = release() | {"blocks": ["alpha"]}
    assert disagreements(bare, "release.json", release_schema(KINDS), document) == []


@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_block_yaml_is_read_as_its_schema_says(tmp_path: Path, name: str) -> None:
    root = lay_out_with(tmp_path, name)
    document = as_value("block.yaml", {"alpha": ALPHA, "beta": BETA}[name])
    assert disagreements(root, f"blocks/{name}/block.yaml", block_schema(KINDS), document) == []


def test_the_lock_is_read_as_its_schema_says(bare: Path) -> None:
    document = lock()
    del document["folds"][1]
    assert disagreements(bare, "blocks/lock.json", lock_schema(), document) == []


def test_the_register_of_deviations_is_read_as_its_schema_says(bare: Path) -> None:
    entry = {
        "number": 1,
        "gate": "golden",
        "finding": "golden-differs",
        "names": ["prompt-0"],
        "reason": "It rounds otherwise.",
        "evidence": ["seen twice"],
        "owner": "Grace Hopper <grace@navy.mil>",
        "since": "2026-11-01",
        "until": {"trigger": "date", "day": "2027-01-01"},
    }
    ended = {"number": 2, "gate": "gone", "ended": "Upstream mended it."}
    document = {"schema": "stackproof/deviations/1", "last": 2, "accepted": [entry], "ended": [ended]}
    assert disagreements(bare, "blocks/deviations.yaml", deviations_schema(), document) == []


@pytest.mark.parametrize("name", ["hardware", "policy"])
def test_hardware_and_policy_are_read_as_their_schema_says(bare: Path, name: str) -> None:
    signers = {"box": {"role": "ci", "key": "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5"}}
    given = {"hardware": {"gpu": "One GPU"}, "policy": {"evidence": {"counts": ["ci", "local"], "signers": signers}}}[
        name
    ]
    validator = Draft202012Validator(release_schema(KINDS)["properties"][name])
    for what, variant in variants({name: given}):
        if name in variant:
            (bare / "release.json").write_text(json.dumps(release() | {"blocks": [], "reference": None} | variant))
            assert reader_accepts(bare) == validator.is_valid(variant[name]), what


@pytest.mark.parametrize(
    "source",
    [
        {"kind": "folder", "path": "../engine"},
        {"kind": "archive", "file": "a.tar", "sha256": "0" * 64, "folder": "."},
        {"kind": "git", "repository": "https://git.host/x", "commit": "0" * 40},
    ],
)
def test_every_kind_of_base_is_read_as_its_schema_says(bare: Path, source: dict[str, str]) -> None:
    schema = release_schema(KINDS)["properties"]["base"]["properties"]["source"]
    validator = Draft202012Validator(schema)
    for what, variant in variants(source):
        document = release()
        document["base"]["source"] = variant
        (bare / "release.json").write_text(json.dumps(document | {"blocks": [], "reference": None}))
        assert reader_accepts(bare) == validator.is_valid(variant), what


@pytest.mark.parametrize(
    "glob",
    ["a", "a/**", "**/b", "a/*.c?", "a[1]/b", "a..b/c", "*", "**/*", "a//b", "a/", "./a", ".GIT/x", ".gitx", "a**"],
)
def test_globs_are_read_as_the_schema_says(tmp_path: Path, glob: str) -> None:
    good = lay_out_with(tmp_path, "beta")
    (good / "blocks/beta/block.yaml").write_text(BETA.replace("[src/b.cpp]", json.dumps([glob])))
    owns = Draft202012Validator(block_schema(KINDS)["properties"]["owns"])
    assert reader_accepts(good) == owns.is_valid([glob])


def test_every_schema_is_a_schema() -> None:
    for schema in (release_schema(KINDS), block_schema(KINDS), lock_schema()):
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("name", ["release", "block", "lock", "deviations"])
def test_the_written_schemas_are_the_rendered_ones(name: str) -> None:
    rendered = {
        "release": release_schema(KINDS),
        "block": block_schema(KINDS),
        "lock": lock_schema(),
        "deviations": deviations_schema(),
    }[name]
    hint = "python -m verify.manifest.schema docs/schema"
    assert (SCHEMAS / f"{name}.json").read_bytes() == render(rendered), hint


def test_the_release_and_the_blocks_of_this_project_fit_their_schemas() -> None:
    root = SCHEMAS.parents[1]
    for name, schema in (("release.json", release_schema(KINDS)), ("blocks/lock.json", lock_schema())):
        Draft202012Validator(schema).validate(json.loads((root / name).read_bytes()))
    for path in sorted((root / "blocks").glob("*/block.yaml")):
        Draft202012Validator(block_schema(KINDS)).validate(as_value("block.yaml", path.read_text(encoding="utf-8")))
