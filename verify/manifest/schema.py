"""The declared files as JSON Schemas (draft 2020-12), for editors and other programs: docs/schema/*.json.

`python -m verify.manifest.schema docs/schema` writes them. They say what one file alone can say; what files say
together (names that must be declared, patches, the lock) is checked by the reader. The gates' part is made from the
kinds' own parameters. A test holds schemas and reader to the same answer, and the written files to this module.
"""

import json
import sys
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args, get_origin, get_type_hints

from verify.gates.kind import AnyKind, Scope
from verify.manifest import block, claims, deviations, lock, release, trust
from verify.manifest.left_out import LONGEST_SUBJECT
from verify.manifest.params import NAMES_OF
from verify.model.block import Disposition, Refusal
from verify.model.claim import ClaimKind
from verify.model.deviation import Trigger
from verify.model.outline import ExitKind
from verify.model.patch import Mode
from verify.model.release import Proof
from verify.model.review import USUAL, Grade
from verify.model.trust import Role

Schema = dict[str, Any]

_NAME = r"^(?=.{1,80}$)[a-z0-9](?:[a-z0-9.+-]*[a-z0-9+])?$"
_LINE = r"^\S(?:[^\n\t]*\S)?$"
_INNER = r"^(?!/)(?!(?:.*/)?\.{0,2}(?:/|$))[^\\\s](?:[^\\\n\t]*[^\\\s])?$"
_TREE_PATH = r"^(?!/)(?!(?:.*/)?\.{0,2}(?:/|$))"
_GLOB = (
    r"^(?![*/]+$)(?!/)(?!(?:.*/)?\.{0,2}(?:/|$))(?!(?:.*/)?\.[gG][iI][tT](?:/|$))"
    r"(?!.*[^/]\*\*)(?!.*\*\*[^/])[^\\\s](?:[^\\\n\t]*[^\\\s])?$"
)
_SWITCH = (
    r"^(?!(?:LD_.*|DYLD_.*|PATH|HOME|SHELL|IFS|ENV|BASH_ENV|USER|TMPDIR|LANG|LC_.*|PYTHON.*|GIT_.*)$)"
    r"[A-Z][A-Z0-9_]{1,79}$"
)


def release_schema(kinds: Mapping[str, AnyKind]) -> Schema:
    """release.json."""
    return _document(
        "A release: its base, its blocks in order, how it is built and judged, and the trees it promises",
        {
            "schema": {"const": release.SCHEMA},
            "name": _name("this release"),
            "parent": _nullable(_name("the release that this one follows")),
            "engine": _name("the program that is patched"),
            "base": _table(
                {"source": _source(), "upstream_commit": _nullable(_object_id("the true upstream commit"))},
                about="the pinned upstream",
            ),
            "blocks": _list(_name("a folder in blocks/"), about="the blocks, in the order they are applied"),
            "configurations": _named(_configuration(), least=1, about="ways to build the engine"),
            "models": _nullable(_named(_model(), about="model files for the gates, pinned")),
            "gates": _nullable(_gates(kinds)),
            "reference": _nullable(
                _table(
                    {
                        "base_tree": _object_id("tree of the base"),
                        "tip_tree": _object_id("tree after the last fold"),
                        "tip_commit": _object_id("commit of the last fold"),
                    },
                    about="written by `stackproof pin`; null before",
                )
            ),
            "hardware": _nullable(_named(_line("what it is"), about="machines that gates may need")),
            "policy": _nullable(_policy()),
            "artifacts": _nullable(_artifacts()),
            **_left_out(loose=False),
        },
        optional={"models", "gates", "hardware", "policy", "artifacts", "not_taken", "tombstones"},
    )


def block_schema(kinds: Mapping[str, AnyKind]) -> Schema:
    """block.yaml."""
    names = {kind.name: kind for kind in kinds.values() if kind.scope is not Scope.RELEASE}
    switch = _table(
        {
            "name": {"type": "string", "pattern": _SWITCH, "description": "the environment variable"},
            "off": _loose({"anyOf": [{"const": ""}, {"pattern": _LINE}]}, "the value that turns the feature off"),
            "about": _line("what it does", loose=True),
        }
    )
    return _document(
        "A block: one feature of the fork, why it exists, until when, and its folds in order",
        {
            "schema": {"const": block.SCHEMA},
            "title": _line("the feature in one line", loose=True),
            "why": _text("why the block exists"),
            "until": _text("what ends it"),
            "owns": _list(_loose({"pattern": _GLOB}), least=1, about="globs of the paths it may change"),
            "requires": _nullable(_list(_loose({"pattern": _NAME}), about="earlier blocks that it needs")),
            "switches": _nullable(_list(switch, distinct=False, about="variables that turn it off")),
            "claims": _nullable(_list(_claim(), about="what reviews rest on")),
            "gates": _nullable(_gates(names, loose=True)),
            "folds": _list(_fold(), least=1, distinct=False, about="its changes, in the order they are applied"),
            **_left_out(loose=True),
        },
        optional={"requires", "switches", "claims", "gates", "not_taken", "tombstones"},
    )


def _claim() -> Schema:
    """Words, or a table that can be run on a tree."""
    says, function = _text("the claim in words"), _line("a function, by the end of its name", loose=True)
    file, globs = (
        _loose({"pattern": _INNER}, "a file of the engine"),
        _list(_loose({"pattern": _GLOB}), least=1, about="globs of files"),
    )
    times = {"type": "integer", "minimum": 0, "maximum": claims.MOST}
    exits = _list({"enum": [kind.value for kind in ExitKind]}, least=1, about="return when left out")
    anchor = _line("text of its code, as it begins", loose=True)
    tables: Mapping[ClaimKind, tuple[Schema, set[str]]] = {
        ClaimKind.ONLY_CALL: (
            {"file": file, "function": function, "call": _line("what is called", loose=True), "inside": anchor}
            | {"times": _nullable(times)},
            {"times"},
        ),
        ClaimKind.NO_EXIT: (
            {"file": file, "function": function, "start": anchor, "end": anchor, "exits": _nullable(exits)},
            {"exits"},
        ),
        ClaimKind.ABSENT: (
            {"symbol": _line("a name", loose=True), "files": globs, "function": _nullable(function)},
            {"function"},
        ),
        ClaimKind.UNTOUCHED: ({"files": globs}, set()),
        ClaimKind.COUNT: (
            {"file": file, "function": _nullable(function), "pattern": _line("a regular expression", loose=True)}
            | {"times": times},
            {"function"},
        ),
    }
    runnable = {
        kind.value: _table({"says": says, **properties}, optional=optional)
        for kind, (properties, optional) in tables.items()
    }
    return {"if": {"type": "object"}, "then": _variants(runnable), "else": _text("a statement about the source")}


def lock_schema() -> Schema:
    """blocks/lock.json."""
    state = _table({"blob": _object_id("blob"), "mode": {"enum": [mode.value for mode in Mode]}})
    file = _table(
        {
            "path": {"type": "string", "pattern": _TREE_PATH, "description": "as git quotes it in patch headers"},
            "before": _nullable(state),
            "after": _nullable(state),
        }
    )
    fold = _table(
        {
            "block": _name("the block"),
            "fold": _name("the fold"),
            "patch_sha256": _sha256("digest of fold.patch"),
            "files": _list(file, distinct=False, about="what the fold met and left"),
            "tree": _object_id("tree after the fold"),
            "commit": _object_id("commit of the fold"),
        }
    )
    return _document(
        "The lock: what was derived for every fold; written by `stackproof pin`",
        {"schema": {"const": lock.SCHEMA}, "folds": _list(fold, distinct=False, about="every fold, in stack order")},
    )


def deviations_schema() -> Schema:
    """blocks/deviations.yaml."""
    number = {"type": "integer", "minimum": 1, "maximum": 9999}
    until = {
        "type": "object",
        "required": ["trigger"],
        "properties": {"trigger": {"enum": [trigger.value for trigger in Trigger]}},
        "allOf": [
            {
                "if": {"properties": {"trigger": {"const": trigger}}, "required": ["trigger"]},
                "then": _table({"trigger": {"const": trigger}, **ends}),
            }
            for trigger, ends in {
                "release": {"release": _loose({"pattern": _NAME}, "the release that has it no more")},
                "base": {"tree": _loose({"pattern": "^[0-9a-f]{40}$"}, "the base that it was accepted on")},
                "upstream": {"commit": _loose({"pattern": "^[0-9a-f]{40}$"}, "the upstream it was accepted on")},
                "date": {"day": _day("the last day that it stands")},
                "passes": {},
            }.items()
        ],
    }
    accepted = _table(
        {
            "number": number,
            "gate": _loose({}, "the gate that finds it"),
            "finding": {
                "description": "the finding's code",
                "type": ["string", "boolean"],
                "pattern": f"^{deviations.CODE.pattern}$",
            },
            "names": _list(_line("", loose=True), least=1, about="what the finding names: a path, a prompt, a model"),
            "reason": _text("why it is accepted"),
            "evidence": _list(_text("a digest of a record, or words"), least=1, about="what was seen"),
            "owner": _AUTHOR,
            "since": _day("when it was accepted"),
            "until": until,
        }
    )
    ended = _table(
        {"number": number, "gate": _loose({"pattern": _NAME}, "the gate"), "ended": _text("what ended it")},
    )
    return _document(
        "The register of accepted deviations: numbered, each bounded in what it covers and in how long it stands",
        {
            "schema": {"const": deviations.SCHEMA},
            "last": {"type": "integer", "minimum": 0, "maximum": 9999, "description": "the last number given"},
            "accepted": _nullable(_list(accepted, distinct=False, about="those that stand")),
            "ended": _nullable(_list(ended, distinct=False, about="those that are over; their numbers stay given")),
        },
        optional={"accepted", "ended"},
    )


def render(schema: Schema) -> bytes:
    """A schema as it is written."""
    return (json.dumps(schema, indent=2, ensure_ascii=False) + "\n").encode("utf-8")


def _document(title: str, properties: Schema, optional: frozenset[str] | set[str] = frozenset()) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **_table(properties, optional=optional),
    }


def _table(properties: Schema, *, optional: frozenset[str] | set[str] = frozenset(), about: str = "") -> Schema:
    return _about(about) | {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


def _named(each: Schema, *, least: int = 0, about: str) -> Schema:
    return _about(about) | {
        "type": "object",
        "propertyNames": {"pattern": _NAME},
        "additionalProperties": each,
        "minProperties": least,
    }


def _list(each: Schema, *, least: int = 0, distinct: bool = True, about: str) -> Schema:
    return _about(about) | {"type": "array", "items": each, "minItems": least, "uniqueItems": distinct}


def _about(about: str) -> Schema:
    return {"description": about} if about else {}


def _nullable(schema: Schema) -> Schema:
    return {"anyOf": [schema, {"type": "null"}]}


def _loose(schema: Schema, about: str = "") -> Schema:
    """Text in YAML, where what looks like a number or a truth value without quotes is text all the same."""
    return _about(about) | {"type": ["string", "number", "boolean"]} | schema


def _name(about: str) -> Schema:
    return {"description": about, "type": "string", "pattern": _NAME}


def _line(about: str, *, loose: bool = False) -> Schema:
    return _loose({"pattern": _LINE}, about) if loose else {"description": about, "type": "string", "pattern": _LINE}


def _text(about: str) -> Schema:
    return _loose({"pattern": r"\S"}, about)


def _sha256(about: str) -> Schema:
    return {"description": about, "type": "string", "pattern": "^[0-9a-f]{64}$"}


def _object_id(about: str) -> Schema:
    return {"description": about, "type": "string", "pattern": "^[0-9a-f]{40}$"}


def _inner(about: str) -> Schema:
    return {"description": about, "type": "string", "pattern": _INNER}


def _folder(about: str) -> Schema:
    return {"description": about, "type": "string", "anyOf": [{"const": "."}, {"pattern": _INNER}]}


def _source() -> Schema:
    return _variants(
        {
            "sdist": _table(
                _package() | {"sha256": _sha256("of the archive"), **_folders(), "of_commit": _of_commit()},
                optional={"git_dir", "of_commit"},
                about="a source distribution on the package index",
            ),
            "archive": _table(
                {"file": _line("path of a tar archive"), "sha256": _sha256("of it"), "folder": _folder("inside of it")}
            ),
            "git": _table(
                {
                    "repository": {"type": "string", "pattern": r"^(?!-)(?!.*::)\S(?:[^\u0000-\u001f\u007f]*\S)?$"},
                    "commit": _object_id("the commit"),
                }
            ),
            "folder": _table(
                {
                    "path": _line("path of a folder, taken as it lies on disk"),
                    "without": _list(_line("the name of an entry"), about="entries of its top that are no part of it"),
                },
                optional={"without"},
            ),
            "release": _table(
                {
                    "release": _name("the release that this one stands on"),
                    "digest": _sha256("that release's digest, over its declared files"),
                    "bundle": _line("path of its bundle"),
                    "base": _line("where its own base lies, when that is a path"),
                },
                optional={"base"},
                about="another release of stackproof",
            ),
        }
    )


def _of_commit() -> Schema:
    return {"description": "whether the tree is that of the upstream commit, not of the folder", "type": "boolean"}


def _package() -> Schema:
    return {
        "package": {"type": "string", "pattern": "^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$"},
        "version": {"type": "string", "pattern": "^[0-9][A-Za-z0-9.!+_-]*$"},
    }


def _folders() -> Schema:
    return {
        "folder": _folder("the engine inside of the archive"),
        "git_dir": _nullable(_inner("its upstream repository inside of the archive, where there is one")),
    }


def _model() -> Schema:
    pinned = {"sha256": _sha256("of the model file"), "licence": _line("its licence")}
    return _variants(
        {
            "package": _table(
                _package() | {"wheel_sha256": _sha256("of the wheel"), "member": _inner("the file in it")} | pinned,
                about="a file out of a wheel on the package index",
            ),
            "generated": _table({"generator": _name("which generator writes it")} | pinned),
        }
    )


def _variants(tables: Mapping[str, Schema]) -> Schema:
    """One of several tables, told apart by `kind`."""
    return {
        "type": "object",
        "required": ["kind"],
        "properties": {"kind": {"enum": list(tables)}},
        "allOf": [
            {"if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]}, "then": _with_kind(kind, table)}
            for kind, table in tables.items()
        ],
    }


def _with_kind(kind: str, table: Schema) -> Schema:
    return table | {"properties": {"kind": {"const": kind}, **table["properties"]}}


def _configuration() -> Schema:
    return _table(
        {
            "build_type": {"enum": ["Release", "Debug", "RelWithDebInfo", "MinSizeRel"]},
            "options": _nullable(
                {
                    "type": "object",
                    "description": "CMake options",
                    "propertyNames": {"pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
                    "additionalProperties": {"type": "string", "anyOf": [{"const": ""}, {"pattern": _LINE}]},
                }
            ),
            "targets": _list(
                {"type": "string", "pattern": "^[A-Za-z0-9_][A-Za-z0-9_.+-]*$"}, least=1, about="what is built"
            ),
            "proofs": _list({"enum": [proof.value for proof in Proof]}, least=1, about="which trees are built"),
        },
        optional={"options"},
    )


def _artifacts() -> Schema:
    binaries = _table(
        {
            "without": _nullable(_list(_line("a glob"), about="names that stay out")),
            "smoke": _nullable(_list(_line("a program and its arguments"), about="what must run after unpacking")),
        },
        optional={"without", "smoke"},
    )
    image = _table(
        {
            "configuration": _name("whose binaries"),
            "program": _line("the program that it starts"),
            "arguments": _nullable(_list(_line("an argument"), distinct=False, about="its arguments")),
        },
        optional={"arguments"},
        about="the image of one program",
    )
    return _table(
        {"binaries": _nullable(_named(binaries, about="configurations whose binaries are packed")),
         "image": _nullable(image)},
        optional={"binaries", "image"},
        about="what is given away beside the sources",
    )  # fmt: skip


def _policy() -> Schema:
    signer = _table(
        {
            "role": {"enum": [role.value for role in Role if role is not Role.LOCAL]},
            "key": {"type": "string", "pattern": f"^(?:{trust.KEY.pattern})$", "description": "the public key"},
        }
    )
    roles = {"enum": [role.value for role in Role if role is not Role.CONTRIBUTOR]}
    evidence = _table(
        {
            "counts": _nullable(_list(roles, least=1, about="whose measurements are evidence")),
            "signers": _nullable(_named(signer, about="whose signatures on foreign evidence are believed")),
        },
        optional={"counts", "signers"},
    )
    grades = {
        grade.value: _nullable({"enum": [each.value for each in trust.STRICT[trust.STRICT.index(USUAL[grade]) :]]})
        for grade in Grade
    }
    reviews = _table(
        {
            "required": _nullable({"type": "boolean", "default": False}),
            "approvals": _nullable({"type": "integer", "minimum": 1, "maximum": 9, "default": 1}),
            "signed": _nullable({"type": "boolean", "default": False}),
            "signers": _nullable(_named(signer, about="who may sign reviews and receipts")),
            "grades": _nullable(_table(grades, optional=set(grades), about="what each grade asks for")),
        },
        optional={"required", "approvals", "signed", "signers", "grades"},
    )
    policies = {"evidence": _nullable(evidence), "reviews": _nullable(reviews)}
    return _table(policies, optional=set(policies), about="what the project decided")


def _day(about: str) -> Schema:
    return {"description": about, "type": "string", "pattern": f"^{deviations.DAY.pattern}$"}


_AUTHOR: Schema = {"type": "string", "pattern": r"^[^<>\s](?:[^<>\n\t]*[^<>\s])? <[^<>\s@]+@[^<>\s@]+>$"}
_DATE: Schema = {"type": "string", "pattern": "^@(?:0|[1-9][0-9]{0,10}) [+-](?:0[0-9]|1[0-4])[0-5][0-9]$"}


def _left_out(*, loose: bool) -> Schema:
    """What is not in the stack, in either file; `loose` as YAML's plain text."""

    def text(about: str) -> Schema:
        return _text(about) if loose else _about(about) | {"type": "string", "pattern": r"\S"}

    def matching(rule: Schema, about: str) -> Schema:
        return _loose(rule, about) if loose else _about(about) | {"type": "string"} | rule

    record = _table(
        {
            "id": matching({"pattern": _NAME}, "its name"),
            "subject": matching({"pattern": _LINE, "maxLength": LONGEST_SUBJECT}, "what it does"),
            "author": _nullable(_AUTHOR),
            "date": _nullable(_DATE),
            "source": _line("where it came from", loose=loose),
            "disposition": {"enum": [refusal.value for refusal in Refusal]},
            "reason": text("why it is not taken"),
            "numbers": _nullable(text("what was measured")),
        },
        optional={"author", "date", "numbers"},
    )
    stone = _table(
        {
            "text": _line("what no fold may add as a whole word", loose=loose),
            "paths": _nullable(_list(matching({"pattern": _GLOB}, ""), about="globs of the files that are searched")),
            "reason": text("why it must not come back"),
            "source": _line("what it was dropped with", loose=loose),
        },
        optional={"paths"},
    )
    return {
        "not_taken": _nullable(_list(record, distinct=False, about="submissions and alternatives not taken")),
        "tombstones": _nullable(_list(stone, distinct=False, about="what must not come back")),
    }


def _fold() -> Schema:
    fold = _table(
        {
            "id": _loose({"pattern": _NAME}, "its folder in folds/"),
            "subject": _loose({"pattern": _LINE, "maxLength": LONGEST_SUBJECT}, "first line of its commit"),
            "body": _nullable(_text("the rest of the message")),
            "author": _AUTHOR,
            "date": _DATE,
            "source": _line("where the change came from", loose=True),
            "disposition": {"enum": [disposition.value for disposition in Disposition]},
            "reason": _nullable(_text("what was not taken, and why")),
            "licence": _nullable(_line("of the files that it brings", loose=True)),
        },
        optional={"body", "reason", "licence"},
    )
    folded = {"properties": {"disposition": {"const": Disposition.FOLDED.value}}}
    return fold | {"if": folded, "else": {"required": ["reason"], "properties": {"reason": {"not": {"type": "null"}}}}}


def _gates(kinds: Mapping[str, AnyKind], *, loose: bool = False) -> Schema:
    tables = {name: _table(**_gate(kind, loose=loose)) for name, kind in kinds.items()}
    return _named(_variants(tables), about="checks, by name")


def _gate(kind: AnyKind, *, loose: bool) -> dict[str, Any]:
    hints = get_type_hints(kind.params)
    word = _loose if loose else lambda rule, about: {"description": about, "type": "string", **rule}
    properties: Schema = {
        "required": _nullable({"type": "boolean", "default": True}),
        "hardware": _nullable(word({"pattern": _NAME}, "what it must be measured on")),
    }
    optional = {"required", "hardware"}
    if not loose:
        # what judges one block stands in release.json only once that block is gone
        gone = kind.scope is Scope.BLOCK
        properties["outlives"] = _outlives() if gone else _nullable(_outlives())
        optional |= set() if gone else {"outlives"}
    for field in fields(kind.params):
        parameter = _parameter(hints[field.name], field, loose=loose)
        given = field.default is MISSING and field.default_factory is MISSING
        if not given:
            optional.add(field.name)
        properties[field.name] = parameter if given else _nullable(parameter)
    return {"properties": properties, "optional": optional, "about": kind.about}


def _outlives() -> Schema:
    return _table(
        {
            "block": _name("the block that upstream took"),
            "switch": _nullable({"type": "string", "pattern": _SWITCH, "description": "its switch, where it has one"}),
            "off": _nullable({"type": "string", "anyOf": [{"const": ""}, {"pattern": _LINE}]}),
        },
        optional={"switch", "off"},
        about="where the gate came with a block that is gone",
    )


def _parameter(hint: Any, field: "Field[Any]", *, loose: bool) -> Schema:
    about = _about(field.metadata.get("about", ""))
    bounds = {
        key: field.metadata[name] for key, name in (("minimum", "min"), ("maximum", "max")) if name in field.metadata
    }
    if get_origin(hint) is tuple:
        least = 1 if field.default is MISSING and field.default_factory is MISSING else 0
        return _list(
            _parameter(get_args(hint)[0], field, loose=loose), least=least, about=field.metadata.get("about", "")
        )
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return about | {"enum": [member.value for member in hint]}
    if hint in {bool, int, float}:
        return about | {"type": {bool: "boolean", int: "integer", float: "number"}[hint]} | bounds
    says_something = {} if "refers" in field.metadata or hint in NAMES_OF else {"pattern": r"\S"}
    return about | (_loose(says_something) if loose else {"type": "string"} | says_something)


def write(folder: Path) -> None:
    """Write every schema into a folder."""
    from verify.gates.kinds import KINDS

    for name, schema in (
        ("release", release_schema(KINDS)),
        ("block", block_schema(KINDS)),
        ("lock", lock_schema()),
        ("deviations", deviations_schema()),
    ):
        (folder / f"{name}.json").write_bytes(render(schema))


if __name__ == "__main__":
    write(Path(sys.argv[1]))
