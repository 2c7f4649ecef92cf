"""Exports on disk: a new file or a new folder, whole or not there, and never over something that exists."""

import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from builder.write import write_file
from verify.model.diagnostic import Diagnostic, InputFault


def write_new_file(out: Path, data: bytes) -> None:
    """Write a file that must not exist."""
    _refuse_existing(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    write_file(out, data)


def write_new_folder(out: Path, files: Mapping[str, bytes]) -> None:
    """Write a folder that must not exist, beside its place, and move it there."""
    _refuse_existing(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(prefix=f".{out.name}-", dir=out.parent))
    try:
        scratch.chmod(0o755)
        for name, data in files.items():
            file = scratch / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        scratch.rename(out)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise


def _refuse_existing(out: Path) -> None:
    if out.exists() or out.is_symlink():
        raise InputFault(
            Diagnostic(
                code="export-exists",
                message=f"{out} exists already",
                notes=("an export never writes over anything",),
                help="name another place with --out",
            )
        )
