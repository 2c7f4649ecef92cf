"""Checks that the SBOM is about this release: its base as ancestor, and every patch in its pedigree.

The rest of it (licences, vendored parts) is vouched for by the release statement.
Format: CycloneDX 1.6, JSON.
"""

from collections.abc import Iterator
from typing import Any

from verify.bundle.document import load_document
from verify.bundle.documents import Bundle, ReleaseDocument
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import SBOM, fold_member
from verify.bundle.line import Line, read_line
from verify.bundle.stack import BundleFold, BundleStack
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.verdict import Outcome
from verify.model.wording import count

PATCH_PROPERTY = "stackproof:patch:"
"""Before a patch's name in the property that gives its SHA-256."""


def ancestors(release: ReleaseDocument, stack: BundleStack, line: Line) -> tuple[str, ...]:
    """The versions that a release comes from: upstream's, then each release that it stands on."""
    lowest, ground = release, stack
    for below in line.releases:
        lowest, ground = below.release, below.stack
    return (lowest.upstream_commit or ground.base.tree, *(each.release.name for each in reversed(line.releases)))


def pedigree_patches(stack: BundleStack, line: Line) -> Iterator[tuple[str, BundleFold]]:
    """Every patch between upstream and the tip by its member, in the order of applying."""
    for below in reversed(line.releases):
        for block, fold in below.stack.folds():
            yield below.prefix + fold_member(block, fold.id), fold
    for _, fold in stack.folds():
        yield fold.patch, fold


def check_sbom(bundle: Bundle) -> Outcome:
    """Name, version, base and patches are those of stack.json."""
    data = bundle.data(SBOM)
    if data is None:
        return ruled([finding("bundle-sbom-differs", f"`{SBOM}` is missing", SBOM)], "")
    try:
        document: Any = load_document(data)
        component = document["metadata"]["component"]
        pedigree = component["pedigree"]
        patches = sorted(each["diff"]["url"] for each in pedigree.get("patches", ()))
        digests = {each["name"]: each["value"] for each in component.get("properties", ())}
        met = {
            "format": document["bomFormat"],
            "name": component["name"],
            "version": component["version"],
            "base": sorted(each["version"] for each in pedigree["ancestors"]),
        }
    except (CodecError, KeyError, TypeError, AttributeError) as error:
        return ruled([finding("bundle-sbom-differs", f"`{SBOM}` cannot be read: {error}", SBOM)], "")
    stack, line = bundle.stack, read_line(bundle.data, bundle.release)
    expected = {
        "format": "CycloneDX",
        "name": stack.engine,
        "version": stack.release,
        "base": sorted(ancestors(bundle.release, stack, line)),
    }
    findings: list[Diagnostic] = [
        differs("bundle-sbom-differs", f"the {what} in `{SBOM}` is not this release's", SBOM, met=met[what],
                expected=expected[what])
        for what in expected
        if met[what] != expected[what]
    ]  # fmt: skip
    wanted = {name: fold.patch_sha256 for name, fold in pedigree_patches(stack, line)}
    if patches != sorted(wanted):
        missing = sorted(wanted.keys() - set(patches))
        message = f"the pedigree in `{SBOM}` does not name the patches of this release"
        findings.append(finding("bundle-sbom-differs", message, SBOM, *(f"missing  {name}" for name in missing[:10])))
    for name, digest in wanted.items():
        if digests.get(PATCH_PROPERTY + name) != digest:
            message = f"`{SBOM}` gives another digest of `{name}`"
            met_digest = digests.get(PATCH_PROPERTY + name)
            findings.append(differs("bundle-sbom-differs", message, SBOM, met=met_digest, expected=digest))
    return ruled(findings, f"{count(len(wanted), 'patch')} in the pedigree of {stack.engine}")
