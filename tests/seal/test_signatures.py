"""Who made a bundle: signed statements, and what is not theirs."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.seal.project import Project, make_project
from tests.seal.tampering import edit, state_again, sum_again
from verify.bundle.check import check_bundle
from verify.bundle.signatures import read_signers
from verify.model.diagnostic import InputFault
from verify.model.verdict import Passed, Undecided


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An ssh key, a plain one, and the ssh key of somebody else."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("mine", "other"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", folder / name], check=True)
        public = (folder / f"{name}.pub").read_text()
        (folder / f"{name}.signers").write_text(f"# whom we believe\n{name}@lab {public}")
    subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", folder / "plain"], check=True)
    return folder


@pytest.fixture(scope="module")
def simple(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A project without an image, which is made in a moment."""
    return make_project(tmp_path_factory.mktemp("simple"))


@pytest.fixture(scope="module")
def signed(simple: Project, keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its bundle, signed by ssh."""
    return simple.seal(tmp_path_factory.mktemp("signed"), key=keys / "mine").folder


def outcome(bundle: Path, signers: Path | None) -> object:
    """How the check of signatures ended."""
    report = check_bundle(bundle, base=None, signers=None if signers is None else read_signers(signers))
    return {check.name: check.outcome for check in report.checks}["signatures"]


def codes(bundle: Path, signers: Path) -> set[tuple[str, str]]:
    """Code and file of every finding."""
    report = check_bundle(bundle, base=None, signers=read_signers(signers))
    return {(each.code, each.place.file) for each in report.findings() if each.place}


def test_a_bundle_signed_by_ssh_is_believed_by_whoever_knows_the_key(signed: Path, keys: Path) -> None:
    met = outcome(signed, keys / "mine.signers")
    assert isinstance(met, Passed)
    assert met.summary.startswith("signed by mine@lab, ssh-ed25519 ")


def test_without_signers_the_key_is_told_and_that_nobody_asked(signed: Path) -> None:
    met = outcome(signed, None)
    assert isinstance(met, Passed)
    assert met.summary.endswith("whose key that is was not asked")


def test_the_same_key_signs_the_same_bytes(simple: Project, signed: Path, keys: Path, tmp_path: Path) -> None:
    again = simple.seal(tmp_path, key=keys / "mine").folder
    assert (again / "SHA256SUMS").read_bytes() == (signed / "SHA256SUMS").read_bytes()


def test_a_plain_key_signs_as_well(simple: Project, keys: Path, tmp_path: Path) -> None:
    bundle = simple.seal(tmp_path, key=keys / "plain").folder
    met = outcome(bundle, None)
    assert isinstance(met, Passed)
    name = tmp_path / "signers"
    name.write_text("lab " + met.summary.removeprefix("signed by ").partition(";")[0] + "\n")
    assert isinstance(outcome(bundle, name), Passed)


def test_a_plain_signature_over_other_bytes_is_refused(simple: Project, keys: Path, tmp_path: Path) -> None:
    bundle = simple.seal(tmp_path, key=keys / "plain").folder
    one, other = (bundle / f"signatures/{name}.dsse.json" for name in ("tests", "release"))

    def exchange(envelope: dict[str, object]) -> None:
        import json

        envelope["signatures"] = json.loads(other.read_bytes())["signatures"]

    edit(bundle, one.relative_to(bundle).as_posix(), exchange)
    sum_again(bundle)
    report = check_bundle(bundle, base=None)
    assert ("bundle-signature-wrong", "signatures/tests.dsse.json") in {
        (each.code, each.place.file) for each in report.findings() if each.place
    }


def test_another_persons_key_is_named(signed: Path, keys: Path) -> None:
    assert ("bundle-signer-unknown", "signatures/release.dsse.json") in codes(signed, keys / "other.signers")


def test_an_unsigned_bundle_does_not_hold_where_a_signer_is_asked_for(sealed: Path, keys: Path) -> None:
    assert ("bundle-signature-wrong", "signatures/release.dsse.json") in codes(sealed, keys / "mine.signers")


def test_a_bundle_that_was_made_to_agree_again_is_not_what_was_signed(signed: Path, keys: Path, tmp_path: Path) -> None:
    bundle = shutil.copytree(signed, tmp_path / signed.name)
    edit(bundle, "sbom.cdx.json", lambda sbom: sbom.update(components=[]))
    state_again(bundle)
    sum_again(bundle)
    assert ("bundle-signature-wrong", "signatures/release.dsse.json") in codes(bundle, keys / "mine.signers")


def test_an_older_signed_statement_is_refused(simple: Project, signed: Path, keys: Path, tmp_path: Path) -> None:
    older = make_project(tmp_path / "older", seconds=9.5).seal(tmp_path / "dist", key=keys / "mine").folder
    bundle = shutil.copytree(signed, tmp_path / signed.name)
    for name in ("statements/release.json", "signatures/release.dsse.json"):
        shutil.copyfile(older / name, bundle / name)
    sum_again(bundle)
    found = codes(bundle, keys / "mine.signers")
    assert ("bundle-statement-differs", "statements/release.json") in found


def test_an_older_envelope_on_a_new_statement_is_refused(signed: Path, keys: Path, tmp_path: Path) -> None:
    older = make_project(tmp_path / "older", seconds=9.5).seal(tmp_path / "dist", key=keys / "mine").folder
    bundle = shutil.copytree(signed, tmp_path / signed.name)
    shutil.copyfile(older / "signatures/release.dsse.json", bundle / "signatures/release.dsse.json")
    sum_again(bundle)
    assert ("bundle-signature-wrong", "signatures/release.dsse.json") in codes(bundle, keys / "mine.signers")


def test_without_ssh_keygen_nothing_is_decided(
    signed: Path, keys: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git = shutil.which("git")
    assert git is not None
    (tmp_path / "git").symlink_to(git)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(outcome(signed, keys / "mine.signers"), Undecided)


@pytest.mark.parametrize("text", ["mine ssh-ed25519\n", 'mine namespaces="x" ssh-ed25519 AAAA\n', "\xff\n"])
def test_a_list_of_signers_that_says_something_else_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "signers").write_text(text, "latin-1")
    with pytest.raises(InputFault):
        read_signers(tmp_path / "signers")
