"""A Debian source tree (3.0 (quilt), or 1.0 with debian/patches) as a project, read as dpkg-source reads it.

The base is the tree without `debian/` and `.pc/`. Where patches are applied, as `dpkg-source -x` leaves them, the files
before them are taken from `.pc/`, the stack must lead back to the files on disk, and the base goes into the project as
an archive, since it lies nowhere else. Options in the series are ignored, as dpkg-source ignores them; a file that a
patch leaves empty is removed.
"""

import os
import re
from pathlib import Path

from builder.exchange.base_archive import archive_source
from builder.exchange.folder_tree import folder_tree
from builder.exchange.project import check_place, check_unused, folder_source
from builder.exchange.quilt import read_series_on, write_taken
from builder.exchange.stack_in import StackIn, slug
from builder.tree import FileState, Obstructed, Tree, file_state
from verify.diff.submission import Dialect
from verify.model.diagnostic import Diagnostic, InputFault
from verify.model.ids import RepoPath, show_path
from verify.model.patch import Mode

_WITHOUT = ("debian", ".pc")
_FORMATS = re.compile(r"3\.0 \(quilt\)|1\.0")
_MOST_TOLD = 5


def import_debian(*, source: Path, mapping: Path | None, out: Path, strict: bool) -> StackIn:
    """Read the unpacked source tree and write the project."""
    check_place(source, out)
    series = _series(source)
    on_disk = folder_tree(source, without=_WITHOUT)
    applied = _applied(source)
    base = _before(source, on_disk, applied)
    taken = read_series_on(
        base,
        patches=source / "debian/patches",
        series=series,
        dialect=Dialect.GNU,
        mapping=mapping,
        name=slug(out.absolute().name),
        strict=strict,
        options=False,
    )
    if not applied:
        write_taken(taken, out, folder_source(source, out, _WITHOUT))
        return taken
    reached = taken.stack.layers[len(applied) - 1].after if len(applied) <= len(taken.stack.layers) else None
    if reached != on_disk.id:
        raise _differs(source, Tree.at(taken.tip.overlay, reached) if reached is not None else base, on_disk)
    check_unused(out)
    write_taken(taken, out, archive_source(base, out))
    return taken


def _series(source: Path) -> Path:
    patches = source / "debian/patches"
    series = next((patches / name for name in ("debian.series", "series") if (patches / name).is_file()), None)
    if series is None:
        raise _fault(
            "debian-no-series", f"{source} has no debian/patches/series", "name the tree that `dpkg-source -x` made"
        )
    declared = source / "debian/source/format"
    stated = declared.read_text("utf-8", "replace").strip() if declared.is_file() else "1.0"
    if _FORMATS.fullmatch(stated) is None:
        raise _fault(
            "debian-format", f"source format `{stated}` has no patches that are read", "stackproof import quilt"
        )
    return series


def _applied(source: Path) -> list[str]:
    """The patches that are applied, in their order."""
    listed = source / ".pc/applied-patches"
    text = listed.read_text("utf-8", "surrogateescape") if listed.is_file() else ""
    names = [name for name in text.split("\n") if name]
    if any(name.startswith("/") or ".." in name.split("/") for name in names):
        raise _fault("series-path", f"{listed} names a patch outside of its folder", "dpkg-source --skip-patches -x")
    return names


def _before(source: Path, on_disk: Tree, applied: list[str]) -> Tree:
    """The tree before the applied patches: of each file the first copy that was kept in `.pc/`."""
    kept: dict[RepoPath, FileState | None] = {}
    for name in applied:
        top = source / ".pc" / name
        if not top.resolve().is_relative_to((source / ".pc").resolve()):
            raise _fault("debian-applied", f"{top} leads out of the source tree", _UNPACK_AGAIN)
        for folder, _, files in os.walk(top):
            for file in sorted(files):
                copy = Path(folder, file)
                path = RepoPath(os.fsencode(copy.relative_to(top)))
                if path != b".timestamp" and path not in kept:
                    kept[path] = _copy(copy)
    before = on_disk.with_changes(kept)
    if isinstance(before, Obstructed):
        raise _fault(
            "debian-applied", f"the copies in {source}/.pc fit no tree: {show_path(before.path)}", _UNPACK_AGAIN
        )
    return before


def _copy(copy: Path) -> FileState | None:
    """A kept file; an empty copy stands for a file that was not there."""
    if copy.is_symlink():
        return file_state(os.fsencode(copy.readlink()), Mode.SYMLINK)
    data = copy.read_bytes()
    executable = copy.stat().st_mode & 0o100
    return file_state(data, Mode.EXECUTABLE if executable else Mode.FILE) if data else None


_UNPACK_AGAIN = "dpkg-source --skip-patches -x NAME.dsc"


def _differs(source: Path, reached: Tree, on_disk: Tree) -> InputFault:
    paths = [show_path(path) for path, _ in reached.differences(on_disk)]
    more = f" and {len(paths) - _MOST_TOLD} more" if len(paths) > _MOST_TOLD else ""
    return InputFault(
        Diagnostic(
            code="debian-applied",
            message=f"the applied patches of {source} do not lead to the files on disk",
            notes=(f"they differ in {', '.join(paths[:_MOST_TOLD])}{more}",),
            help=_UNPACK_AGAIN,
        )
    )


def _fault(code: str, message: str, help_: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, help=help_))
