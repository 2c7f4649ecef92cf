"""A Debian source tree (3.0 (quilt), or 1.0 with debian/patches) as a project, read as dpkg-source reads it.

The base is the tree without `debian/` and `.pc/`, with no patch applied. Options in the series are ignored, as
dpkg-source ignores them; a file that a patch leaves empty is removed.
"""

import re
from pathlib import Path

from builder.exchange.quilt import import_quilt
from builder.exchange.stack_in import StackIn
from verify.diff.submission import Dialect
from verify.model.diagnostic import Diagnostic, InputFault

_WITHOUT = ("debian", ".pc")
_FORMATS = re.compile(r"3\.0 \(quilt\)|1\.0")


def import_debian(*, source: Path, mapping: Path | None, out: Path, strict: bool) -> StackIn:
    """Read the unpacked source tree and write the project."""
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
            "debian-format", f"source format `{stated}` has no patches that are read", "import its patches by hand"
        )
    applied = source / ".pc/applied-patches"
    if applied.is_file() and applied.read_text("utf-8", "replace").strip():
        raise _fault(
            "debian-applied",
            f"the patches of {source} are applied already, so it is not the base",
            "dpkg-source --skip-patches -x NAME.dsc",
        )
    return import_quilt(
        orig=source,
        patches=patches,
        series=series,
        dialect=Dialect.GNU,
        mapping=mapping,
        out=out,
        strict=strict,
        without=_WITHOUT,
        options=False,
    )


def _fault(code: str, message: str, help_: str) -> InputFault:
    return InputFault(Diagnostic(code=code, message=message, help=help_))
