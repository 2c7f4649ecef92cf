"""`stackproof try`: gates on programs that nobody has put into a release yet."""

import json
from pathlib import Path

import pytest

from builder.tryout import HERE, asked_gate, try_gate
from tests.gates.good import good_release
from verify.model.block import Switch
from verify.model.diagnostic import InputFault

ASKED = {"kind": "slot-files", "model": "tiny", "configuration": "release"}


def test_a_gate_is_read_as_block_yaml_would_have_it() -> None:
    gate, block = asked_gate(json.dumps(ASKED), good_release(), None)
    assert (gate.kind, gate.block, block.name) == ("slot-files", None, HERE)


def test_a_switch_that_no_block_declares_yet_is_known() -> None:
    switch = Switch(name="NEW", off="0", about="")
    gate, block = asked_gate(json.dumps({**ASKED, "switch": "NEW"}), good_release(), switch)
    assert (gate.block, block.switches) == (HERE, (switch,))


def test_a_declared_gate_keeps_its_switch() -> None:
    gate, block = asked_gate("queue/queue-fair", good_release(), None)
    assert (gate.kind, gate.block, [each.name for each in block.switches]) == ("warm-behind-cold", HERE, ["QUEUE"])


@pytest.mark.parametrize(
    ("text", "code"),
    [("no-such", "unknown-gate"), ("{", "json-syntax"), (json.dumps({**ASKED, "model": "other"}), "unknown-model")],
)
def test_a_gate_that_is_none_is_told(text: str, code: str) -> None:
    with pytest.raises(InputFault) as fault:
        asked_gate(text, good_release(), None)
    assert fault.value.diagnostics[0].code == code


def test_programs_lie_in_a_folder_bin(tmp_path: Path) -> None:
    gate, block = asked_gate(json.dumps(ASKED), good_release(), None)
    with pytest.raises(InputFault) as fault:
        try_gate(gate, block, below=tmp_path, here=tmp_path, stacked=None, workshop=None)  # type: ignore[arg-type] # refused first
    assert fault.value.diagnostics[0].code == "not-a-bin-folder"
