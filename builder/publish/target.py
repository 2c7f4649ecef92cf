"""Where to publish, as a user writes it: a folder, `git:ADDRESS`, `oci:HOST/REPOSITORY` or `layout:FOLDER`."""

import re
from dataclasses import dataclass
from pathlib import Path

from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import ReleaseName, is_name

# Host with port, then a repository as the OCI distribution specification spells it.
_REGISTRY = re.compile(r"([A-Za-z0-9.-]+(?::\d{1,5})?|\[[0-9a-f:]+\](?::\d{1,5})?)/([a-z0-9]+(?:[._/-]+[a-z0-9]+)*)")
_ADDRESS = re.compile(r"(?!-)(?!.*::)[^\x00-\x20\x7f]+")
_LOOPBACK = re.compile(r"(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderTarget:
    """A folder in which the bundle's folder shall stand."""

    folder: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class GitTarget:
    """A git remote that gets a branch and a tag."""

    address: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistryTarget:
    """A repository of an OCI registry; plain HTTP is for registries on this machine alone."""

    host: str
    repository: str

    @property
    def url(self) -> str:
        """The address of the registry."""
        return f"{'http' if _LOOPBACK.fullmatch(self.host) else 'https'}://{self.host}"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayoutTarget:
    """A folder that becomes an OCI image layout of image and bundle."""

    folder: Path


Target = FolderTarget | GitTarget | RegistryTarget | LayoutTarget


def read_target(text: str) -> Target:
    """What the user means; raises `InputFault` when it is none of these."""
    kind, _, rest = text.partition(":")
    if kind == "git" and _ADDRESS.fullmatch(rest):
        return GitTarget(address=rest)
    match = _REGISTRY.fullmatch(rest.removeprefix("//"))
    if kind == "oci" and match is not None:
        return RegistryTarget(host=match[1], repository=match[2])
    if kind == "layout" and rest:
        return LayoutTarget(folder=Path(rest))
    if kind not in ("git", "oci", "layout") and text and "://" not in text:
        return FolderTarget(folder=Path(text))
    raise InputFault(
        Diagnostic(
            code="publish-target",
            message=f"`{text}` is no place to publish to",
            notes=("a folder, git:ADDRESS, oci:HOST/REPOSITORY (in small letters), or layout:FOLDER",),
            help="stackproof publish --to git:ssh://HOST/REPOSITORY.git",
        )
    )


def read_published(text: str) -> tuple[RegistryTarget, ReleaseName]:
    """A release in a registry, `oci:HOST/REPOSITORY:RELEASE`."""
    place, _, name = text.rpartition(":")
    if is_name(name) and place.startswith("oci:"):
        target = read_target(place)
        if isinstance(target, RegistryTarget):
            return target, ReleaseName(name)
    raise InputFault(
        Diagnostic(
            code="publish-target",
            message=f"`{text}` names no release in a registry",
            notes=("expected oci:HOST/REPOSITORY:RELEASE",),
            help="stackproof pull oci:HOST/REPOSITORY:RELEASE --out DIR",
        )
    )
