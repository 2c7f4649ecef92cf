"""verdict.json: the verdict that a release was sealed on, every gate with its outcome, and what it rests on by content.

Both directions, so that the format is one thing. `digest` names subject and results as the judge's own token does;
`rests_on` names the members that hold the evidence and the stack, with the SHA-256 of each, so that none of them can
be exchanged for another.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from verify.bundle.document import load_document, print_document
from verify.model.codec import CodecError, from_json, to_json
from verify.model.ids import BlockName, GateName, Sha256
from verify.model.verdict import (
    Deferred,
    Failed,
    GateResult,
    Outcome,
    Passed,
    Subject,
    Undecided,
    Waived,
    verdict_digest,
)
from verify.report.json import result_json, subject_json

SCHEMA = "stackproof/bundle-verdict/1"

_FIELDS = {"schema", "verdict", "subject", "results", "digest", "rests_on"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """A member that the verdict rests on, by content."""

    file: str
    sha256: Sha256


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedVerdict:
    """The whole of verdict.json. `digest` is as it is written there; `true_digest` is computed."""

    verdict: str
    subject: Subject
    results: tuple[GateResult, ...]
    digest: Sha256
    rests_on: tuple[Support, ...]

    def true_digest(self) -> Sha256:
        """The digest that subject and results really have."""
        return verdict_digest(self.subject, self.results)

    def evidence(self) -> frozenset[Sha256]:
        """The keys of all evidence that the gates used."""
        return frozenset(key for result in self.results for key in result.evidence)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Head:
    gate: GateName
    kind: str
    block: BlockName | None
    required: bool
    evidence: tuple[Sha256, ...]


_HEAD = ("gate", "kind", "block", "required", "evidence")


def render_verdict(verdict: SealedVerdict) -> bytes:
    """The document's bytes."""
    return print_document(
        {
            "schema": SCHEMA,
            "verdict": verdict.verdict,
            "subject": subject_json(verdict.subject),
            "results": [result_json(result) for result in verdict.results],
            "digest": verdict.digest,
            "rests_on": to_json(tuple(sorted(verdict.rests_on, key=lambda support: support.file))),
        }
    )


def read_verdict(data: bytes) -> SealedVerdict:
    """The document; `CodecError` says why it is not one."""
    value = load_document(data)
    if not isinstance(value, dict) or value.keys() != _FIELDS:
        raise CodecError("it does not have exactly the fields of a verdict")
    if value["schema"] != SCHEMA:
        raise CodecError(f"its schema is {value['schema']!r:.80}, expected {SCHEMA!r}")
    if not isinstance(value["verdict"], str) or not isinstance(value["digest"], str):
        raise CodecError("its verdict or its digest is not text")
    results, supports = value["results"], value["rests_on"]
    if not isinstance(results, list) or not isinstance(supports, list):
        raise CodecError("its results or what it rests on is not a list")
    verdict = SealedVerdict(
        verdict=value["verdict"],
        subject=from_json(Subject, value["subject"]),
        results=tuple(_result(result) for result in results),
        digest=Sha256(value["digest"]),
        rests_on=tuple(from_json(Support, support) for support in supports),
    )
    if render_verdict(verdict) != data:
        raise CodecError("it is not in the one spelling that it has")
    return verdict


def _result(value: object) -> GateResult:
    if not isinstance(value, dict) or "outcome" not in value:
        raise CodecError("a result is not an object with an outcome")
    head = from_json(_Head, {name: value[name] for name in _HEAD if name in value})
    rest = {name: part for name, part in value.items() if name not in _HEAD and name != "outcome"}
    return GateResult(
        gate=head.gate,
        kind=head.kind,
        block=head.block,
        required=head.required,
        outcome=_outcome(value["outcome"], rest),
        evidence=head.evidence,
    )


def _outcome(word: object, rest: Mapping[str, object]) -> Outcome:
    match word:
        case "passed":
            return from_json(Passed, rest)
        case "failed":
            return from_json(Failed, {"accepted": [], **rest})
        case "waived":
            return from_json(Waived, rest)
        case "undecided":
            return from_json(Undecided, rest)
        case "deferred":
            return from_json(Deferred, rest)
        case _:
            raise CodecError(f"no gate ends as {word!r:.80}")
