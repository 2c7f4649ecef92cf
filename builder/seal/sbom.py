"""The SBOM of a release: the engine with its base as ancestor and every patch in its pedigree, what it vendors, and
the system's libraries of the image.

Takes stack.json, the licences of the sources and the image's libraries; gives CycloneDX 1.6 as JSON, by
cyclonedx-python-lib. Serial number and time follow from the release, so that equal releases have equal SBOMs.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import NAMESPACE_URL, uuid5

from builder.seal.system import SystemFile
from verify.bundle.document import print_document
from verify.bundle.documents import ReleaseDocument
from verify.bundle.line import Line
from verify.bundle.sbom import PATCH_PROPERTY, ancestors, pedigree_patches
from verify.bundle.stack import BundleFold, BundleStack
from verify.model.block import Disposition
from verify.model.ids import RepoPath

if TYPE_CHECKING:
    from cyclonedx.model.component import Component, Patch
    from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
    from packageurl import PackageURL

ON_UPSTREAM = Line()

_SPDX = re.compile(rb"SPDX-License-Identifier:[ \t]*([A-Za-z0-9.+-]+)")
_SIGNS: tuple[tuple[bytes, str], ...] = (
    (b"Apache License", "Apache-2.0"),
    (b"free and unencumbered software", "Unlicense"),
    (b"Permission is hereby granted, free of charge", "MIT"),
    (b"Redistributions in binary form", "BSD-2-Clause"),
)
_VENDORED = re.compile(rb"(?:.*/)?(?:vendor|vendors|third_party|thirdparty|3rdparty|extern)/([^/]+)/.*")
_SPACE = re.compile(rb"[\s/*]+")


def render_sbom(
    *,
    release: ReleaseDocument,
    stack: BundleStack,
    licences: Mapping[RepoPath, bytes],
    system: Sequence[SystemFile] = (),
    line: Line = ON_UPSTREAM,
) -> bytes:
    """The document; `line` are the releases that this one stands on."""
    from cyclonedx.model import Property
    from cyclonedx.model.bom import Bom, BomMetaData
    from cyclonedx.model.component import Commit, Component, ComponentType, Pedigree
    from cyclonedx.output import make_outputter
    from cyclonedx.schema import OutputFormat, SchemaVersion

    upstream, *between = ancestors(release, stack, line)
    licence = _licences(licences.get(RepoPath(b"LICENSE"), b""))
    lowest = line.releases[-1].release if line.releases else release
    came_from = [
        Component(
            name=stack.engine, version=version, type=ComponentType.APPLICATION, bom_ref=ref, purl=purl, licenses=licence
        )
        for version, ref, purl in (
            (upstream, "base", _base_purl(lowest)),
            *((name, f"release:{name}", None) for name in between),
        )
    ]
    patches = tuple(pedigree_patches(stack, line))
    engine = Component(
        name=stack.engine,
        version=stack.release,
        type=ComponentType.APPLICATION,
        bom_ref="engine",
        licenses=_licences(licences.get(RepoPath(b"LICENSE"), b"")),
        pedigree=Pedigree(
            ancestors=came_from,
            commits=[Commit(uid=fold.commit) for _, fold in patches],
            patches=[_patch(name, fold) for name, fold in patches],
        ),
        properties=[
            *(Property(name=PATCH_PROPERTY + name, value=fold.patch_sha256) for name, fold in patches),
            Property(name="stackproof:tip-tree", value=stack.tip.tree),
            Property(name="stackproof:base-tree", value=stack.base.tree),
        ],
    )
    bom = Bom(
        serial_number=uuid5(NAMESPACE_URL, f"urn:stackproof:release:{stack.release}:{stack.digest}"),
        metadata=BomMetaData(component=engine, timestamp=datetime.fromtimestamp(stack.seconds(), UTC)),
        components=[*_vendored(licences), *_system(system)],
    )
    bom.register_dependency(engine, bom.components)
    text = make_outputter(bom, OutputFormat.JSON, SchemaVersion.V1_6).output_as_string()
    # one spelling, like every document of a bundle
    return print_document(json.loads(text))


def _patch(name: str, fold: BundleFold) -> "Patch":
    from cyclonedx.model import XsUri
    from cyclonedx.model.component import Diff, Patch, PatchClassification
    from cyclonedx.model.issue import IssueClassification, IssueType

    kind = PatchClassification.UNOFFICIAL
    if fold.disposition is Disposition.UPSTREAMED:
        kind = PatchClassification.BACKPORT
    subject = fold.message.split("\n", 1)[0]
    about = IssueType(type=IssueClassification.ENHANCEMENT, id=fold.source, name=subject, description=fold.id)
    return Patch(type=kind, diff=Diff(url=XsUri(name)), resolves=[about])


def _base_purl(release: ReleaseDocument) -> "PackageURL | None":
    from packageurl import PackageURL

    source = release.source
    if source.get("kind") != "sdist":
        return None
    return PackageURL(type="pypi", name=str(source.get("package")), version=str(source.get("version")))


def _licences(text: bytes) -> "list[DisjunctiveLicense | LicenseExpression]":
    from cyclonedx.model.license import DisjunctiveLicense

    known = _licence_of(text)
    return [DisjunctiveLicense(id=known)] if known else []


def _licence_of(text: bytes) -> str:
    """The licence's name in SPDX's list, where the text is one of the few that engines carry."""
    named = _SPDX.search(text)
    if named is not None:
        return named[1].decode()
    flat = _SPACE.sub(b" ", text)
    return next((name for sign, name in _SIGNS if sign in flat), "")


def _vendored(licences: Mapping[RepoPath, bytes]) -> Iterator["Component"]:
    """Each library that lies in the sources with a licence of its own."""
    from cyclonedx.model import Property
    from cyclonedx.model.component import Component, ComponentType

    found: dict[bytes, list[RepoPath]] = {}
    for path in licences:
        match = _VENDORED.fullmatch(path)
        if match is not None:
            found.setdefault(match[1], []).append(path)
    for name, paths in sorted(found.items()):
        known = sorted({spdx for path in paths if (spdx := _licence_of(licences[path]))})
        shown = [path.decode("utf-8", "replace") for path in paths]
        yield Component(
            name=name.decode("utf-8", "replace"),
            type=ComponentType.LIBRARY,
            bom_ref=f"vendored:{name.decode('utf-8', 'replace')}",
            licenses=[each for spdx in known for each in _licences(b"SPDX-License-Identifier: " + spdx.encode())],
            properties=[Property(name="stackproof:licence", value=f"licences/{path}") for path in shown],
        )


def _system(files: Sequence[SystemFile]) -> Iterator["Component"]:
    from cyclonedx.model import HashAlgorithm, HashType, Property
    from cyclonedx.model.component import Component, ComponentType
    from packageurl import PackageURL

    for file in files:
        name = file.package.partition(":")[0]
        yield Component(
            name=name,
            version=file.version,
            type=ComponentType.LIBRARY,
            bom_ref=f"system:{file.path}",
            purl=PackageURL(type="deb", name=name, version=file.version),
            hashes=[HashType(alg=HashAlgorithm.SHA_256, content=file.sha256)],
            properties=[Property(name="stackproof:image-path", value=file.path)],
        )
