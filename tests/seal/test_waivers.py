"""A verdict that was made milder by hand: waivers without a deviation, debts without hardware, claims for evidence."""

import json
import subprocess
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.register.given import accepted
from verify.bundle.deviations import check_waivers, render_deviations
from verify.bundle.documents import Bundle, open_bundle
from verify.bundle.evidence import check_evidence, check_verdict
from verify.bundle.layout import DEVIATIONS, EVIDENCE, RELEASE, members_of_testimony
from verify.bundle.members import Member, read_members
from verify.evidence import parse_evidence, render_evidence
from verify.model.deviation import Deviation, Trigger, Until
from verify.model.diagnostic import Diagnostic
from verify.model.ids import GateName, Sha256, TreeId
from verify.model.trust import Role
from verify.model.verdict import Deferred, Failed, Outcome, Passed, Waived
from verify.signature import sign
from verify.testimony import Testimony as Document  # pytest would take the name for a test
from verify.testimony import digest_of_testimony, render_testimony

FINDING = Diagnostic(code="golden-differs", message="`prompt-0` differs")
ACCEPTED = accepted(gate=GateName("optional"))
WAIVED = Waived(summary="", deviation="1", findings=(FINDING,))


@pytest.fixture
def opened(sealed: Path) -> Bundle:
    found = open_bundle(read_members(sealed))
    assert isinstance(found, Bundle)
    return found


def member(data: bytes, like: Member) -> Member:
    return replace(like, data=data, sha256=Sha256(sha256(data).hexdigest()))


def telling(bundle: Bundle, outcome: Outcome, *deviations: Deviation) -> Bundle:
    """The bundle whose verdict says that of the gate `optional`, with these deviations."""
    like = bundle.files[RELEASE]
    files = dict(bundle.files) | ({DEVIATIONS: member(render_deviations(deviations), like)} if deviations else {})
    results = tuple(
        replace(each, outcome=outcome) if each.gate == "optional" else each for each in bundle.verdict.results
    )
    return replace(bundle, files=files, verdict=replace(bundle.verdict, results=results))


def codes(bundle: Bundle) -> list[str]:
    return [each.code for each in check_waivers(bundle)]


def test_a_waiver_that_a_deviation_covers_is_sound(opened: Bundle) -> None:
    assert codes(telling(opened, WAIVED, ACCEPTED)) == []


@pytest.mark.parametrize(
    "deviations",
    [
        (),
        (replace(ACCEPTED, names=("prompt-1",)),),
        (replace(ACCEPTED, gate=GateName("trees")),),
        (replace(ACCEPTED, until=Until(trigger=Trigger.BASE, value="f" * 40)),),
        (replace(ACCEPTED, number=2),),
    ],
)
def test_a_waiver_that_nothing_covers_is_told(opened: Bundle, deviations: tuple[Deviation, ...]) -> None:
    assert set(codes(telling(opened, WAIVED, *deviations))) == {"bundle-waiver-unfounded"}


def test_what_a_failed_gate_has_accepted_must_be_covered_too(opened: Bundle) -> None:
    failed = Failed(summary="", findings=(FINDING,), accepted=(FINDING,))
    assert codes(telling(opened, failed, ACCEPTED)) == []
    assert codes(telling(opened, failed)) == ["bundle-waiver-unfounded"]


def test_deviations_that_cannot_be_read_are_told(opened: Bundle) -> None:
    bundle = telling(opened, WAIVED, ACCEPTED)
    files = dict(bundle.files) | {DEVIATIONS: member(b"{}\n", bundle.files[RELEASE])}
    assert codes(replace(bundle, files=files)) == ["bundle-document-unreadable"]


def told(outcome: Outcome) -> set[str]:
    found: Any = outcome
    return {each.code for each in found.findings} if isinstance(outcome, Failed) else set()


def test_a_debt_to_hardware_that_nobody_named_is_told(opened: Bundle) -> None:
    bundle = telling(opened, Deferred(summary="", hardware="gpu"))
    assert "bundle-debt-unfounded" in told(check_verdict(bundle))


def test_evidence_by_somebody_who_does_not_count_is_told(opened: Bundle) -> None:
    (name,) = [each for each in opened.files if each.startswith(f"{EVIDENCE}/")]
    record = parse_evidence(opened.data(name) or b"")
    claim = render_evidence(replace(record, made_by="contributor somebody"))
    files = dict(opened.files) | {name: member(claim, opened.files[name])}
    assert told(check_evidence(replace(opened, files=files))) == {"bundle-evidence-not-counted"}


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("key") / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", str(file)], check=True)
    return file


def witnessed(bundle: Bundle, key: Path, signed: bytes | None = None) -> Bundle:
    """The bundle whose record was made by a signer of release.json, with the testimony that he signed."""
    like = bundle.files[RELEASE]
    (name,) = [each for each in bundle.files if each.startswith(f"{EVIDENCE}/")]
    record = replace(parse_evidence(bundle.data(name) or b""), made_by="ci box")
    data = render_testimony(
        Document(
            signer="box",
            role=Role.CI,
            hardware="",
            release=bundle.verdict.subject.release,
            tip_tree=TreeId("a" * 40),
            records=(record,),
        )
    )
    public = " ".join(key.with_suffix(".pub").read_text().split()[:2])
    release = json.loads(bundle.data(RELEASE) or b"") | {
        "policy": {"evidence": {"signers": {"box": {"role": "ci", "key": public}}}}
    }
    told, signature = members_of_testimony(digest_of_testimony(data))
    files = dict(bundle.files) | {
        RELEASE: member(json.dumps(release).encode(), like),
        name: member(render_evidence(record), like),
        told: member(data, like),
        signature: member(sign(signed or data, key), like),
    }
    return replace(bundle, files=files)


def test_a_record_of_another_machine_stands_on_its_signed_testimony(opened: Bundle, key: Path) -> None:
    assert isinstance(check_evidence(witnessed(opened, key)), Passed)


def test_a_record_without_its_testimony_is_told(opened: Bundle, key: Path) -> None:
    bundle = witnessed(opened, key)
    files = {name: each for name, each in bundle.files.items() if not name.startswith("testimonies/")}
    assert told(check_evidence(replace(bundle, files=files))) == {"bundle-testimony-missing"}


def test_a_testimony_with_another_signature_is_told(opened: Bundle, key: Path) -> None:
    found = told(check_evidence(witnessed(opened, key, signed=b"something else")))
    assert found == {"bundle-testimony-unsound", "bundle-testimony-missing"}
