"""Checks the evidence and the verdict: the records are whole, are those that the gates used, and every gate holds.

What a record observed is not measured again here. That a record was not exchanged is: the verdict names each by the
digest of its key and by that of its bytes.
"""

from collections.abc import Iterator

from verify.bundle.deviations import check_waivers
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import DEVIATIONS, EVIDENCE, RELEASE, REVIEWS, STACK, VERDICT, evidence_member
from verify.bundle.policy import check_witness
from verify.bundle.testimonies import check_testimonies
from verify.evidence import parse_evidence
from verify.judge import exit_code
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, EnvironmentFault, ExitCode
from verify.model.evidence import Evidence
from verify.model.verdict import Deferred, Outcome, Undecided
from verify.waive import debts


def check_evidence(bundle: Bundle) -> Outcome:
    """Every record that the verdict used is there and sound, and no other."""
    findings: list[Diagnostic] = []
    found: set[str] = set()
    records: dict[str, Evidence] = {}
    for name in sorted(bundle.files):
        if not name.startswith(f"{EVIDENCE}/"):
            continue
        try:
            record = parse_evidence(bundle.data(name) or b"")
            findings += check_witness(bundle, name, record)
        except CodecError as error:
            findings.append(finding("bundle-evidence-unsound", f"`{name}` is no sound record: {error}", name))
            continue
        records[name], key = record, record.key
        if name != evidence_member(key.kind, key.digest):
            message = f"`{name}` holds the record of another measurement"
            expected = evidence_member(key.kind, key.digest)
            findings.append(differs("bundle-evidence-unsound", message, name, met=name, expected=expected))
        found.add(key.digest)
    findings += (
        finding("bundle-evidence-missing", f"the evidence {key} that the verdict used is not there", VERDICT)
        for key in sorted(bundle.verdict.evidence() - found)
    )
    try:
        findings += check_testimonies(bundle, records)
    except EnvironmentFault as fault:
        if not findings:
            return Undecided(summary=fault.diagnostics[0].message, reasons=fault.diagnostics)
    return ruled(findings, f"{len(found)} records, each whole and used by the verdict")


def check_verdict(bundle: Bundle) -> Outcome:
    """The verdict is about this very release, rests on these members, and every required gate holds."""
    left = debts(bundle.verdict.results)
    return ruled(
        [
            *_whole(bundle),
            *_subject(bundle),
            *_support(bundle),
            *_gates(bundle),
            *_debts(bundle),
            *check_waivers(bundle),
        ],
        f"{len(bundle.verdict.results)} gates on this very release, and it holds" + (f"; {left}" if left else ""),
    )


def _whole(bundle: Bundle) -> Iterator[Diagnostic]:
    met, expected = bundle.verdict.true_digest(), bundle.verdict.digest
    if met != expected:
        message = "subject and results are not those that the verdict's own digest names"
        yield differs("bundle-verdict-altered", message, VERDICT, met=met, expected=expected)
    if bundle.verdict.verdict != "holds":
        message = "the verdict is not that the release holds"
        yield differs("bundle-verdict-fails", message, VERDICT, met=f"{bundle.verdict.verdict:.80}", expected="holds")


def _subject(bundle: Bundle) -> Iterator[Diagnostic]:
    subject, stack = bundle.verdict.subject, bundle.stack
    for what, met, expected in (
        ("release", subject.release, stack.release),
        ("digest of the declared files", subject.digest, stack.digest),
        ("base tree", subject.base_tree, stack.base.tree),
        ("tip tree", subject.tip_tree, stack.tip.tree),
        ("tip commit", subject.tip_commit, stack.tip.commit),
    ):
        if met != expected:
            message = f"the verdict is about another {what}"
            yield differs("bundle-verdict-of-another", message, VERDICT, met=met, expected=expected)


def _support(bundle: Bundle) -> Iterator[Diagnostic]:
    named = {support.file: support.sha256 for support in bundle.verdict.rests_on}
    needed = {STACK, *(name for name in bundle.files if name.startswith(f"{EVIDENCE}/"))}
    needed |= {DEVIATIONS, REVIEWS} & bundle.files.keys()
    for name in sorted(needed | named.keys()):
        if name not in named:
            yield finding("bundle-verdict-of-another", f"the verdict does not rest on `{name}`", name)
        elif name not in bundle.files:
            yield finding("bundle-verdict-of-another", f"`{name}`, on which the verdict rests, is missing", name)
        elif bundle.files[name].sha256 != named[name]:
            message = f"`{name}` is not the file that the verdict rests on"
            met = bundle.files[name].sha256
            yield differs("bundle-verdict-of-another", message, name, met=met, expected=named[name])


def _debts(bundle: Bundle) -> Iterator[Diagnostic]:
    """What is deferred waits for hardware that release.json names, and for the one that its gate asks for."""
    asked = {gate.name: gate.hardware for gate in bundle.release.gates}
    for result in bundle.verdict.results:
        if isinstance(result.outcome, Deferred):
            met, expected = result.outcome.hardware, asked.get(result.gate, result.outcome.hardware)
            if met != expected or met not in bundle.release.hardware:
                message = f"gate `{result.gate}` is deferred, and `{RELEASE}` has no such hardware for it"
                yield differs("bundle-debt-unfounded", message, VERDICT, met=met, expected=expected or "none")


def _gates(bundle: Bundle) -> Iterator[Diagnostic]:
    results = bundle.verdict.results
    if exit_code(results) is not ExitCode.HOLDS:
        for result in results:
            if result.required and exit_code((result,)) is not ExitCode.HOLDS:
                message = f"gate `{result.gate}` does not hold: {result.outcome.summary}"
                yield finding("bundle-verdict-fails", message, VERDICT)
        if not any(result.required for result in results):
            yield finding("bundle-verdict-fails", "the verdict has no required gate, and nothing holds", VERDICT)
    met = [(result.block, result.gate, result.kind, result.required) for result in results]
    if len(set(met)) != len(met):
        yield finding("bundle-verdict-fails", "the verdict rules on a gate twice", VERDICT)
    for block, gate in bundle.stack.all_gates():
        if (block, gate.name, gate.kind, gate.required) not in met:
            where = "release.json" if block is None else f"block `{block}`"
            message = f"gate `{gate.name}` of {where} is declared, and the verdict does not rule on it"
            yield finding("bundle-verdict-fails", message, VERDICT)
