"""release.json: its fields to the model, without what lies in blocks/.

Gates are left as they stand, since their parameters refer to what blocks declare; `read.py` reads them last.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from verify.manifest.artifacts import read_artifacts
from verify.manifest.left_out import read_not_taken, read_tombstones
from verify.manifest.node import Listing
from verify.manifest.scalars import (
    choice,
    flag,
    inner_folder,
    inner_path,
    line,
    matching,
    name,
    object_id,
    setting,
    sha256,
)
from verify.manifest.trust import OUR_POLICIES, Policies, read_hardware, read_policy
from verify.manifest.value import Fields, Value, shorten
from verify.model.artifact import SOURCES_ALONE, Artifacts
from verify.model.block import NotTaken, Tombstone
from verify.model.ids import CommitId, ConfigName, ModelName, ReleaseName, TreeId
from verify.model.release import (
    ArchiveSource,
    Base,
    Configuration,
    FolderSource,
    GeneratedModel,
    GitSource,
    ModelPin,
    PackageModel,
    Proof,
    Reference,
    ReleaseSource,
    SdistSource,
    Source,
)
from verify.model.trust import Hardware

RELEASE_FILE = "release.json"
SCHEMA = "stackproof/release/1"

_PACKAGE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[0-9][A-Za-z0-9.!+_-]*")
_OPTION = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_TARGET = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
_BUILD_TYPE = re.compile(r"Release|Debug|RelWithDebInfo|MinSizeRel")
_REPOSITORY = re.compile(r"(?!-)(?!.*::)[^\x00-\x20\x7f](?:[^\x00-\x1f\x7f]*[^\x00-\x20\x7f])?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """release.json as read, without its gates.

    `blocks` are the names with their places, None where no list of them could be read; `gates` is the table of gates.
    `reference_known` tells a reference that is null from one that was left out.
    """

    name: ReleaseName
    parent: ReleaseName | None
    engine: str
    base: Base
    blocks: tuple[Value, ...] | None
    configurations: tuple[Configuration, ...]
    models: tuple[ModelPin, ...]
    gates: Value | None
    reference: Reference | None
    reference_known: bool
    not_taken: tuple[NotTaken, ...]
    tombstones: tuple[Tombstone, ...]
    hardware: tuple[Hardware, ...]
    policies: Policies
    artifacts: Artifacts


def read_declared(value: Value) -> Declared:
    """The whole of release.json."""
    fields = value.document(of="release.json", schema=SCHEMA)
    declared = Declared(
        name=ReleaseName(fields.get("name", name)),
        parent=_release_name(fields.nullable("parent", name)),
        engine=fields.get("engine", name),
        base=fields.get("base", read_base),
        blocks=fields.get("blocks", _blocks),
        configurations=fields.get(
            "configurations", lambda table: table.named(_configuration, of="configuration", least=1)
        ),
        models=fields.optional("models", lambda table: table.named(_model, of="model"), ()),
        gates=fields.optional("gates", _as_it_is, None),
        reference=fields.nullable("reference", _reference),
        reference_known="reference" in fields,
        not_taken=fields.optional("not_taken", read_not_taken, ()),
        tombstones=fields.optional("tombstones", read_tombstones, ()),
        hardware=fields.optional("hardware", read_hardware, ()),
        policies=fields.optional("policy", read_policy, OUR_POLICIES),
        artifacts=SOURCES_ALONE,
    )
    at_tip = [each.name for each in declared.configurations if Proof.TIP in each.proofs]
    artifacts = fields.optional("artifacts", lambda table: read_artifacts(table, at_tip), SOURCES_ALONE)
    fields.close()
    source = getattr(declared.base, "source", None)
    if isinstance(source, ReleaseSource) and source.release == declared.name:
        value.wrong(
            "base-release-cycle",
            f"release `{declared.name}` has itself as its base",
            step="give the overlay a name of its own",
        )
    return replace(declared, artifacts=artifacts)


def _blocks(value: Value) -> tuple[Value, ...] | None:
    names = value.listing(lambda block: block, of="block")
    return names if isinstance(value.node, Listing) else None


def _release_name(parent: str | None) -> ReleaseName | None:
    return ReleaseName(parent) if parent is not None else None


def _as_it_is(value: Value) -> Value | None:
    return value


def read_base(value: Value) -> Base:
    """The pinned upstream."""
    fields = value.fields(of="`base`")
    commit = fields.nullable("upstream_commit", object_id)
    base = Base(source=fields.get("source", _source), upstream_commit=None if commit is None else CommitId(commit))
    fields.close()
    if commit is not None and isinstance(base.source, ReleaseSource):
        value.wrong(
            "upstream-commit-inherited",
            "`upstream_commit` is stated, and the base is another release that states it",
            step="set it to null: what the base release says of upstream holds",
        )
    return base


def _source(value: Value) -> Source:
    return value.fields(of="the base's source").variant("kind", _SOURCES)


def _sdist(fields: Fields) -> Source:
    return SdistSource(
        package=fields.get("package", _package),
        version=fields.get("version", _version),
        sha256=fields.get("sha256", sha256),
        folder=fields.get("folder", inner_folder),
        git_dir=fields.optional("git_dir", inner_path, ""),
        of_commit=fields.optional("of_commit", flag, False),
    )


def _archive(fields: Fields) -> Source:
    return ArchiveSource(
        file=fields.get("file", line), sha256=fields.get("sha256", sha256), folder=fields.get("folder", inner_folder)
    )


def _git(fields: Fields) -> Source:
    return GitSource(repository=fields.get("repository", _repository), commit=CommitId(fields.get("commit", object_id)))


def _folder(fields: Fields) -> Source:
    return FolderSource(
        path=fields.get("path", line),
        without=fields.optional("without", lambda names: names.listing(line, of="name"), ()),
    )


def _other_release(fields: Fields) -> Source:
    return ReleaseSource(
        bundle=fields.get("bundle", line),
        release=ReleaseName(fields.get("release", name)),
        digest=fields.get("digest", sha256),
        base=fields.optional("base", line, ""),
    )


_SOURCES: dict[str, Callable[[Fields], Source]] = {
    "sdist": _sdist,
    "archive": _archive,
    "git": _git,
    "folder": _folder,
    "release": _other_release,
}


def _package(value: Value) -> str:
    return matching(value, _PACKAGE, wanted="a package's name", code="bad-package")


def _version(value: Value) -> str:
    return matching(value, _VERSION, wanted="a version", code="bad-version")


def _repository(value: Value) -> str:
    # A leading dash would be an option to git, and `NAME::` starts a remote helper program.
    return matching(value, _REPOSITORY, wanted="a repository's path or address", code="bad-repository")


def _model(title: str, value: Value) -> ModelPin:
    readers: dict[str, Callable[[Fields], ModelPin]] = {
        "package": lambda fields: _package_model(ModelName(title), fields),
        "generated": lambda fields: _generated_model(ModelName(title), fields),
    }
    return value.fields().variant("kind", readers)


def _package_model(title: ModelName, fields: Fields) -> ModelPin:
    return PackageModel(
        name=title,
        package=fields.get("package", _package),
        version=fields.get("version", _version),
        wheel_sha256=fields.get("wheel_sha256", sha256),
        member=fields.get("member", inner_path),
        sha256=fields.get("sha256", sha256),
        licence=fields.get("licence", line),
    )


def _generated_model(title: ModelName, fields: Fields) -> ModelPin:
    return GeneratedModel(
        name=title,
        generator=fields.get("generator", name),
        sha256=fields.get("sha256", sha256),
        licence=fields.get("licence", line),
    )


def _configuration(title: str, value: Value) -> Configuration:
    fields = value.fields()
    configuration = Configuration(
        name=ConfigName(title),
        build_type=fields.get(
            "build_type", lambda field: matching(field, _BUILD_TYPE, wanted="a CMake build type", code="bad-build-type")
        ),
        options=fields.optional("options", _options, ()),
        targets=fields.get("targets", lambda targets: targets.listing(_target, of="target", least=1)),
        proofs=fields.get(
            "proofs", lambda proofs: proofs.listing(lambda proof: choice(proof, Proof), of="proof", least=1)
        ),
    )
    fields.close()
    return configuration


def _options(value: Value) -> tuple[tuple[str, str], ...]:
    found = []
    for entry in value.entries():
        option = entry.key.text
        if _OPTION.fullmatch(option) is None:
            value.mistakes.add(
                "bad-option", f"`{shorten(option)}` cannot name a CMake option", value.source.place(entry.key.spot)
            )
        found.append((option, setting(value.below(entry, f"the option `{shorten(option)}`"))))
    return tuple(sorted(found))


def _target(value: Value) -> str:
    return matching(value, _TARGET, wanted="a build target", code="bad-target")


def _reference(value: Value) -> Reference:
    fields = value.fields(of="`reference`")
    reference = Reference(
        base_tree=TreeId(fields.get("base_tree", object_id)),
        tip_tree=TreeId(fields.get("tip_tree", object_id)),
        tip_commit=CommitId(fields.get("tip_commit", object_id)),
    )
    fields.close()
    return reference
