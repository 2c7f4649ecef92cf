"""The register, hardware, policy and gates that outlive their block, as files: what is read, and what is refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.manifest.project import files, lay_out, release
from verify.manifest.read import read_release
from verify.model.deviation import REGISTER, Trigger
from verify.model.diagnostic import InputFault
from verify.model.gate import Outlived
from verify.model.ids import BlockName
from verify.model.release import Release
from verify.model.trust import Hardware, Role

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN3vGG4V4Z0V1cF1E0JmJmVn8wq0y0qk0y3v4x5z6A7B"


def entry(**fields: Any) -> dict[str, Any]:
    given: dict[str, Any] = {
        "number": 1,
        "gate": "golden",
        "finding": "golden-differs",
        "names": ["prompt-0"],
        "reason": "It rounds otherwise.",
        "evidence": ["seen twice"],
        "owner": "Grace Hopper <grace@navy.mil>",
        "since": "2026-11-01",
        "until": {"trigger": "passes"},
    }
    return {name: value for name, value in {**given, **fields}.items() if value is not None}


def register(*accepted: dict[str, Any], last: int = 1, ended: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"schema": "stackproof/deviations/1", "last": last, "accepted": list(accepted), "ended": list(ended)}


def read(root: Path, document: dict[str, Any] | None = None, **of_release: Any) -> Release:
    laid = files() | {"release.json": json.dumps(release() | of_release).encode()}
    if document is not None:
        laid[REGISTER] = json.dumps(document).encode()  # JSON is YAML
    return read_release(lay_out(root, laid))


def refused(root: Path, document: dict[str, Any] | None = None, **of_release: Any) -> list[str]:
    with pytest.raises(InputFault) as fault:
        read(root, document, **of_release)
    assert all(each.place is not None and each.place.line for each in fault.value.diagnostics)
    return [each.code for each in fault.value.diagnostics]


def with_gate(**fields: Any) -> dict[str, Any]:
    gates: dict[str, Any] = release()["gates"]
    return gates | {"golden": gates["golden"] | fields}


def test_a_register_is_read_and_belongs_to_the_digest(tmp_path: Path) -> None:
    found = read(tmp_path, register(entry(until={"trigger": "date", "day": "2027-01-31"})))
    (deviation,) = found.deviations
    assert (deviation.number, deviation.names, deviation.until.trigger) == (1, ("prompt-0",), Trigger.DATE)
    assert found.digest != read(tmp_path / "without").digest


@pytest.mark.parametrize("lacking", ["finding", "names"])
def test_one_that_would_waive_a_whole_gate_is_refused(tmp_path: Path, lacking: str) -> None:
    assert refused(tmp_path, register(entry(**{lacking: None}))) == ["deviation-too-wide"]


def test_a_number_that_is_given_twice_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path, register(entry(), entry())) == ["deviation-number-reused"]


def test_a_number_that_was_over_cannot_be_given_again(tmp_path: Path) -> None:
    over = {"number": 1, "gate": "golden", "ended": "Upstream mended it."}
    assert refused(tmp_path, register(entry(), ended=(over,))) == ["deviation-number-reused"]


def test_a_number_cannot_be_taken_out_unseen(tmp_path: Path) -> None:
    assert refused(tmp_path, register(entry(number=2), last=2)) == ["deviation-numbers"]
    assert refused(tmp_path / "beyond", register(entry(), entry(number=2))) == ["deviation-numbers"]


def test_what_a_standing_promise_finds_cannot_be_accepted(tmp_path: Path) -> None:
    assert refused(tmp_path, register(entry(gate="trees"))) == ["deviation-not-waivable"]


def test_a_gate_that_there_is_not_cannot_be_waived(tmp_path: Path) -> None:
    assert refused(tmp_path, register(entry(gate="goldn"))) == ["unknown-gate"]


def test_hardware_is_named_in_release_json(tmp_path: Path) -> None:
    found = read(tmp_path, hardware={"gpu": "One A100"}, gates=with_gate(hardware="gpu"))
    assert found.hardware == (Hardware(name="gpu", about="One A100"),)
    assert {gate.name: gate.hardware for gate in found.gates} == {"golden": "gpu", "trees": ""}
    assert refused(tmp_path / "unnamed", gates=with_gate(hardware="gpu")) == ["unknown-hardware"]


def test_signers_are_read_with_their_role(tmp_path: Path) -> None:
    policy = {"evidence": {"counts": ["ci"], "signers": {"bot": {"role": "ci", "key": KEY}}}}
    found = read(tmp_path, policy=policy).policy
    assert (found.counts, found.signers[0].role, found.signers[0].key) == ((Role.CI,), Role.CI, KEY)


@pytest.mark.parametrize(
    ("policy", "code"),
    [
        ({"counts": ["ci", "contributor"]}, "contributor-counts"),
        ({"signers": {"bot": {"role": "local", "key": KEY}}}, "signer-local"),
        ({"signers": {"bot": {"role": "ci", "key": f'command="x" {KEY}'}}}, "bad-signer-key"),
    ],
)
def test_a_policy_that_trusts_too_much_is_refused(tmp_path: Path, policy: dict[str, Any], code: str) -> None:
    assert refused(tmp_path, policy={"evidence": policy}) == [code]


OUTLIVING = {
    "kind": "arm-identity",
    "switch": "LLAMA_GONE",
    "model": "small",
    "configuration": "release",
    "prompts": ["Hello"],
    "exercise": "tokens",
    "seen": "done",
}


def test_a_gate_outlives_its_block(tmp_path: Path) -> None:
    gate = OUTLIVING | {"outlives": {"block": "gone", "switch": "LLAMA_GONE", "off": "0"}}
    found = read(tmp_path, gates=release()["gates"] | {"gone-acts": gate})
    assert found.gates[-1].outlived == Outlived(block=BlockName("gone"), switch="LLAMA_GONE", off="0")


def test_a_gate_of_a_block_that_is_here_outlives_nothing(tmp_path: Path) -> None:
    gate = OUTLIVING | {"outlives": {"block": "alpha", "switch": "LLAMA_GONE", "off": "0"}}
    assert refused(tmp_path, gates=release()["gates"] | {"gone-acts": gate}) == ["gate-outlives-nothing"]
