"""The real library's defects, which its probes must see: upstream is not uniform along widths on every model.

These are tests of the gate and not of the engine. Where upstream or a block mends what is found here, the test says
what must be looked at anew.
"""

import json
from pathlib import Path

import pytest

from builder.cli.session import cache_root
from tests.whole.command import Said, say

pytestmark = pytest.mark.engine

OURS = Path(__file__).parents[2]


def bin_of_the_base() -> Path:
    """A kept build of upstream: the one whose tree is the pinned base."""
    tree = json.loads((OURS / "release.json").read_bytes())["reference"]["base_tree"]
    for record in sorted((cache_root() / "builds").glob("*/build.json")):
        parts = dict(json.loads(record.read_bytes())["key"]["parts"])
        if parts["tree"] == tree and "GGML_AVX2=ON" in parts["options"]:
            return record.parent / "bin"
    raise AssertionError("run `make release` first: no build of the base is kept")


def widths(model: str, command: str = "try", **more: object) -> Said:
    gate = {"kind": "axis-uniformity", "model": model, "configuration": "release", "axis": "width", "values": [2, 8]}
    return say(command, json.dumps(gate | more), "--bin", str(bin_of_the_base()), root=OURS, cache=cache_root())


def test_widths_of_an_unquantised_model_are_not_uniform() -> None:
    said = widths("tiny-recurrent")
    assert (said.exit, said.codes()) == (1, {"axis-differs"})


def test_widths_of_a_quantised_model_are_uniform_with_flash_attention_and_not_without() -> None:
    assert [widths("smollm2", flash_attention=on).exit for on in (True, False)] == [0, 1]


def test_the_first_operation_that_a_width_changes_is_a_matrix_product() -> None:
    traced = widths("tiny-attention", command="trace").document["trace"]
    assert isinstance(traced, dict)
    assert (traced["first"][0]["op"], traced["first"][0]["layer"]) == ("MUL_MAT", 0)
