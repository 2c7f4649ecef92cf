"""reviews.json and the statement on review coverage: who approved what, held to release.json's policy."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.seal.project import Project, make_project
from tests.seal.tampering import edit, state_again, sum_again
from verify.bundle.check import Report, check_bundle
from verify.bundle.document import print_document
from verify.bundle.verdict import read_verdict, render_verdict
from verify.model.diagnostic import ExitCode
from verify.model.verdict import Failed, Outcome, Undecided


def make_key(folder: Path) -> tuple[Path, str]:
    """A new ssh key, and its public half as release.json has it."""
    key = folder / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(key)], check=True)
    return key, " ".join((folder / "key.pub").read_text().split()[:2])


def policy(public: str, **more: object) -> dict[str, object]:
    return {"signed": True, "signers": {"ada": {"role": "maintainer", "key": public}}, **more}


@pytest.fixture(scope="module")
def approved(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Block alpha is approved and signed, block beta is not, and that is allowed."""
    folder = tmp_path_factory.mktemp("approved")
    key, public = make_key(folder)
    return make_project(folder, reviews=policy(public), reviewer_key=key)


@pytest.fixture(scope="module")
def whole(approved: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return approved.seal(tmp_path_factory.mktemp("dist")).folder


@pytest.fixture
def reviewed(whole: Path, tmp_path: Path) -> Path:
    """A copy, to be broken."""
    return shutil.copytree(whole, tmp_path / whole.name)


def reviews(report: Report) -> Outcome:
    return next(each.outcome for each in report.checks if each.name == "reviews")


def test_the_statement_says_who_approved_what_and_what_is_not_covered(approved: Project, whole: Path) -> None:
    assert check_bundle(whole, base=approved.store.git_dir).exit_code() is ExitCode.HOLDS
    statement = json.loads((whole / "statements/reviews.json").read_bytes())
    assert [each["name"] for each in statement["subject"]] == [
        "patches/0001-alpha-base.patch", "patches/0002-alpha-pr-7.patch", "patches/0003-beta-base.patch",
    ]  # fmt: skip
    told = statement["predicate"]
    assert (told["covered"], told["total"]) == (2, 3)
    assert [(each["name"], each["state"]) for each in told["folds"]] == [
        ("alpha/base", "approved"), ("alpha/pr-7", "approved"), ("beta/base", "unreviewed"),
    ]  # fmt: skip
    (approval,) = told["folds"][0]["approvals"]
    assert approval["approver"] == "Ada Lovelace <ada@analytical.org>"
    assert (whole / approval["records"][0]["uri"]).is_file()


def test_a_release_without_reviews_says_that_nothing_is_covered(sealed: Path) -> None:
    told = json.loads((sealed / "statements/reviews.json").read_bytes())["predicate"]
    assert (told["covered"], told["total"]) == (0, 3)


def lie(bundle: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change reviews.json, and everything that names it by its digest."""
    edit(bundle, "reviews.json", change)
    verdict = json.loads((bundle / "verdict.json").read_bytes())
    from hashlib import sha256

    for support in verdict["rests_on"]:
        support["sha256"] = sha256((bundle / support["file"]).read_bytes()).hexdigest()
    data = print_document(verdict)
    assert render_verdict(read_verdict(data)) == data
    (bundle / "verdict.json").write_bytes(data)
    state_again(bundle)
    sum_again(bundle)


LIES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "approved without a record": (lambda r: r["folds"][2].update(state="approved"), "bundle-reviews-differ"),
    "another fold's approval": (
        lambda r: r["folds"][2].update(state="approved", approvals=r["folds"][0]["approvals"]),
        "bundle-reviews-differ",
    ),
    "a record that is not there": (
        lambda r: r["folds"][0]["approvals"][0]["records"][0].update(sha256="0" * 64),
        "bundle-reviews-differ",
    ),
    "a file that is no record": (
        lambda r: r["folds"][0]["approvals"][0]["records"][0].update(file="release.json"),
        "bundle-reviews-differ",
    ),
    "another change": (lambda r: r["folds"][0].update(identity="0" * 64), "bundle-reviews-differ"),
    "another tree": (lambda r: r["folds"][1].update(before=r["folds"][2]["before"]), "bundle-reviews-differ"),
    "a fold less": (lambda r: r["folds"].pop(), "bundle-reviews-differ"),
    "rejected": (lambda r: r["folds"][0].update(state="rejected"), "bundle-review-owed"),
}


@pytest.mark.parametrize("name", LIES)
def test_reviews_that_lie_are_found_though_every_digest_fits(name: str, reviewed: Path) -> None:
    change, code = LIES[name]
    lie(reviewed, change)
    outcome = reviews(check_bundle(reviewed, base=None))
    assert isinstance(outcome, Failed)
    assert code in {each.code for each in outcome.findings}, outcome


def test_another_text_of_the_statement_is_named(reviewed: Path) -> None:
    edit(reviewed, "statements/reviews.json", lambda s: s["predicate"].update(covered=3))
    sum_again(reviewed)
    report = check_bundle(reviewed, base=None)
    assert "statements/reviews.json" in {each.place.file for each in report.findings() if each.place}


@pytest.mark.parametrize(("asked", "holds"), [({"required": False}, True), ({"required": True}, False)])
def test_the_policy_is_asked_again(asked: dict[str, object], holds: bool, tmp_path: Path) -> None:
    key, public = make_key(tmp_path)
    folds = (("alpha", "base"), ("beta", "pr-7"))
    project = make_project(tmp_path, folds=folds, reviews=policy(public), reviewer_key=key)
    bundle = project.seal(tmp_path / "dist").folder
    document = json.loads((bundle / "release.json").read_bytes())
    document["policy"]["reviews"] |= asked
    (bundle / "release.json").write_text(json.dumps(document))
    outcome = reviews(check_bundle(bundle, base=None))
    assert isinstance(outcome, Failed) is not holds
    if isinstance(outcome, Failed):
        assert [each.message for each in outcome.findings] == [
            "fold `pr-7` of block `beta` does not stand approved: unreviewed"
        ]


def test_a_record_without_its_signature_or_by_another_key_is_not_enough(reviewed: Path, tmp_path: Path) -> None:
    (signature,) = reviewed.glob("blocks/alpha/reviews/*.sig")
    (tmp_path / "other").mkdir()
    key, _ = make_key(tmp_path / "other")
    record = signature.with_name(signature.name.removesuffix(".sig"))
    signature.unlink()
    outcome = reviews(check_bundle(reviewed, base=None))
    assert isinstance(outcome, Failed)
    assert [each.code for each in outcome.findings] == ["bundle-review-unsigned"]
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "stackproof-review", "-f", str(key), str(record)], check=True
    )
    outcome = reviews(check_bundle(reviewed, base=None))
    assert isinstance(outcome, Failed)
    assert "another key" in outcome.findings[0].message


def test_without_ssh_keygen_signed_records_are_undecided(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert isinstance(reviews(check_bundle(whole, base=None)), Undecided)
