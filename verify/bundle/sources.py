"""The patched sources of a bundle, unpacked in memory once for all checks that want them."""

from dataclasses import dataclass
from functools import cached_property

from verify.bundle.documents import Bundle
from verify.bundle.finding import finding
from verify.bundle.layout import source_member
from verify.bundle.licences import licence_files
from verify.bundle.tarball import Entry, read_tarball
from verify.model.codec import CodecError
from verify.model.diagnostic import Diagnostic
from verify.model.ids import RepoPath


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Every file, its path relative to the engine's folder."""

    files: tuple[Entry, ...]

    @cached_property
    def licences(self) -> dict[RepoPath, bytes]:
        """The licences that go with binaries."""
        return licence_files(self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """Why there are none."""

    finding: Diagnostic


def read_sources(bundle: Bundle) -> Sources | Unreadable:
    """Unpack them; the archive must be in its one form."""
    name = source_member(bundle.release.name)
    data = bundle.data(name)
    if data is None:
        return Unreadable(finding=finding("bundle-source-differs", f"`{name}` is missing", name))
    top = f"{bundle.release.name}/".encode()
    try:
        entries = read_tarball(data, seconds=bundle.stack.seconds())
    except CodecError as error:
        return Unreadable(finding=finding("bundle-source-differs", f"`{name}` cannot be read: {error}", name))
    if not all(entry.path.startswith(top) for entry in entries):
        message = f"`{name}` holds files outside of its one folder"
        return Unreadable(finding=finding("bundle-source-differs", message, name))
    return Sources(
        files=tuple(Entry(path=RepoPath(each.path[len(top) :]), mode=each.mode, data=each.data) for each in entries)
    )
