"""Checks that the SBOM is about this release: its base as ancestor, and every patch in its pedigree.

The rest of it (licences, vendored parts) is vouched for by the release statement.
Format: CycloneDX 1.6, JSON.
"""

from typing import Any

from verify.bundle.document import load_document
from verify.bundle.documents import Bundle
from verify.bundle.finding import differs, finding, ruled
from verify.bundle.layout import SBOM
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.verdict import Outcome
from verify.model.wording import count

PATCH_PROPERTY = "stackproof:patch:"
"""Before a patch's name in the property that gives its SHA-256."""


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
            "base": [each["version"] for each in pedigree["ancestors"]],
        }
    except (CodecError, KeyError, TypeError, AttributeError) as error:
        return ruled([finding("bundle-sbom-differs", f"`{SBOM}` cannot be read: {error}", SBOM)], "")
    stack = bundle.stack
    expected = {
        "format": "CycloneDX",
        "name": stack.engine,
        "version": stack.release,
        "base": [bundle.release.upstream_commit or stack.base.tree],
    }
    findings: list[Diagnostic] = [
        differs("bundle-sbom-differs", f"the {what} in `{SBOM}` is not this release's", SBOM, met=met[what],
                expected=expected[what])
        for what in expected
        if met[what] != expected[what]
    ]  # fmt: skip
    wanted = {fold.patch: fold.patch_sha256 for _, fold in stack.folds()}
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
