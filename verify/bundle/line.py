"""The releases that a release stands on, as its bundle carries them: each by its declared files and its stack.json.

An overlay's release.json pins the release below it by name and digest. That release's files lie in `base/`, those of
the next in `base/base/`, down to the one that stands on upstream. Here they are read and held to their pins; what
their patches make is for `verify/bundle/below.py`.
"""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from verify.bundle.documents import ReleaseDocument, read_release_document, read_stack
from verify.bundle.finding import differs, finding
from verify.bundle.layout import BASE_FOLDER, RELEASE, STACK
from verify.bundle.stack import BundleStack
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.digest import release_digest

DEEPEST = 5
"""So many releases may stand on each other."""

Data = Callable[[str], bytes | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """A release that is stood on; `prefix` is before the names of its members."""

    prefix: str
    release: ReleaseDocument
    stack: BundleStack

    def members(self) -> frozenset[str]:
        """What the bundle carries of it."""
        return frozenset(self.prefix + name for name in (STACK, *(each.file for each in self.stack.declared)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """Every release that is stood on, the nearest first; none where a release stands on upstream itself.

    With `findings` the line ends where it could not be read on.
    """

    releases: tuple[Below, ...] = ()
    findings: tuple[Diagnostic, ...] = ()

    def members(self) -> frozenset[str]:
        """Every member that belongs to one of them."""
        return frozenset(name for each in self.releases for name in each.members())


def is_overlay(release: ReleaseDocument) -> bool:
    """Whether a release stands on another one."""
    return release.source.get("kind") == "release"


def read_line(data: Data, release: ReleaseDocument) -> Line:
    """The releases below `release`; `data` gives a member's bytes, None for one that is not there."""
    found: list[Below] = []
    names = [release.name]
    prefix = ""
    while is_overlay(release):
        prefix += f"{BASE_FOLDER}/"
        if len(found) == DEEPEST:
            message = f"more than {DEEPEST} releases stand on each other"
            return Line(releases=tuple(found), findings=(_wrong(message, prefix),))
        below = _read(data, prefix)
        if isinstance(below, Diagnostic):
            return Line(releases=tuple(found), findings=(below,))
        findings = (*_pinned(data, release, below), *_named_twice(below, names))
        found.append(below)
        if findings:
            return Line(releases=tuple(found), findings=findings)
        names.append(below.release.name)
        release = below.release
    return Line(releases=tuple(found))


def _read(data: Data, prefix: str) -> Below | Diagnostic:
    documents = data(prefix + RELEASE), data(prefix + STACK)
    if documents[0] is None or documents[1] is None:
        missing = prefix + (RELEASE if documents[0] is None else STACK)
        return _wrong(f"`{missing}` is missing: the release that is stood on is not carried whole", missing)
    try:
        return Below(prefix=prefix, release=read_release_document(documents[0]), stack=read_stack(documents[1]))
    except CodecError as error:
        return _wrong(f"the release that is stood on cannot be read: {error}", prefix)


def _pinned(data: Data, above: ReleaseDocument, below: Below) -> Iterator[Diagnostic]:
    """Name and digest are those that the release above pins, and the digest is that of the files."""
    files: list[tuple[str, bytes]] = []
    for each in below.stack.declared:
        name = below.prefix + each.file
        found = data(name)
        if found is None or hashlib.sha256(found).hexdigest() != each.sha256:
            what = "is missing" if found is None else "is not the file that its stack.json names"
            yield _wrong(f"`{name}` {what}", name)
        else:
            files.append((each.file, found))
    met = release_digest(files)
    expected = above.source.get("digest")
    if len(files) == len(below.stack.declared) and not met == expected == below.stack.digest:
        message = f"the release in `{below.prefix}` is not the one that `{above.name}` pins"
        yield differs("bundle-base-release-differs", message, below.prefix + STACK, met=met, expected=expected)
    pinned = above.source.get("release")
    if not pinned == below.release.name == below.stack.release:
        message = f"the release in `{below.prefix}` has another name than `{above.name}` pins"
        yield differs(
            "bundle-base-release-differs", message, below.prefix + RELEASE, met=below.release.name, expected=pinned
        )


def _named_twice(below: Below, names: list[str]) -> Iterator[Diagnostic]:
    if below.release.name in names:
        yield _wrong(f"two releases of the line are named `{below.release.name}`", below.prefix + RELEASE)


def _wrong(message: str, member: str) -> Diagnostic:
    return finding("bundle-base-release-differs", message, member)
