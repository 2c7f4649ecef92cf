"""The image of the engine's program as an OCI layout: its documents from its layers, and the check of all of it.

Two layers: the system's libraries with their licences, and the archive of binaries in another folder. Configuration,
manifest and index follow from the layers and from release.json, so that they are printed again and compared. What the
system's layer holds is vouched for by the release statement alone.
Format: OCI image specification 1.0.
"""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from verify.bundle.archives import compared_binaries, compared_licences, expected_binaries
from verify.bundle.builds import tip_build
from verify.bundle.document import load_document, print_document
from verify.bundle.documents import Bundle, ReleaseDocument
from verify.bundle.finding import finding, ruled
from verify.bundle.layout import IMAGE, RELEASE
from verify.bundle.sources import Sources, Unreadable
from verify.bundle.stack import BundleStack
from verify.bundle.tarball import read_tarball, unpack
from verify.model.artifact import ImageDecl
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.ids import Sha256
from verify.model.verdict import Outcome

LAYOUT_FILE = f"{IMAGE}/oci-layout"
INDEX = f"{IMAGE}/index.json"
HOME = "opt/engine"
"""Where the binaries are in the image."""

MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
CONFIG_TYPE = "application/vnd.oci.image.config.v1+json"
LAYER_TYPE = "application/vnd.oci.image.layer.v1.tar+gzip"
INDEX_TYPE = "application/vnd.oci.image.index.v1+json"
REF_NAME = "org.opencontainers.image.ref.name"
_ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64", "riscv64": "riscv64", "ppc64le": "ppc64le", "s390x": "s390x"}
_NOBODY = "65534:65534"


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """A layer: its packed bytes, and the digest of the tar inside."""

    data: bytes
    diff_id: Sha256


def blob_member(digest: str) -> str:
    """A blob of the layout, by its SHA-256 in hexadecimal."""
    return f"{IMAGE}/blobs/sha256/{digest}"


def architecture_of(machine: str) -> str:
    """The word of OCI for the machine of a build's key, such as `Linux x86_64`."""
    word = machine.split(" ")[1] if " " in machine else machine
    return _ARCHITECTURES.get(word, word)


def image_layout(
    *, release: ReleaseDocument, stack: BundleStack, declared: ImageDecl, machine: str, layers: Sequence[Layer]
) -> dict[str, bytes]:
    """Every member of the layout."""
    architecture = architecture_of(machine)
    when = datetime.fromtimestamp(stack.seconds(), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    labels = {
        "org.opencontainers.image.created": when,
        "org.opencontainers.image.revision": stack.tip.commit,
        "org.opencontainers.image.title": release.engine,
        "org.opencontainers.image.version": release.name,
    }
    config = print_document(
        {
            "architecture": architecture,
            "os": "linux",
            "created": when,
            "config": {
                "User": _NOBODY,
                "WorkingDir": "/",
                "Entrypoint": [f"/{HOME}/bin/{declared.program}"],
                "Cmd": list(declared.arguments),
                "Labels": labels,
            },
            "rootfs": {"type": "layers", "diff_ids": [f"sha256:{layer.diff_id}" for layer in layers]},
            "history": [{"created": when, "created_by": what} for what in ("the system's libraries", "the engine")],
        }
    )
    manifest = print_document(
        {
            "schemaVersion": 2,
            "mediaType": MANIFEST_TYPE,
            "config": descriptor(CONFIG_TYPE, config),
            "layers": [descriptor(LAYER_TYPE, layer.data) for layer in layers],
            "annotations": labels,
        }
    )
    index = print_document(
        {
            "schemaVersion": 2,
            "mediaType": INDEX_TYPE,
            "manifests": [
                {
                    **descriptor(MANIFEST_TYPE, manifest),
                    "platform": {"architecture": architecture, "os": "linux"},
                    "annotations": {REF_NAME: release.name},
                }
            ],
        }
    )
    blobs = (config, manifest, *(layer.data for layer in layers))
    return {
        LAYOUT_FILE: b'{"imageLayoutVersion":"1.0.0"}\n',
        INDEX: index,
        **{blob_member(hashlib.sha256(blob).hexdigest()): blob for blob in blobs},
    }


def descriptor(kind: str, data: bytes) -> dict[str, object]:
    """What names content in a manifest."""
    return {"mediaType": kind, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}


def check_image(bundle: Bundle, sources: Sources | Unreadable) -> Outcome:
    """The layout is that of its layers, and its engine is the one of the binaries."""
    met = {name: bundle.data(name) for name in bundle.files if name.startswith(f"{IMAGE}/")}
    declared = bundle.release.artifacts.image
    if declared is None:
        strays = [finding("bundle-file-unknown", f"`{name}` has no place in this bundle", name) for name in sorted(met)]
        return ruled(strays, f"none: `{RELEASE}` gives no image away")
    try:
        layers = tuple(_layers(bundle))
    except CodecError as error:
        wrong = f"the image cannot be read: {error}"
        return ruled([finding("bundle-image-differs", wrong, INDEX), *_damaged(met)], "")
    configuration = bundle.release.configuration(declared.configuration)
    record = None if configuration is None else tip_build(configuration, bundle.stack.tip.tree, bundle.records())
    machine = "" if record is None else dict(record.key.parts).get("machine", "")
    expected = image_layout(
        release=bundle.release, stack=bundle.stack, declared=declared, machine=machine, layers=layers
    )
    findings = list(_damaged(met))
    for name in sorted(met.keys() | expected.keys()):
        if met.get(name) != expected.get(name):
            message = f"`{name}` is not what the image's layers and `{RELEASE}` give"
            findings.append(finding("bundle-image-differs", message, name))
    findings += _engine(bundle, declared, layers, sources)
    return ruled(findings, f"{len(layers)} layers, for linux/{architecture_of(machine)}, start {declared.program}")


def _layers(bundle: Bundle) -> Iterator[Layer]:
    """The layers that the manifest of the index names."""
    index = _document(bundle, INDEX)
    manifest = _document(bundle, _blob_of(_listed(index, "manifests")[0]))
    for each in _listed(manifest, "layers"):
        name = _blob_of(each)
        data = bundle.data(name)
        if data is None:
            raise CodecError(f"`{name}` is missing")
        yield Layer(data=data, diff_id=Sha256(hashlib.sha256(unpack(data)).hexdigest()))


def _document(bundle: Bundle, name: str) -> dict[str, object]:
    data = bundle.data(name)
    if data is None:
        raise CodecError(f"`{name}` is missing")
    value = load_document(data)
    if not isinstance(value, dict):
        raise CodecError(f"`{name}` is not an object")
    return value


def _listed(value: dict[str, object], name: str) -> list[object]:
    found = value.get(name)
    if not isinstance(found, list) or not found:
        raise CodecError(f"it has no `{name}`")
    return found


def _blob_of(named: object) -> str:
    digest = named.get("digest") if isinstance(named, dict) else None
    if not isinstance(digest, str) or not digest.startswith("sha256:"):
        raise CodecError("a descriptor has no digest")
    return blob_member(digest.removeprefix("sha256:"))


def _damaged(met: dict[str, bytes | None]) -> Iterator[Diagnostic]:
    for name, data in sorted(met.items()):
        if name.startswith(blob_member("")) and blob_member(hashlib.sha256(data or b"").hexdigest()) != name:
            yield finding("bundle-image-differs", f"`{name}` has not the digest that it is named by", name)


def _engine(
    bundle: Bundle, declared: ImageDecl, layers: Sequence[Layer], sources: Sources | Unreadable
) -> Iterator[Diagnostic]:
    """The last layer is the archive of binaries in the image's folder."""
    name = blob_member(hashlib.sha256(layers[-1].data).hexdigest())
    packed = next(
        (each for each in bundle.release.artifacts.binaries if each.configuration == declared.configuration), None
    )
    expected = None if packed is None else expected_binaries(bundle, packed)
    if expected is None or len(layers) != len(("system", "engine")):
        yield finding("bundle-image-differs", "the image is not a system and the binaries of its configuration", INDEX)
        return
    try:
        for layer in layers[:-1]:
            read_tarball(layer.data, seconds=bundle.stack.seconds())
        entries = read_tarball(layers[-1].data, seconds=bundle.stack.seconds())
    except CodecError as error:
        yield finding("bundle-image-differs", f"a layer cannot be read: {error}", name)
        return
    top = f"{HOME}/".encode()
    inside = {entry.path.removeprefix(top): entry for entry in entries if entry.path.startswith(top)}
    if len(inside) != len(entries):
        yield finding("bundle-image-differs", f"the engine's layer holds files outside of /{HOME}", name)
    yield from compared_binaries(name, inside, expected)
    if not isinstance(sources, Unreadable):
        yield from compared_licences(name, inside, sources.licences)
