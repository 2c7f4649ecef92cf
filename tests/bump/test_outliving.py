"""A gate of a block that goes moves to release.json as it is read there, and says what it outlives."""

import json
from dataclasses import replace

import pytest

from builder.bump.outliving import with_outliving
from tests.core.stacks import block
from verify.model.block import Switch
from verify.model.diagnostic import InputFault

RELEASE = '{\n  "name": "r",\n  "gates": {\n    "trees": {"kind": "tree-equal"}\n  }\n}\n'
BLOCK = """gates:
  arm:
    kind: arm-identity
    switch: ENGINE_TURN
    prompts:
      - Once upon a time
      - "7"
    tokens: 12
    timed: false
  other:
    kind: build
"""
MINE = replace(block("turn"), switches=(Switch(name="ENGINE_TURN", off="0", about="turns"),))


def test_words_numbers_and_flags_are_what_they_were_read_as() -> None:
    made = json.loads(with_outliving(RELEASE, MINE, BLOCK, ["arm"]))["gates"]
    assert list(made) == ["trees", "arm"]
    assert made["arm"] == {
        "kind": "arm-identity",
        "switch": "ENGINE_TURN",
        "prompts": ["Once upon a time", "7"],
        "tokens": 12,
        "timed": False,
        "outlives": {"block": "turn", "switch": "ENGINE_TURN", "off": "0"},
    }


def test_a_gate_without_a_switch_names_its_block_alone() -> None:
    made = json.loads(with_outliving(RELEASE, MINE, BLOCK, ["other"]))["gates"]["other"]
    assert made == {"kind": "build", "outlives": {"block": "turn"}}


def test_a_gate_that_the_block_has_not_is_refused() -> None:
    with pytest.raises(InputFault) as caught:
        with_outliving(RELEASE, MINE, BLOCK, ["arms"])
    assert caught.value.diagnostics[0].code == "bump-keep-gate"
