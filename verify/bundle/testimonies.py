"""Evidence of other machines in a bundle: each such record stands in a testimony that its signer signed.

The signers are those of release.json, whose bytes belong to the release's digest. ssh-keygen checks the signatures;
where it is missing nothing is decided (`verify/signature.py` raises). A bundle without such records has no testimony.
"""

from collections.abc import Iterator, Mapping

from verify.bundle.documents import Bundle
from verify.bundle.finding import finding
from verify.bundle.layout import TESTIMONIES, members_of_testimony
from verify.bundle.policy import signers_of
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.evidence import Evidence
from verify.model.ids import Sha256
from verify.signature import check_signature
from verify.testimony import digest_of_testimony, parse_testimony, witness_of


def check_testimonies(bundle: Bundle, records: Mapping[str, Evidence]) -> Iterator[Diagnostic]:
    """Every record by a signer of release.json, by member, is in a sound testimony; and every testimony is sound."""
    signers = signers_of(bundle)
    told: dict[Sha256, Evidence] = {}
    for name in sorted(bundle.files):
        if not name.startswith(f"{TESTIMONIES}/") or not name.endswith(".json"):
            continue
        data = bundle.data(name) or b""
        try:
            testimony = parse_testimony(data)
        except CodecError as error:
            yield finding("bundle-testimony-unsound", f"`{name}` is no testimony: {error}", name)
            continue
        signer = next((each for each in signers if each.name == testimony.signer), None)
        members = members_of_testimony(digest_of_testimony(data))
        if signer is None or signer.role is not testimony.role or members[0] != name:
            yield finding("bundle-testimony-unsound", f"`{name}` is by `{testimony.made_by()}`, who is no signer", name)
            continue
        try:
            check_signature(data, bundle.data(members[1]) or b"", signer, file=name)
        except InputFault as fault:
            yield from (finding("bundle-testimony-unsound", each.message, name) for each in fault.diagnostics)
            continue
        told |= {record.key.digest: record for record in testimony.records}
    foreign = {witness_of(each.role, each.name) for each in signers}
    for name, record in sorted(records.items()):
        if record.made_by in foreign and told.get(record.key.digest) != record:
            message = f"`{name}` says that `{record.made_by}` made it, and no testimony of theirs has it"
            yield finding("bundle-testimony-missing", message, name)
