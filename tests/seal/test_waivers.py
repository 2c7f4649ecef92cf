"""A verdict that was made milder by hand: waivers without a deviation, debts without hardware, claims for evidence."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.register.given import accepted
from verify.bundle.deviations import check_waivers, render_deviations
from verify.bundle.documents import Bundle, open_bundle
from verify.bundle.evidence import check_evidence, check_verdict
from verify.bundle.layout import DEVIATIONS, EVIDENCE, RELEASE
from verify.bundle.members import Member, read_members
from verify.evidence import parse_evidence, render_evidence
from verify.model.deviation import Deviation, Trigger, Until
from verify.model.diagnostic import Diagnostic
from verify.model.ids import GateName, Sha256
from verify.model.verdict import Deferred, Failed, Outcome, Waived

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
