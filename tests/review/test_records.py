"""Records are never edited unnoticed, and what is signed is signed by whose word it is."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.review.project import BASE, FOLDED, GRACE, Project, junit, make_project
from verify.manifest.reviews import document_name

ALAN = "Alan Kay <alan@parc.org>"
REVIEWS = Path("blocks/bound/reviews")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    return make_project(tmp_path, monkeypatch, {"required": True})


def approve(project: Project, *more: str, by: str = GRACE) -> Path:
    said = project.say("review", "add", "bound", "--by", by, "--scope", "all of it", *more)
    assert said.exit == 0, said.document
    files = said.document["files"]
    assert isinstance(files, list)
    return project.root / next(str(name) for name in files if name.endswith(".yaml"))


def state(project: Project) -> object:
    return project.say("review", "status").fold()["state"]


def test_an_edited_record_is_told(project: Project) -> None:
    record = approve(project)
    record.write_text(record.read_text().replace("all of it", "most of it"))
    assert project.say("check").codes() == ["review-altered"]


def test_an_edited_patch_of_a_review_is_told(project: Project) -> None:
    approve(project)
    patch = next((project.root / REVIEWS).glob("*.patch"))
    patch.write_bytes(patch.read_bytes() + b"\n")
    assert project.say("check").codes() == ["review-altered"]


def test_a_record_under_another_s_name_is_told(project: Project) -> None:
    record = approve(project)
    record.rename(record.with_name("delta" + record.name.removeprefix("review")))
    assert "review-altered" in project.say("check").codes()


def test_a_record_that_hangs_on_a_lost_one_is_told(project: Project) -> None:
    first = approve(project)
    project.lay(folded=FOLDED.replace("clamp(i)", "clamp(i + 1)"))
    approve(project, "--delta")
    first.unlink()
    assert "review-chain-broken" in project.say("review", "status").codes()


def test_other_files_among_the_records_are_told(project: Project) -> None:
    approve(project)
    (project.root / REVIEWS / "notes.txt").write_text("fine\n")
    assert "review-stray" in project.say("check").codes()


def test_an_approval_of_one_s_own_change_does_not_count(project: Project) -> None:
    approve(project, by="Ada Lovelace <ada@analytical.org>")
    assert state(project) == "needs review"


def test_two_approvals_are_of_two_people(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project(tmp_path, monkeypatch, {"required": True, "approvals": 2})
    approve(project)
    approve(project, "--non-claim", "once more")
    assert state(project) == "needs review"
    approve(project, by=ALAN)
    assert state(project) == "approved"


def test_a_rejection_of_this_very_change_decides(project: Project) -> None:
    approve(project)
    approve(project, "--reject", by=ALAN)
    assert state(project) == "rejected"
    assert "review-rejected" in project.say("review", "status").codes()


def test_a_rejection_is_over_when_its_reviewer_approves_the_next_revision(project: Project) -> None:
    approve(project, "--reject", by=ALAN)
    project.lay(folded=FOLDED.replace("clamp(i)", "clamp(i + 1)"))
    approve(project, "--delta", by=ALAN)
    assert state(project) == "approved"


def test_an_approval_is_taken_back_byte_for_byte(project: Project) -> None:
    approve(project)
    assert project.say("undo").exit == 0
    assert list((project.root / REVIEWS).glob("*")) == []


def test_claims_of_a_review_are_run_too(project: Project) -> None:
    claims = project.file(
        "claims.yaml", "claims:\n  - {kind: absent, says: no goto, symbol: push, files: ['src/*.cpp']}\n"
    )
    approve(project, "--claims", claims)
    assert "claim-fails" in project.say("check").codes()


def test_a_receipt_of_another_head_does_not_count_any_more(project: Project) -> None:
    approve(project, "--condition", "ci=x86")
    tree, commit = project.head()
    report = project.file("r.xml", junit(tree, commit, "x86"))
    said = project.say("review", "receipt", report, "--condition", "ci", "--by", GRACE)
    assert said.exit == 0, said.document
    assert project.say("review", "status").exit == 0
    project.lay(base="// a note\n" + BASE, folded="// a note\n" + FOLDED)
    assert project.say("review", "status").codes() == ["condition-unmet"]


def test_a_statement_that_nobody_signed_is_refused(project: Project) -> None:
    approve(project, "--condition", "ci=x86")
    tree, commit = project.head()
    statement = json.dumps({"tree": tree, "commit": commit, "leg": "x86", "tests": 3})
    said = project.say("review", "receipt", project.file("s.json", statement), "--condition", "ci", "--by", GRACE)
    assert said.codes() == ["receipt-unsigned"]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
class TestSigned:
    """The policy asks for signatures by Grace's key."""

    @pytest.fixture
    def project(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
        for name in ("grace", "alan"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / name)], check=True)
        signers = {
            name: {"role": "maintainer", "key": " ".join((tmp_path / f"{name}.pub").read_text().split()[:2])}
            for name in ("grace", "alan")
        }
        return make_project(tmp_path, monkeypatch, {"required": True, "signed": True, "signers": signers})

    def key(self, project: Project, name: str) -> str:
        return str(project.root.parent / name)

    def test_a_signed_approval_stands(self, project: Project) -> None:
        approve(project, "--key", self.key(project, "grace"))
        assert project.say("review", "status").exit == 0

    def test_an_unsigned_one_does_not(self, project: Project) -> None:
        approve(project)
        assert project.say("review", "status").codes() == ["review-unsigned"]

    def test_another_s_key_does_not_speak_for_her(self, project: Project) -> None:
        approve(project, "--key", self.key(project, "alan"))
        assert project.say("review", "status").codes() == ["review-signer-other"]

    def test_a_signature_moved_to_another_record_is_told(self, project: Project) -> None:
        first = approve(project, "--key", self.key(project, "grace"))
        second = approve(project, "--non-claim", "more", "--key", self.key(project, "grace"))
        Path(f"{second}.sig").write_bytes(Path(f"{first}.sig").read_bytes())
        assert project.say("review", "status").codes() == ["signature-wrong"]

    def sign(self, project: Project, file: str, name: str, namespace: str = "stackproof-review") -> None:
        key = self.key(project, name)
        subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", key, file], check=True)

    def test_a_signed_statement_meets_a_condition_and_is_checked_again(self, project: Project) -> None:
        grace = self.key(project, "grace")
        approve(project, "--condition", "ci=x86", "--key", grace)
        tree, commit = project.head()
        statement = {"tree": tree, "commit": commit, "leg": "x86", "tests": 3}
        file = project.file("s.json", json.dumps(statement, indent=1) + "\n")
        self.sign(project, file, "grace")
        asked = ("review", "receipt", file, "--condition", "ci", "--by", GRACE, "--key", grace)
        said = project.say(*asked)
        assert said.exit == 0, said.document
        assert project.say("review", "status").exit == 0
        # the receipt by itself is good, and says another number than what was signed
        (receipt,) = (project.root / REVIEWS).glob("receipt-*.yaml")
        text = receipt.read_bytes().replace(b"tests: 3\n", b"tests: 4\n")
        forged = receipt.with_name(document_name("receipt", text))
        receipt.unlink()
        receipt.with_name(f"{receipt.name}.sig").unlink()
        forged.write_bytes(text)
        self.sign(project, str(forged), "alan")
        assert project.say("review", "status").codes() == ["receipt-says-otherwise"]

    @pytest.mark.parametrize(
        ("name", "namespace", "code"),
        [("eve", "stackproof-review", "signature-other-key"), ("grace", "git", "signature-namespace")],
    )
    def test_a_statement_of_a_stranger_or_for_another_use_is_refused(
        self, project: Project, name: str, namespace: str, code: str
    ) -> None:
        eve = str(project.root.parent / "eve")
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", eve], check=True)
        approve(project, "--condition", "ci=x86")
        tree, commit = project.head()
        file = project.file("s.json", json.dumps({"tree": tree, "commit": commit, "leg": "x86", "tests": 3}))
        self.sign(project, file, name, namespace)
        assert project.say("review", "receipt", file, "--condition", "ci", "--by", GRACE).codes() == [code]
