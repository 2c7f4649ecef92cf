"""A sealed bundle as it is handed on: checked once more, then held in memory, so that what was checked goes out.

Takes the bundle's folder and a place that has the base; gives every member's bytes. Everything that a target needs
is in it, and nothing is read again after the check.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verify.bundle.check import check_bundle
from verify.bundle.documents import Bundle, open_bundle
from verify.bundle.layout import SIGNATURES, SUMS
from verify.bundle.members import Members, read_members
from verify.bundle.stack import BundleStack
from verify.bundle.sums import check_sums
from verify.model.diagnostic import Diagnostic, ExitCode, InputFault, Place
from verify.model.ids import ReleaseName, Sha256
from verify.model.trust import Signer
from verify.model.verdict import Passed


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """Every member's bytes by name, stack.json as read, and the digest of SHA256SUMS, which names the whole."""

    members: Mapping[str, bytes]
    stack: BundleStack
    digest: Sha256

    @property
    def name(self) -> ReleaseName:
        """The release's name, which is the name under which it is published everywhere."""
        return self.stack.release

    @property
    def signed(self) -> bool:
        """Whether its statements are signed."""
        return any(name.startswith(f"{SIGNATURES}/") for name in self.members)


def open_parcel(
    folder: Path, *, base: Path, signers: tuple[Signer, ...] | None = None, release: ReleaseName | None = None
) -> Parcel:
    """The bundle in `folder`, which must hold; `base` is the pinned archive or a git folder that has the base.

    With `release` it must be the bundle of that one.
    """
    report = check_bundle(folder, base=base, signers=signers)
    if report.exit_code() is not ExitCode.HOLDS:
        raise InputFault(
            Diagnostic(
                code="publish-not-sound",
                message=f"the bundle in {folder} does not pass its own check, so it is not published",
                place=Place(file=str(folder)),
                help=f"python -m verify {folder} --base {base}",
            ),
            *report.findings(),
            *report.reasons(),
        )
    read = read_members(folder)
    bundle = open_bundle(read)
    members = {name: member.data for name, member in read.files.items()}
    whole = {name: data for name, data in members.items() if data is not None}
    if not isinstance(bundle, Bundle) or len(whole) != len(members) or not _as_checked(read):
        raise InputFault(
            Diagnostic(
                code="publish-not-sound",
                message=f"the bundle in {folder} changed while it was read, or is too large to be published",
                place=Place(file=str(folder)),
                help=f"python -m verify {folder} --base {base}",
            )
        )
    if folder.absolute().name != bundle.release.name:
        raise InputFault(
            Diagnostic(
                code="publish-other-name",
                message="the folder of the bundle has another name than the release in it",
                place=Place(file=str(folder)),
                notes=(f"folder   {folder.absolute().name}", f"release  {bundle.release.name}"),
                help=f"mv {folder} {folder.absolute().parent / bundle.release.name}",
            )
        )
    if release is not None and bundle.release.name != release:
        raise InputFault(
            Diagnostic(
                code="publish-other-name",
                message="the bundle is not that of the release that release.json names",
                place=Place(file=str(folder)),
                notes=(f"bundle        {bundle.release.name}", f"release.json  {release}"),
                help="stackproof publish dist/RELEASE --to PLACE, in the project of that release",
            )
        )
    return Parcel(members=whole, stack=bundle.stack, digest=read.files[SUMS].sha256)


def _as_checked(read: Members) -> bool:
    """Between check and reading nothing may have changed: the sums, which the check has compared, still fit."""
    return isinstance(check_sums(read), Passed)
