"""Records of evidence: canonical, whole or absent, and never used when they were touched."""

import errno
import json
import multiprocessing
import os
from pathlib import Path

import pytest

from tests.evidence.records import some_evidence, some_key
from verify.evidence import EvidenceStore, Unknown, make_key, parse_evidence, render_evidence
from verify.model.codec import CodecError, canonical_json
from verify.model.diagnostic import EnvironmentFault
from verify.model.evidence import Evidence


def damage_of(store: EvidenceStore) -> str:
    found = store.get(some_key())
    assert isinstance(found, Unknown)
    assert found.damage is not None
    assert found.damage.code == "evidence-damaged"
    return found.damage.message


def test_what_was_put_is_what_is_got(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.put(some_evidence())
    assert store.get(some_key()) == some_evidence()


def test_what_was_never_put_is_unknown_without_a_word(tmp_path: Path) -> None:
    assert EvidenceStore(tmp_path).get(some_key()) == Unknown(damage=None)


def test_a_later_record_takes_the_place_of_the_earlier(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    for text in ("old", "new"):
        store.put(some_evidence(text=text))
    found = store.get(some_key())
    assert isinstance(found, Evidence)
    assert found.observation["text"] == "new"


def test_a_record_has_one_byte_form() -> None:
    data = render_evidence(some_evidence())
    assert (data, data[-2:], b"\n" in data[:-1]) == (canonical_json(json.loads(data)), b"}\n", False)


def test_the_order_of_parts_does_not_matter_to_a_key() -> None:
    assert make_key("tokens", {"a": "1", "b": "2"}) == make_key("tokens", {"b": "2", "a": "1"})


def test_a_key_cannot_be_made_of_a_kind_that_is_a_path() -> None:
    with pytest.raises(ValueError, match="cannot name"):
        make_key("../x", {})


def test_every_flipped_bit_of_a_record_is_noticed() -> None:
    data = render_evidence(some_evidence())
    missed = [
        (place, bit)
        for place in range(len(data))
        for bit in range(8)
        if is_sound(data[:place] + bytes([data[place] ^ 1 << bit]) + data[place + 1 :])
    ]
    assert missed == []


def is_sound(data: bytes) -> bool:
    try:
        parse_evidence(data)
    except CodecError:
        return False
    return True


@pytest.mark.parametrize("length", [0, 1, 100, -1])
def test_a_cut_off_record_is_noticed(tmp_path: Path, length: int) -> None:
    store = EvidenceStore(tmp_path)
    store.put(some_evidence())
    path = store.path(some_key())
    path.write_bytes(path.read_bytes()[:length])
    assert damage_of(store)


def test_an_edited_observation_is_noticed(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.put(some_evidence())
    path = store.path(some_key())
    path.write_bytes(path.read_bytes().replace(b"[1,2,3]", b"[1,2,4]"))
    assert "its content has SHA-256" in damage_of(store)


def test_a_record_under_another_key_is_noticed(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    path = store.path(some_key())
    path.parent.mkdir(parents=True)
    path.write_bytes(render_evidence(some_evidence(some_key(model="other"))))
    assert "it is the record of tokens" in damage_of(store)


def test_a_record_whose_key_was_edited_and_signed_again_is_noticed(tmp_path: Path) -> None:
    value = json.loads(render_evidence(some_evidence()))
    value["key"]["parts"]["model"] = "other"
    value["sha256"] = sha256_of({name: part for name, part in value.items() if name != "sha256"})
    store = EvidenceStore(tmp_path)
    path = store.path(some_key())
    path.parent.mkdir(parents=True)
    path.write_bytes(canonical_json(value))
    assert "its key's digest" in damage_of(store)


def test_a_record_in_another_layout_is_noticed(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.put(some_evidence())
    path = store.path(some_key())
    path.write_bytes(json.dumps(json.loads(path.read_bytes()), indent=1).encode())
    assert "not in canonical form" in damage_of(store)


@pytest.mark.parametrize("data", [b"[" * 100_000, b"NaN\n", b"{}\n", b"[]\n", b"\xff\xfe", b'"\\ud800"\n', b"1e999\n"])
def test_no_bytes_break_the_reader(tmp_path: Path, data: bytes) -> None:
    store = EvidenceStore(tmp_path)
    path = store.path(some_key())
    path.parent.mkdir(parents=True)
    path.write_bytes(data)
    assert damage_of(store)


def test_a_folder_in_the_place_of_a_record_is_told(tmp_path: Path) -> None:
    store = EvidenceStore(tmp_path)
    store.path(some_key()).mkdir(parents=True)
    assert "cannot be read" in damage_of(store)


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_full_disk_leaves_the_old_record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    store = EvidenceStore(tmp_path)
    store.put(some_evidence(text="old"))

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os if call == "fsync" else Path, call, full)
    with pytest.raises(EnvironmentFault) as fault:
        store.put(some_evidence(text="new"))
    assert fault.value.diagnostics[0].code == "evidence-unwritable"
    assert [path.name for path in store.path(some_key()).parent.iterdir()] == [store.path(some_key()).name]
    assert store.get(some_key()) == some_evidence(text="old")


def test_two_processes_never_see_half_a_record(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_often, args=(tmp_path, text)) for text in ("a" * 20_000, "b" * 30_000)]
    store = EvidenceStore(tmp_path)
    store.put(some_evidence())
    for writer in writers:
        writer.start()
    seen = [store.get(some_key()) for _ in range(300)]
    for writer in writers:
        writer.join()
    assert [found for found in seen if isinstance(found, Unknown)] == []
    assert [writer.exitcode for writer in writers] == [0, 0]


def write_often(folder: Path, text: str) -> None:
    for _ in range(40):
        EvidenceStore(folder).put(some_evidence(text=text))


def test_a_record_that_is_not_a_mapping_of_a_key_is_refused() -> None:
    value = json.loads(render_evidence(some_evidence()))
    value["key"] = "tokens"
    value["sha256"] = sha256_of({name: part for name, part in value.items() if name != "sha256"})
    with pytest.raises(ValueError, match="its key does not have"):
        parse_evidence(canonical_json(value))


def sha256_of(value: object) -> str:
    import hashlib

    return hashlib.sha256(canonical_json(value)).hexdigest()
