"""Makes what a release gives away of its tip: sources, binaries and image, each tried before it is sealed.

Takes the store and the folders of the kept builds; gives the members' bytes. Equal trees and configurations, built by
equal tools, are equal bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.seal.archive import packed, tar_of, tree_entries, with_licences
from builder.seal.binaries import binary_entries, try_binaries
from builder.seal.contents import Given
from builder.seal.image import make_image
from builder.seal.parent import held_by_parent
from builder.seal.sign import signer_of
from builder.seal.system import SystemFile
from builder.store import Store
from verify.bundle.builds import built_files, given_away, tip_build
from verify.bundle.documents import ReleaseDocument
from verify.bundle.layout import binaries_member, source_member
from verify.bundle.licences import licence_files
from verify.bundle.stack import BundleStack
from verify.bundle.tarball import Entry
from verify.model.artifact import BinariesDecl
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.evidence import Evidence
from verify.model.ids import ConfigName


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a seal needs beside the release: the folders of the tip's builds, the parent's bundle, the key.

    `parent` None means that the parent's bundle is not at hand, `key` None that nothing is signed.
    """

    builds: Mapping[ConfigName, Path]
    parent: Path | None = None
    key: Path | None = None


def make_given(
    *,
    wanted: Wanted,
    release: ReleaseDocument,
    stack: BundleStack,
    store: Store,
    records: tuple[Evidence, ...],
    tell: Callable[[str], None],
) -> Given:
    """All of it; `tell` hears what is being made."""
    seconds = stack.seconds()
    tell("the sources")
    tree = tree_entries(store, stack.tip.tree)
    licences = licence_files(tree)
    members = {source_member(release.name): packed(tar_of(tree, below=release.name, seconds=seconds))}
    archives: dict[ConfigName, tuple[Entry, ...]] = {}
    for declared in release.artifacts.binaries:
        tell(f"the binaries of {declared.configuration}")
        top = f"{release.name}-{declared.configuration}"
        entries = with_licences(_binaries(declared, wanted, release, stack, records), licences)
        archive = packed(tar_of(entries, below=top, seconds=seconds))
        try_binaries(archive, declared, top=top, seconds=seconds)
        archives[declared.configuration] = entries
        members[binaries_member(release.name, declared.configuration)] = archive
    image = release.artifacts.image
    system: tuple[SystemFile, ...] = ()
    if image is not None:
        tell("the image")
        made = make_image(
            declared=image,
            binaries=archives[image.configuration],
            machine=dict(_record(image.configuration, release, stack, records).key.parts)["machine"],
            release=release,
            stack=stack,
        )
        members |= made.members
        system = made.system.files
    since = None
    if stack.parent is not None and wanted.parent is not None:
        since = held_by_parent(wanted.parent, stack.parent)
    sign = None if wanted.key is None else signer_of(wanted.key)
    return Given(members=members, licences=licences, system=system, since=since, sign=sign)


def _binaries(
    declared: BinariesDecl,
    wanted: Wanted,
    release: ReleaseDocument,
    stack: BundleStack,
    records: tuple[Evidence, ...],
) -> tuple[Entry, ...]:
    """What was built, which must be what the record says that the gates rest on."""
    folder = wanted.builds.get(declared.configuration)
    if folder is None:
        raise _not_kept(declared.configuration, "the build is not kept")
    record = _record(declared.configuration, release, stack, records)
    entries = binary_entries(folder, declared)
    met = {entry.path.decode(): entry.sha256() for entry in entries}
    for each in built_files(record):
        if given_away(each.name, declared) and met.get(f"bin/{each.name}") != each.sha256:
            raise _not_kept(declared.configuration, f"{each.name} is not the file of the record {record.key.digest}")
    return entries


def _record(name: ConfigName, release: ReleaseDocument, stack: BundleStack, records: tuple[Evidence, ...]) -> Evidence:
    configuration = release.configuration(name)
    record = None if configuration is None else tip_build(configuration, stack.tip.tree, records)
    if record is None:
        raise _not_kept(name, "no gate rests on a build of the tip in it")
    return record


def _not_kept(name: ConfigName, why: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="binaries-not-built",
            message=f"there are no binaries of `{name}` to give away",
            notes=(why, "binaries are those that the verdict rests on"),
            help=f"stackproof build --configuration {name}, and a gate of kind `build` in release.json",
        )
    )
