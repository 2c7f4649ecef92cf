"""Gates that outlive their block: what upstream took is still to be looked at, so its gate moves to release.json.

A gate of a block is written in YAML, where a word means what its field asks for; in release.json a number is a number.
The block that it came with, and its switch where it has one, are named in `outlives`. Pure.
"""

import json
import re
from collections.abc import Collection

from builder.edit.reference import value_of, with_value
from verify.manifest.mistakes import Mistakes, listed
from verify.manifest.node import Entry, Form, Listing, Node, Scalar, Source, Table
from verify.manifest.syntax import read_yaml
from verify.model.block import Block
from verify.model.diagnostic import Diagnostic, InputFault

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")


def with_outliving(release: str, block: Block, block_text: str, names: Collection[str]) -> str:
    """release.json with these gates of a block that goes; raises `InputFault` for a gate that the block has not."""
    root = read_yaml(Source(block.file, block_text), Mistakes())
    table = next((each.value for each in _entries(root) if each.key.text == "gates"), None)
    gates = {each.key.text: each.value for each in _entries(table)}
    unknown = [name for name in names if name not in gates]
    if unknown:
        raise InputFault(
            Diagnostic(
                code="bump-keep-gate",
                message=f"block `{block.name}` has no gate `{unknown[0]}`",
                notes=listed("its gates", list(gates)),
                help="stackproof gate --list",
            )
        )
    known = value_of(release, "gates")
    moved = dict(known) if isinstance(known, dict) else {}
    for name in names:
        gate = _plain(gates[name])
        if isinstance(gate, dict):
            switch = next((each for each in block.switches if each.name == gate.get("switch")), None)
            outlives: dict[str, str] = {"block": block.name}
            outlives |= {"switch": switch.name, "off": switch.off} if switch is not None else {}
            moved[name] = {**gate, "outlives": outlives}
    return with_value(release, "gates", moved)


def _entries(node: Node | None) -> tuple[Entry, ...]:
    return node.entries if isinstance(node, Table) else ()


def _plain(node: Node) -> object:
    if isinstance(node, Table):
        return {entry.key.text: _plain(entry.value) for entry in node.entries}
    if isinstance(node, Listing):
        return [_plain(item) for item in node.items]
    if not isinstance(node, Scalar):
        return None
    if node.form is not Form.QUOTED and (node.text in ("true", "false", "null") or _NUMBER.fullmatch(node.text)):
        return json.loads(node.text)
    return node.text
