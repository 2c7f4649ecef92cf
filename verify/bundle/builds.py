"""Which record of evidence is the build of the tip in a configuration, and what its archive must hold."""

from collections.abc import Iterable

from verify.bundle.documents import ReleaseConfiguration
from verify.model.artifact import BinariesDecl
from verify.model.codec import CodecError
from verify.model.evidence import Evidence
from verify.model.glob import glob_matches
from verify.model.ids import RepoPath, TreeId
from verify.model.observation import Artifact, BuildObservation, decode_observation


def tip_build(configuration: ReleaseConfiguration, tip: TreeId, records: Iterable[Evidence]) -> Evidence | None:
    """The record of the tip's build; the first by its key where several tools built it."""
    wanted = {"tree": tip, **configuration.key_parts()}.items()
    found = [each for each in records if each.key.kind == "build" and wanted <= dict(each.key.parts).items()]
    return min(found, key=lambda each: each.key.digest, default=None)


def built_files(record: Evidence) -> tuple[Artifact, ...]:
    """What the build made; nothing where the record is not that of a build that went well."""
    try:
        seen = decode_observation(BuildObservation, record.observation)
    except CodecError:
        return ()
    return seen.artifacts if seen.ok else ()


def given_away(name: str, declared: BinariesDecl) -> bool:
    """Whether a built file of this name goes into the archive."""
    return not any(glob_matches(glob, RepoPath(name.encode())) for glob in declared.without)
