"""The records that a verdict rests on, as they are kept; each must still say what the judge saw.

A record can be replaced between judging and sealing, by another run on the same cache. Packing the new one under a
verdict on the old one would be a lie, so what was judged is compared with what is kept.
"""

from collections.abc import Iterable

from builder.foreign import Import, ImportStore
from verify.bundle.layout import members_of_testimony
from verify.evidence import EvidenceStore
from verify.gates.case import Case, Recorded
from verify.model.codec import canonical_json
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.evidence import Evidence
from verify.model.observation import encode_observation
from verify.model.verdict import Holds

_Seen = Recorded[object]


def evidence_of(
    holds: Holds, case: Case, store: EvidenceStore, foreign: Iterable[Evidence] = ()
) -> tuple[Evidence, ...]:
    """The record of every observation that a gate used; those that are not kept are left out, and `seal` refuses.

    `foreign` are records of other machines: what was judged on one of them is taken from there.
    """
    theirs = {(record.key.digest, record.made_by): record for record in foreign}
    used = {key for result in holds.results for key in result.evidence}
    recorded: list[_Seen] = [*case.builds.values(), *case.probes.values(), *case.abi.values()]
    for there in case.elsewhere.values():
        recorded += (*there.builds.values(), *there.probes.values())
    seen = {each.key: each for each in recorded if each.key in used}
    kept = {key: theirs.get((key, each.made_by)) or store.named(key) for key, each in seen.items()}
    records = {key: record for key, record in kept.items() if isinstance(record, Evidence)}
    judged = [each for each in recorded if each.key in records]
    changed = sorted({each.key for each in judged if not _says(records[each.key], each)})
    if changed:
        raise InputFault(
            Diagnostic(
                code="evidence-replaced",
                message=f"{len(changed)} records of evidence are not what was judged any more",
                notes=(
                    *(f"{records[key].key.kind} {key}" for key in changed[:10]),
                    "another run on the same cache measured the same; run again, what is kept is judged",
                ),
                help="stackproof release",
            )
        )
    return tuple(records.values())


def testimonies_of(records: Iterable[Evidence], imports: Iterable[Import], store: ImportStore) -> dict[str, bytes]:
    """The members of a bundle that vouch for records of other machines: each testimony that has one, signed."""
    wanted = {(record.key.digest, record.made_by) for record in records}
    members: dict[str, bytes] = {}
    for each in imports:
        if any((record.key.digest, record.made_by) in wanted for record in each.testimony.records):
            members |= dict(zip(members_of_testimony(each.digest), store.files(each.digest), strict=True))
    return members


def _says(record: Evidence, seen: _Seen) -> bool:
    return canonical_json(record.observation) == canonical_json(encode_observation(seen.observation))
