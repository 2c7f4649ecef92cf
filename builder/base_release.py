"""The release that another one stands on: read from its bundle, held to its pin, and laid on its own base.

A bundle is a project that can be read. It counts when its declared files have the pinned digest; whatever else lies in
it (binaries, evidence, signatures) is not looked at. What it stands on itself comes out of the bundle, too, so that a
line of releases needs nothing but the base of the first one.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from builder.stack import derive
from builder.store import Store
from verify.bundle.layout import BASE_FOLDER, RELEASE
from verify.bundle.line import DEEPEST
from verify.manifest.read import read_release
from verify.model.diagnostic import Diagnostic, Fault, InputFault, Place
from verify.model.ids import CommitId, TreeId
from verify.model.release import ArchiveSource, Base, FolderSource, GitSource, Release, ReleaseSource, SdistSource
from verify.model.stack import Stack


@dataclass(frozen=True, slots=True, kw_only=True)
class BaseRelease:
    """A release that another one stands on, as its bundle in `folder` declares it."""

    folder: Path
    release: Release

    def base(self, given: str, root: Path) -> Base:
        """What it stands on itself, with a path that means something here: `given`, seen from `root`."""
        source = self.release.base.source
        match source:
            case ReleaseSource():
                within = replace(source, bundle=str(self.folder / BASE_FOLDER), base=str(root / given) if given else "")
                return replace(self.release.base, source=within)
            case ArchiveSource() if given:
                return replace(self.release.base, source=replace(source, file=str((root / given).absolute())))
            case FolderSource() if given:
                return replace(self.release.base, source=replace(source, path=str((root / given).absolute())))
            case GitSource() if given:
                local = (root / given).is_dir()
                repository = str((root / given).absolute()) if local else given
                return replace(self.release.base, source=replace(source, repository=repository))
            case ArchiveSource(file=path) | FolderSource(path=path):
                raise _no_path(self.release, path)
            case SdistSource() if given:
                raise _needless_path(self.release, given)
            case _:
                return self.release.base


def open_base_release(source: ReleaseSource, root: Path) -> BaseRelease:
    """The release of that name and digest; raises `InputFault` where the bundle is missing or another one."""
    folder = (root / source.bundle).absolute()
    if not (folder / RELEASE).is_file():
        raise InputFault(
            Diagnostic(
                code="base-release-missing",
                message=f"there is no bundle of release `{source.release}` in {folder}",
                place=Place(file=str(folder)),
                help="correct base.source.bundle in release.json, or put the bundle there",
            )
        )
    try:
        release = read_release(folder)
    except Fault as fault:
        raise InputFault(_differs(source, folder, ("it cannot be read:",)), *fault.diagnostics) from fault
    if release.name != source.release:
        raise InputFault(_differs(source, folder, (f"it is a bundle of `{release.name}`",)))
    if release.digest != source.digest:
        raise InputFault(_differs(source, folder, (f"met      {release.digest}", f"expected {source.digest}")))
    if release.reference is None:
        raise InputFault(_differs(source, folder, ("it promises no tree",)))
    return BaseRelease(folder=folder, release=release)


def line_of(source: ReleaseSource, root: Path) -> tuple[BaseRelease, ...]:
    """The release that is stood on, the one below it, and so on; names must differ, and there is an end."""
    found: list[BaseRelease] = []
    base = Base(source=source, upstream_commit=None)
    while isinstance(base.source, ReleaseSource):
        below = open_base_release(base.source, root)
        names = [each.release.name for each in found]
        if below.release.name in names:
            raise InputFault(_twice(below.release, found))
        if len(found) == DEEPEST:
            raise InputFault(_too_deep(below, names))
        found.append(below)
        if not isinstance(below.release.base.source, ReleaseSource):
            break
        base = below.base(base.source.base, root)
    return tuple(found)


def upstream_base(base: Base, root: Path) -> Base:
    """The base of the first release of the line: upstream itself, as it is pinned there."""
    return base if not isinstance(base.source, ReleaseSource) else line_of(base.source, root)[-1].release.base


def lay_base_release(
    source: ReleaseSource, root: Path, store: Store, lay: Callable[[Base], tuple[TreeId, CommitId]]
) -> tuple[Release, Stack]:
    """The whole stack of a base release, its objects in the store; `lay` brings what it stands on into the store."""
    below = line_of(source, root)[0]
    release = below.release
    tree, commit = lay(below.base(source.base, root))
    derived = derive(blocks=release.blocks, lock=release.lock, base_tree=tree, base_commit=commit, source=store)
    stack, expected = derived.result, release.reference
    if not isinstance(stack, Stack) or derived.findings:
        raise InputFault(_differs(source, below.folder, ("its patches do not give its trees:",)), *derived.findings)
    if expected is None or (stack.base_tree, stack.tip_tree(), stack.tip_commit()) != (
        expected.base_tree, expected.tip_tree, expected.tip_commit,
    ):  # fmt: skip
        notes = ("its patches do not give what it promises", f"met tip commit {stack.tip_commit()}")
        raise InputFault(_differs(source, below.folder, notes))
    store.write(derived.objects)
    return release, stack


def _differs(source: ReleaseSource, folder: Path, notes: tuple[str, ...]) -> Diagnostic:
    return Diagnostic(
        code="base-release-differs",
        message=f"the bundle is not the release `{source.release}` that the base pins",
        place=Place(file=str(folder)),
        notes=notes,
        help="get that release's bundle again; or, to stand on another one: stackproof bump --to BUNDLE",
    )


def _no_path(release: Release, path: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="base-release-path",
            message=f"release `{release.name}` stands on `{path}`, which says nothing here",
            notes=("that path is meant from the folder in which the release was made",),
            help="set base.source.base in release.json to where it lies, seen from here",
        )
    )


def _needless_path(release: Release, given: str) -> InputFault:
    return InputFault(
        Diagnostic(
            code="base-release-path",
            message=f"release `{release.name}` stands on a package of the index, and `{given}` is named instead",
            notes=("the package is found by its name, version and digest",),
            help="remove base.source.base from release.json",
        )
    )


def _twice(release: Release, found: list[BaseRelease]) -> Diagnostic:
    return Diagnostic(
        code="base-release-cycle",
        message=f"two releases of the line are named `{release.name}`",
        notes=(f"the line: {', '.join(each.release.name for each in found)}, {release.name}",),
        help="a release cannot stand on itself: rename the overlay, and seal it again",
    )


def _too_deep(below: BaseRelease, names: Sequence[str]) -> Diagnostic:
    return Diagnostic(
        code="base-release-too-deep",
        message=f"more than {DEEPEST} releases stand on each other",
        place=Place(file=os.fspath(below.folder)),
        notes=(f"the line: {', '.join(names)}, {below.release.name}",),
        help="promote some of them: stackproof promote OVERLAY",
    )
