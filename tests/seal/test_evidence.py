"""The records that go into a bundle are the kept ones, and still say what the judge saw."""

import dataclasses
from pathlib import Path

import pytest

from builder.seal.evidence import evidence_of
from tests.seal.project import Project
from verify.evidence import EvidenceStore, Unknown, parse_evidence, render_evidence
from verify.model.codec import CodecError
from verify.model.diagnostic import InputFault
from verify.model.ids import Sha256


def test_every_record_that_a_gate_used_is_found_by_its_digest(project: Project, tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.put(project.evidence[0])

    assert evidence_of(project.holds, project.case, store) == project.evidence


def test_a_record_that_was_replaced_since_is_not_packed(project: Project, tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    old = project.evidence[0]
    store.put(dataclasses.replace(old, observation={**old.observation, "steps": 4}))

    with pytest.raises(InputFault) as told:
        evidence_of(project.holds, project.case, store)

    assert told.value.diagnostics[0].code == "evidence-replaced"


def test_a_record_that_is_not_kept_is_left_for_the_seal_to_refuse(project: Project, tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path / "cache")
    found = evidence_of(project.holds, project.case, store)

    with pytest.raises(InputFault) as told:
        dataclasses.replace(project, evidence=found).seal(tmp_path / "dist")

    assert told.value.diagnostics[0].code == "evidence-not-kept"


def test_a_damaged_record_is_not_found_and_said_so(project: Project, tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.put(project.evidence[0])
    path = store.path(project.evidence[0].key)
    path.write_bytes(path.read_bytes().replace(b"local", b"LOCAL"))

    found = store.named(project.evidence[0].key.digest)

    assert isinstance(found, Unknown)
    assert found.damage is not None
    assert found.damage.code == "evidence-damaged"


def test_what_was_never_kept_is_unknown(tmp_path: Path) -> None:
    assert EvidenceStore(tmp_path).named(Sha256("0" * 64)) == Unknown(damage=None)


def test_a_record_nested_to_the_limit_of_what_python_reads_is_an_answer_and_no_crash(project: Project) -> None:
    sound = render_evidence(project.evidence[0])
    for depth in range(850, 1001):
        nested = sound.replace(b'"observation":{', b'"observation":{"deep":' + b"[" * depth + b"]" * depth + b",")

        with pytest.raises(CodecError):
            parse_evidence(nested)
