"""The records that a verdict rests on, as they are kept; each must still say what the judge saw.

A record can be replaced between judging and sealing, by another run on the same cache. Packing the new one under a
verdict on the old one would be a lie, so what was judged is compared with what is kept.
"""

from verify.evidence import EvidenceStore
from verify.gates.case import Case, Recorded
from verify.model.codec import canonical_json
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.evidence import Evidence
from verify.model.observation import encode_observation
from verify.model.verdict import Holds

_Seen = Recorded[object]


def evidence_of(holds: Holds, case: Case, store: EvidenceStore) -> tuple[Evidence, ...]:
    """The record of every observation that a gate used; those that are not kept are left out, and `seal` refuses."""
    used = {key for result in holds.results for key in result.evidence}
    recorded: list[_Seen] = [*case.builds.values(), *case.probes.values(), *case.abi.values()]
    for there in case.elsewhere.values():
        recorded += (*there.builds.values(), *there.probes.values())
    seen = {each.key: each for each in recorded if each.key in used}
    kept = {key: store.named(key) for key in seen}
    records = {key: record for key, record in kept.items() if isinstance(record, Evidence)}
    changed = sorted(key for key, record in records.items() if not _says(record, seen[key]))
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


def _says(record: Evidence, seen: _Seen) -> bool:
    return canonical_json(record.observation) == canonical_json(encode_observation(seen.observation))
