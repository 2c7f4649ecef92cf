"""Foreign evidence: testimonies that were imported, and what of a gate's needs they answer.

An import keeps the signed bytes and their signature as they came; both are checked again whenever they are used, so
that nothing in the cache can be made into evidence by editing it. A testimony of somebody whose role does not count
is kept all the same, as claims.

Another machine has another compiler, so its keys are not ours. A record of it answers a need when its key is ours in
every part but those that say with what and where it was made, and when it ran on the builds of the same testimony.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from verify.gates.case import Elsewhere, Recorded
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic, Fault, InputFault, Place
from verify.model.evidence import BuildNeed, Evidence, Key, Need, ProbeNeed
from verify.model.ids import ModelName, Sha256
from verify.model.observation import BuildObservation, decode_observation
from verify.model.trust import EvidencePolicy
from verify.probe.engine import build_identity
from verify.probe.run import asked_parts, decode_probe
from verify.signature import check_signature
from verify.testimony import Testimony, digest_of_testimony, parse_testimony

S = TypeVar("S")

_WHERE = {"toolchain", "machine", "hardware", "bindings", "tool"}
"""The parts of a key that say with what and where something was made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Import:
    """A testimony whose signature is the signer's; `counts` says whether its records are evidence or claims."""

    digest: Sha256
    testimony: Testimony
    counts: bool

    @property
    def hardware(self) -> str:
        """The hardware that it was measured on."""
        return self.testimony.hardware


def read_import(data: bytes, signature: bytes, policy: EvidencePolicy, *, file: str) -> Import:
    """A testimony as this release sees it; `InputFault` unless a signer of release.json signed it in his role."""
    try:
        testimony = parse_testimony(data)
    except CodecError as error:
        raise InputFault(
            Diagnostic(
                code="testimony-unreadable",
                message=f"{file} is no testimony: {error}",
                place=Place(file=file),
                help="stackproof evidence export --help",
            )
        ) from error
    signer = policy.signer(testimony.signer)
    if signer is None:
        known = ", ".join(f"`{each.name}`" for each in policy.signers) or "nobody"
        raise InputFault(
            Diagnostic(
                code="signer-unknown",
                message=f"{file} is by `{testimony.signer}`, whom release.json does not name",
                place=Place(file=file),
                notes=(f"signers there: {known}",),
                help="add the signer with role and key under `policy` in release.json, if you trust him",
            )
        )
    check_signature(data, signature, signer, file=file)
    if testimony.role is not signer.role:
        raise InputFault(
            Diagnostic(
                code="testimony-misattributed",
                message=f"{file} says that `{testimony.signer}` measured as `{testimony.role}`",
                place=Place(file=file),
                notes=(f"release.json: `{signer.role}`",),
                help=f"export it anew as `{signer.role}`",
            )
        )
    return Import(digest=digest_of_testimony(data), testimony=testimony, counts=signer.role in policy.counts)


class ImportStore:
    """Testimonies with their signatures in a folder, by digest."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, data: bytes, signature: bytes) -> Path:
        """Keep both, whole or not at all."""
        place = self.folder / digest_of_testimony(data)
        if place.is_dir():
            return place
        self.folder.mkdir(parents=True, exist_ok=True)
        made = Path(tempfile.mkdtemp(prefix=".new-", dir=self.folder))
        (made / "testimony.json").write_bytes(data)
        (made / "signature").write_bytes(signature)
        made.chmod(0o755)
        try:
            made.rename(place)
        except OSError:
            if not place.is_dir():  # else somebody else kept the same just now
                raise
        return place

    def places(self) -> tuple[Path, ...]:
        """The folder of each, sorted."""
        if not self.folder.is_dir():
            return ()
        return tuple(sorted(each for each in self.folder.iterdir() if not each.name.startswith(".")))

    def files(self, digest: Sha256) -> tuple[bytes, bytes]:
        """The signed bytes of a testimony and their signature."""
        place = self.folder / digest
        return (place / "testimony.json").read_bytes(), (place / "signature").read_bytes()

    def every(self, policy: EvidencePolicy) -> Iterator[Import | Fault]:
        """Each testimony, or why it is not believed, by digest."""
        for place in self.places():
            try:
                data = (place / "testimony.json").read_bytes()
                found = read_import(data, (place / "signature").read_bytes(), policy, file=str(place))
                if found.digest != place.name:
                    raise InputFault(
                        Diagnostic(
                            code="testimony-unreadable",
                            message=f"{place} holds another testimony than its name says",
                            place=Place(file=str(place)),
                            help=f"rm -r {place}",
                        )
                    )
                yield found
            except Fault as fault:
                yield fault
            except OSError:
                continue

    def sound(self, policy: EvidencePolicy) -> tuple[Import, ...]:
        """The testimonies that count."""
        return tuple(each for each in self.every(policy) if isinstance(each, Import) and each.counts)


def answered(
    *,
    needs: Sequence[Need],
    builds: Sequence[BuildNeed],
    imports: Sequence[Import],
    build_key: Callable[[BuildNeed], Key],
    models: Mapping[ModelName, Sha256],
    so_far: Elsewhere,
) -> Elsewhere:
    """What the testimonies say of these needs and the builds that they run on; the first that says something counts."""
    found_builds, found_probes = dict(so_far.builds), dict(so_far.probes)
    for each in imports:
        records = each.testimony.records
        made = {need: _build(need, records, build_key) for need in builds}
        for need, record in made.items():
            if record is not None:
                found_builds.setdefault(
                    need, _recorded(record, decode_observation(BuildObservation, record.observation))
                )
        for probe in needs:
            if not isinstance(probe, ProbeNeed) or probe in found_probes:
                continue
            arms = {arm.build: made.get(arm.build) for arm in probe.arms}
            identities = {
                build: build_identity(record.key, decode_observation(BuildObservation, record.observation))
                for build, record in arms.items()
                if record is not None
            }
            if len(identities) == len(arms):
                model = models.get(probe.model) if probe.model is not None else None
                asked = asked_parts(probe, identities, model)
                record = next((one for one in records if _alike(one.key, probe.probe, asked)), None)
                if record is not None:
                    found_probes[probe] = _recorded(record, decode_probe(probe, record.observation))
    return Elsewhere(builds=found_builds, probes=found_probes)


def _build(need: BuildNeed, records: Sequence[Evidence], build_key: Callable[[BuildNeed], Key]) -> Evidence | None:
    asked = build_key(need)
    return next((record for record in records if _alike(record.key, asked.kind, dict(asked.parts))), None)


def _alike(key: Key, kind: str, asked: Mapping[str, str]) -> bool:
    """Whether a key is of what is asked, with whatever and wherever it was made."""
    met = dict(key.parts)
    parts = (met.keys() | asked.keys()) - _WHERE
    return key.kind == kind and all(met.get(part) == asked.get(part) for part in parts)


def _recorded(record: Evidence, observation: S) -> Recorded[S]:
    return Recorded(key=record.key.digest, observation=observation, made_by=record.made_by)
