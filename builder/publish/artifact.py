"""A release as OCI content: one index under the release's name, with the image and the bundle in it; pure.

Takes the bundle's members; gives blobs, manifests and the index. The index is what a tag points at, so that image and
bundle appear at the same moment; who asks for the image of a platform gets it, who looks for the bundle finds it by
its artifact type, each member a layer with its name.
Formats: OCI image specification 1.1, the bundle as an artifact.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from builder.publish.parcel import Parcel
from verify.bundle.document import print_document
from verify.bundle.image import INDEX, INDEX_TYPE, MANIFEST_TYPE, REF_NAME, blob_member, descriptor

BUNDLE_TYPE = "application/vnd.stackproof.bundle.v1"
MEMBER_TYPE = "application/octet-stream"
TITLE = "org.opencontainers.image.title"
_EMPTY_TYPE = "application/vnd.oci.empty.v1+json"
_EMPTY = b"{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """Blobs and manifests by digest (`sha256:…`), and the index that names the manifests."""

    blobs: Mapping[str, bytes]
    manifests: Mapping[str, bytes]
    index: bytes


def content_of(parcel: Parcel) -> Content:
    """All of it; equal bundles are equal content."""
    blobs = {digest_of(data): data for data in (_EMPTY, *parcel.members.values())}
    bundle = _bundle(parcel)
    listed: list[dict[str, object]] = []
    manifests = {digest_of(bundle): bundle}
    if INDEX in parcel.members:
        image = json.loads(parcel.members[INDEX])["manifests"][0]
        manifests[image["digest"]] = parcel.members[blob_member(image["digest"].removeprefix("sha256:"))]
        listed.append({name: value for name, value in image.items() if name != "annotations"})
    listed.append(
        {
            **descriptor(MANIFEST_TYPE, bundle),
            "artifactType": BUNDLE_TYPE,
            # no platform takes it for its image
            "platform": {"architecture": "unknown", "os": "unknown"},
        }
    )
    index: dict[str, Any] = {
        "schemaVersion": 2,
        "mediaType": INDEX_TYPE,
        "manifests": listed,
        "annotations": {"org.opencontainers.image.version": parcel.name},
    }
    return Content(blobs=blobs, manifests=manifests, index=print_document(index))


def _bundle(parcel: Parcel) -> bytes:
    layers = [
        {**descriptor(MEMBER_TYPE, data), "annotations": {TITLE: name}} for name, data in sorted(parcel.members.items())
    ]
    return print_document(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "artifactType": BUNDLE_TYPE,
            "config": descriptor(_EMPTY_TYPE, _EMPTY),
            "layers": layers,
            "annotations": {"org.opencontainers.image.version": parcel.name},
        }
    )


def layout_of(parcel: Parcel) -> dict[str, bytes]:
    """An OCI image layout of the same: its index names the release's index."""
    content = content_of(parcel)
    whole = {**content.blobs, **content.manifests, digest_of(content.index): content.index}
    top = print_document(
        {
            "schemaVersion": 2,
            "mediaType": INDEX_TYPE,
            "manifests": [{**descriptor(INDEX_TYPE, content.index), "annotations": {REF_NAME: parcel.name}}],
        }
    )
    blobs = {f"blobs/sha256/{digest.removeprefix('sha256:')}": data for digest, data in whole.items()}
    return {"oci-layout": b'{"imageLayoutVersion":"1.0.0"}\n', "index.json": top, **blobs}


def digest_of(data: bytes) -> str:
    """The digest as OCI writes it."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}"
