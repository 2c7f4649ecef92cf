"""Laws of a bundle's documents: what is printed is read back, and nothing else reads as it."""

from hashlib import sha256

from hypothesis import given, settings
from hypothesis import strategies as st

from verify.bundle.sums import read_sums, render_sums
from verify.bundle.verdict import SealedVerdict, Support, read_verdict, render_verdict
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, Place, Severity
from verify.model.ids import BlockName, CommitId, GateName, ReleaseName, Sha256, TreeId
from verify.model.verdict import Deferred, Failed, GateResult, Passed, Subject, Undecided, Waived

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
DIGEST = st.binary(min_size=1, max_size=4).map(lambda data: Sha256(sha256(data).hexdigest()))
ID = DIGEST.map(lambda digest: digest[:40])
PLACES = st.builds(
    Place, file=TEXT, line=st.none() | st.integers(1, 99), column=st.none() | st.integers(1, 9),
    excerpt=st.none() | TEXT, width=st.integers(1, 9), label=TEXT,
)  # fmt: skip
FINDINGS = st.lists(
    st.builds(
        Diagnostic, code=st.just("a-code"), message=TEXT, place=st.none() | PLACES,
        notes=st.lists(TEXT, max_size=2).map(tuple), help=TEXT, severity=st.sampled_from(Severity),
    ),
    max_size=2,
).map(tuple)  # fmt: skip
OUTCOMES = st.one_of(
    st.builds(Passed, summary=TEXT),
    st.builds(Failed, summary=TEXT, findings=FINDINGS),
    st.builds(Waived, summary=TEXT, deviation=TEXT, findings=FINDINGS),
    st.builds(Undecided, summary=TEXT, reasons=FINDINGS),
    st.builds(Deferred, summary=TEXT, hardware=TEXT),
)
RESULTS = st.builds(
    GateResult, gate=TEXT.map(GateName), kind=TEXT, block=st.none() | TEXT.map(BlockName), required=st.booleans(),
    outcome=OUTCOMES, evidence=st.lists(DIGEST, max_size=2).map(tuple),
)  # fmt: skip
SUBJECTS = st.builds(
    Subject, release=TEXT.map(ReleaseName), digest=DIGEST, base_tree=ID.map(TreeId), tip_tree=ID.map(TreeId),
    tip_commit=ID.map(CommitId),
)  # fmt: skip
VERDICTS = st.builds(
    SealedVerdict, verdict=st.just("holds"), subject=SUBJECTS, results=st.lists(RESULTS, max_size=4).map(tuple),
    digest=DIGEST,
    rests_on=st.lists(st.builds(Support, file=TEXT, sha256=DIGEST), max_size=3, unique_by=lambda each: each.file).map(
        lambda supports: tuple(sorted(supports, key=lambda each: each.file))
    ),
)  # fmt: skip
NAMES = st.from_regex(r"[a-z0-9][a-z0-9._+-]{0,6}(/[a-z0-9][a-z0-9._+-]{0,6}){0,2}", fullmatch=True)


@given(VERDICTS)
@settings(derandomize=True, deadline=None)
def test_a_verdict_that_was_printed_is_read_back_whole(verdict: SealedVerdict) -> None:
    assert read_verdict(render_verdict(verdict)) == verdict


@given(VERDICTS, st.data())
@settings(derandomize=True, deadline=None)
def test_a_printed_verdict_with_another_byte_is_another_verdict_or_none(
    verdict: SealedVerdict, data: st.DataObject
) -> None:
    printed = render_verdict(verdict)
    at = data.draw(st.integers(0, len(printed) - 1))
    other = printed[:at] + bytes([printed[at] ^ data.draw(st.integers(1, 255))]) + printed[at + 1 :]

    try:
        read = read_verdict(other)
    except CodecError:
        return
    assert read != verdict


@given(st.dictionaries(NAMES, DIGEST, min_size=1, max_size=6))
@settings(derandomize=True, deadline=None)
def test_a_list_of_sums_that_was_printed_is_read_back_whole(sums: dict[str, Sha256]) -> None:
    assert read_sums(render_sums(sums)) == sums


@given(st.binary(max_size=60) | st.binary(max_size=20).map(lambda data: b"0" * 64 + b"  " + data))
@settings(derandomize=True, deadline=None)
def test_whatever_reads_as_a_list_of_sums_is_printed_so(data: bytes) -> None:
    read = read_sums(data)

    assert isinstance(read, int) or render_sums(read) == data
