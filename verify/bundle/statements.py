"""What a release states of itself, as in-toto statements that other programs know: how it was built, how it was
tested, and that it holds.

Every statement follows from the documents, the evidence and the digests of the other members. So it is printed here
for the seal, and printed again and compared when a bundle is checked: a statement about another release, or an older
one of this release, is another text.

Formats: in-toto Statement v1, SLSA provenance v1, test result v0.1, SLSA verification summary v1; review coverage is
a predicate of our own, since none is published.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from urllib.parse import quote

from verify.bundle.builds import built_files, tip_build
from verify.bundle.document import print_document
from verify.bundle.documents import ReleaseConfiguration, ReleaseDocument
from verify.bundle.layout import (
    EVIDENCE,
    RELEASE,
    REVIEWS,
    SIGNATURES,
    STATEMENTS,
    SUMS,
    VERDICT,
    binaries_member,
    evidence_member,
    source_member,
    statement_member,
)
from verify.bundle.reviews import BundleReviews
from verify.bundle.stack import BundleStack
from verify.bundle.verdict import SealedVerdict
from verify.model.evidence import Evidence
from verify.model.ids import Sha256
from verify.model.verdict import Failed, GateResult, Passed

STATEMENT = "https://in-toto.io/Statement/v1"
PAYLOAD_TYPE = "application/vnd.in-toto+json"
_PROVENANCE = "https://slsa.dev/provenance/v1"
_TESTS = "https://in-toto.io/attestation/test-result/v0.1"
_COVERAGE = "urn:stackproof:review-coverage:1"
_SUMMARY = "https://slsa.dev/verification_summary/v1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stated:
    """All that statements are made of; `digests` are those of every member but statements, signatures and the sums.

    `reviews` is None only where they could not be read.
    """

    release: ReleaseDocument
    stack: BundleStack
    verdict: SealedVerdict
    records: tuple[Evidence, ...]
    reviews: BundleReviews | None
    digests: Mapping[str, Sha256]


def statements(stated: Stated) -> dict[str, bytes]:
    """Every statement by its member's name."""
    made: dict[str, bytes] = {}
    for configuration in stated.release.configurations:
        record = tip_build(configuration, stated.stack.tip.tree, stated.records)
        if record is not None:
            made[statement_member(f"build-{configuration.name}")] = _build(stated, configuration, record)
    made[statement_member("tests")] = _tests(stated)
    if stated.reviews is not None:
        made[statement_member("reviews")] = _reviews(stated, stated.reviews)
    made[statement_member("release")] = _release(stated, made)
    return made


def is_stated(member: str) -> bool:
    """Whether the release statement names this member: all but statements, what signs them, and the sums."""
    return member != SUMS and not member.startswith((f"{STATEMENTS}/", f"{SIGNATURES}/"))


def _build(stated: Stated, configuration: ReleaseConfiguration, record: Evidence) -> bytes:
    parts = dict(record.key.parts)
    archive = binaries_member(stated.release.name, configuration.name)
    evidence = evidence_member(record.key.kind, record.key.digest)
    built = [_named(f"bin/{each.name}", each.sha256) for each in built_files(record)]
    return _statement(
        [*(_named(name, stated.digests[name]) for name in (archive,) if name in stated.digests), *built],
        _PROVENANCE,
        {
            "buildDefinition": {
                "buildType": f"urn:stackproof:build:{parts.get('recipe', '')}",
                "externalParameters": {
                    "configuration": configuration.name,
                    "build_type": configuration.build_type,
                    "options": dict(configuration.options),
                    "targets": list(configuration.targets),
                    "source": _tip(stated),
                },
                "internalParameters": {
                    name: value for name, value in parts.items() if name not in configuration.key_parts()
                },
                "resolvedDependencies": _dependencies(stated),
            },
            "runDetails": {
                "builder": {"id": f"urn:stackproof:builder:{quote(record.made_by, safe='')}"},
                "metadata": {"invocationId": record.key.digest, "finishedOn": record.made_at},
                "byproducts": [_named(evidence, stated.digests.get(evidence, Sha256("")))],
            },
        },
    )


def _dependencies(stated: Stated) -> list[dict[str, object]]:
    """The pinned archive, upstream's commit, and every patch."""
    release, stack = stated.release, stated.stack
    source = release.source
    found: list[dict[str, object]] = []
    if isinstance(source.get("sha256"), str):
        where = f"pkg:pypi/{source['package']}@{source['version']}" if "package" in source else f"{source.get('file')}"
        found.append({"uri": where, "digest": {"sha256": source["sha256"]}})
    found.append({"name": "base", "digest": {"gitCommit": stack.base.commit, "gitTree": stack.base.tree}})
    found += ({"uri": fold.patch, "digest": {"sha256": fold.patch_sha256}} for _, fold in stack.folds())
    return found


def _tests(stated: Stated) -> bytes:
    """Each gate by the name of its block and its own."""
    results = stated.verdict.results
    warned = [each for each in results if not isinstance(each.outcome, (Passed, Failed))]
    return _statement(
        [_tip(stated), *_those(stated, source_member(stated.release.name))],
        _TESTS,
        {
            "result": "PASSED" if stated.verdict.verdict == "holds" else "FAILED",
            "configuration": [*_those(stated, RELEASE, VERDICT)],
            "passedTests": [_title(each) for each in results if isinstance(each.outcome, Passed)],
            "warnedTests": [_title(each) for each in warned],
            "failedTests": [_title(each) for each in results if isinstance(each.outcome, Failed)],
        },
    )


def _reviews(stated: Stated, reviews: BundleReviews) -> bytes:
    """Every patch, who approved it and on which records; what is not covered is there as well."""
    patches = {(block, fold.id): fold.patch for block, fold in stated.stack.folds()}
    return _statement(
        [_named(fold.patch, fold.patch_sha256) for _, fold in stated.stack.folds()],
        _COVERAGE,
        {
            "policy": {"uri": RELEASE, "digest": {"sha256": stated.digests[RELEASE]}},
            "standings": {"uri": REVIEWS, "digest": {"sha256": stated.digests[REVIEWS]}},
            "covered": len(reviews.standing()),
            "total": len(reviews.folds),
            "folds": [
                {
                    "name": f"{each.block}/{each.fold}",
                    "patch": {"uri": patches.get((each.block, each.fold)), "digest": {"sha256": each.patch}},
                    "state": each.state.value,
                    "approvals": [
                        {
                            "approver": approval.approver,
                            "state": approval.state.value,
                            "grade": approval.grade.value,
                            "records": [
                                {"uri": one.file, "digest": {"sha256": one.sha256}} for one in approval.records
                            ],
                        }
                        for approval in each.approvals
                    ],
                }
                for each in reviews.folds
            ],
            "conditions": [
                {"id": each.id, "kind": each.kind.value, "record": each.record, "met": list(each.met),
                 "missing": list(each.missing)}
                for each in reviews.conditions
            ],
        },
    )  # fmt: skip


def _release(stated: Stated, made: Mapping[str, bytes]) -> bytes:
    """Every other member by its digest, and that the release holds."""
    return _statement(
        [_named(name, digest) for name, digest in sorted(stated.digests.items())],
        _SUMMARY,
        {
            "verifier": {"id": "urn:stackproof:judge"},
            "timeVerified": datetime.fromtimestamp(stated.stack.seconds(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "resourceUri": f"urn:stackproof:release:{stated.release.name}",
            "policy": {"uri": RELEASE, "digest": {"sha256": stated.digests[RELEASE]}},
            "inputAttestations": [
                *({"uri": name, "digest": {"sha256": sha256(data).hexdigest()}} for name, data in sorted(made.items())),
                *(
                    {"uri": name, "digest": {"sha256": digest}}
                    for name, digest in sorted(stated.digests.items())
                    if name.startswith(f"{EVIDENCE}/")
                ),
            ],
            "verificationResult": "PASSED" if stated.verdict.verdict == "holds" else "FAILED",
            "verifiedLevels": ["SLSA_BUILD_LEVEL_UNEVALUATED"],
        },
    )


def _statement(subject: list[dict[str, object]], kind: str, predicate: Mapping[str, object]) -> bytes:
    return print_document({"_type": STATEMENT, "subject": subject, "predicateType": kind, "predicate": predicate})


def _tip(stated: Stated) -> dict[str, object]:
    tip = stated.stack.tip
    return {"name": stated.release.name, "digest": {"gitCommit": tip.commit, "gitTree": tip.tree}}


def _those(stated: Stated, *names: str) -> list[dict[str, object]]:
    return [_named(name, stated.digests[name]) for name in names if name in stated.digests]


def _named(name: str, digest: Sha256) -> dict[str, object]:
    return {"name": name, "digest": {"sha256": digest}}


def _title(result: GateResult) -> str:
    return f"{result.block}/{result.gate}" if result.block else result.gate
