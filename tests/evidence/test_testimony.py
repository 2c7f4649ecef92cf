"""Foreign evidence: signed with a real ssh key, and what is refused of it."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from builder.foreign import Import, ImportStore, read_import
from tests.evidence.records import some_evidence
from verify.model.diagnostic import EnvironmentFault, Fault, InputFault
from verify.model.ids import ReleaseName, TreeId
from verify.model.trust import EvidencePolicy, Role, Signer
from verify.signature import NAMESPACE, check_signature, sign
from verify.testimony import Testimony as Document  # pytest would take the name for a test
from verify.testimony import parse_testimony, render_testimony


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A private key in a file, and its public half as release.json has it."""

    file: Path
    public: str


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Key]:
    folder, made = tmp_path_factory.mktemp("keys"), {}

    def key(name: str) -> Key:
        if name not in made:
            file = folder / name
            subprocess.run(
                ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "a comment", "-f", str(file)], check=True
            )
            made[name] = Key(file=file, public=" ".join(file.with_suffix(".pub").read_text().split()[:2]))
        return made[name]

    return key


@pytest.fixture
def key(keys: Callable[[str], Key]) -> Key:
    return keys("box")


@pytest.fixture
def policy(key: Key) -> EvidencePolicy:
    return EvidencePolicy(signers=(Signer(name="box", role=Role.CI, key=key.public),))


def written(role: Role = Role.CI, made_by: str = "ci box") -> bytes:
    return render_testimony(
        Document(
            signer="box",
            role=role,
            hardware="gpu",
            release=ReleaseName("r-1"),
            tip_tree=TreeId("a" * 40),
            records=(replace(some_evidence(), made_by=made_by),),
        )
    )


def refused(data: bytes, signature: bytes, policy: EvidencePolicy) -> str:
    with pytest.raises(InputFault) as fault:
        read_import(data, signature, policy, file="gpu.json")
    (told,) = fault.value.diagnostics
    assert told.help
    return told.code


def test_a_testimony_reads_as_it_was_written() -> None:
    read = parse_testimony(written())
    assert (read.signer, read.hardware, len(read.records)) == ("box", "gpu", 1)
    assert render_testimony(read) == written()


def test_what_a_trusted_signer_signed_is_evidence(key: Key, policy: EvidencePolicy) -> None:
    data = written()
    found = read_import(data, sign(data, key.file), policy, file="gpu.json")
    assert (found.counts, found.hardware) == (True, "gpu")


def test_what_a_contributor_signed_is_a_claim(key: Key, policy: EvidencePolicy, tmp_path: Path) -> None:
    data = written(Role.CONTRIBUTOR, "contributor box")
    trusting = replace(policy, signers=(replace(policy.signers[0], role=Role.CONTRIBUTOR),))
    store = ImportStore(tmp_path / "imports")
    store.put(data, sign(data, key.file))
    (found,) = store.every(trusting)
    assert isinstance(found, Import)
    assert found.counts is False
    assert store.sound(trusting) == ()


def test_one_altered_byte_is_refused(key: Key, policy: EvidencePolicy) -> None:
    data = written()
    altered = data.replace(b'"release":"r-1"', b'"release":"r-2"')
    assert refused(altered, sign(data, key.file), policy) == "signature-wrong"


def test_another_key_is_refused(keys: Callable[[str], Key], policy: EvidencePolicy) -> None:
    data = written()
    assert refused(data, sign(data, keys("stranger").file), policy) == "signature-other-key"


def test_a_signature_for_another_use_is_refused(key: Key, policy: EvidencePolicy) -> None:
    data = written()
    command = ["ssh-keygen", "-Y", "sign", "-n", "git", "-f", str(key.file)]
    made = subprocess.run(command, input=data, capture_output=True, check=True).stdout
    assert refused(data, made, policy) == "signature-namespace"


def test_a_signer_whom_nobody_named_is_refused(key: Key) -> None:
    data = written()
    assert refused(data, sign(data, key.file), EvidencePolicy()) == "signer-unknown"


def test_a_signer_cannot_give_himself_another_role(key: Key, policy: EvidencePolicy) -> None:
    data = written(Role.MAINTAINER, "maintainer box")
    assert refused(data, sign(data, key.file), policy) == "testimony-misattributed"


def test_a_record_that_somebody_else_made_is_refused(key: Key, policy: EvidencePolicy) -> None:
    data = written(made_by="ci another-box")
    assert refused(data, sign(data, key.file), policy) == "testimony-unreadable"


@pytest.mark.parametrize(
    "broken", [b"", b"-----BEGIN SSH SIGNATURE-----\nAAAA\n-----END SSH SIGNATURE-----\n", b"\xff"]
)
def test_what_is_no_signature_is_refused(broken: bytes, policy: EvidencePolicy) -> None:
    assert refused(written(), broken, policy) == "signature-unreadable"


def test_a_cut_signature_is_refused(key: Key, policy: EvidencePolicy) -> None:
    data = written()
    lines = sign(data, key.file).splitlines(keepends=True)
    assert refused(data, b"".join(lines[:2] + lines[-1:]), policy) == "signature-unreadable"


def test_what_lies_in_the_cache_is_checked_again_when_it_is_used(
    key: Key, policy: EvidencePolicy, tmp_path: Path
) -> None:
    data = written()
    store = ImportStore(tmp_path / "imports")
    place = store.put(data, sign(data, key.file))
    assert len(store.sound(policy)) == 1
    (place / "testimony.json").write_bytes(data.replace(b'"hardware":"gpu"', b'"hardware":"tpu"'))
    (found,) = store.every(policy)
    assert isinstance(found, Fault)
    assert store.sound(policy) == ()


def test_a_key_that_is_not_there_signs_nothing(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentFault, match="signing-failed"):
        sign(b"x", tmp_path / "none")


def test_the_namespace_is_ours(key: Key) -> None:
    signer = Signer(name="box", role=Role.CI, key=key.public)
    check_signature(b"data", sign(b"data", key.file), signer, file="x")
    assert NAMESPACE == "stackproof-evidence"
