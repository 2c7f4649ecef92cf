"""Makes the image of the engine's program, and tries it: the program must start from the image's own files alone.

No container engine is needed: the layers are tars like every other archive, and the trial lets the image's own loader
start the program with the image's libraries.
"""

import hashlib
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from builder.seal.archive import packed, tar_of, unpack_to
from builder.seal.system import System, system_of
from verify.bundle.documents import ReleaseDocument
from verify.bundle.image import HOME, Layer, image_layout
from verify.bundle.stack import BundleStack
from verify.bundle.tarball import Entry, tar_chunks
from verify.model.artifact import ImageDecl
from verify.model.diagnostic import Diagnostic, EnvironmentFault
from verify.model.ids import Sha256

_SECONDS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """The layout's members, and the system's part."""

    members: Mapping[str, bytes]
    system: System


def make_image(
    *, declared: ImageDecl, binaries: tuple[Entry, ...], machine: str, release: ReleaseDocument, stack: BundleStack
) -> Image:
    """The image of a configuration's binaries, licences among them; `machine` is that of the build's key."""
    seconds = stack.seconds()
    engine = _layer(tar_of(binaries, below=HOME, seconds=seconds))
    with tempfile.TemporaryDirectory(prefix="stackproof-image-") as scratch:
        root = Path(scratch)
        unpack_to(engine.data, root, seconds=seconds)
        system = system_of(root / HOME / "bin")
        below = _layer(b"".join(tar_chunks(system.entries, seconds=seconds)))
        unpack_to(below.data, root, seconds=seconds)
        _try(root, declared, system)
    members = image_layout(release=release, stack=stack, declared=declared, machine=machine, layers=(below, engine))
    return Image(members=members, system=system)


def _layer(tar: bytes) -> Layer:
    return Layer(data=packed(tar), diff_id=Sha256(hashlib.sha256(tar).hexdigest()))


def loader_command(root: Path, program: Path) -> list[str]:
    """A command that starts a program of an unpacked image with the image's loader and libraries, and no others."""
    loader = next(iter(sorted(root.glob("lib*/ld-linux*.so.*"))), None)
    if loader is None:
        raise EnvironmentFault(
            Diagnostic(
                code="image-no-loader",
                message="the program of the image needs no loader of the system, or one that is not known",
                help="leave `image` out of `artifacts` in release.json",
            )
        )
    folders = sorted({str(each.parent) for each in root.glob("**/*.so*") if "opt" not in each.relative_to(root).parts})
    return [str(loader), "--inhibit-cache", "--library-path", ":".join(folders), str(program)]


def _try(root: Path, declared: ImageDecl, system: System) -> None:
    program = root / HOME / "bin" / declared.program
    command = loader_command(root, program)
    try:
        listed = subprocess.run(
            [command[0], "--list", *command[1:]], env={}, capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise _not_started(declared, str(error)) from error
    said = listed.stdout.decode("utf-8", "replace")
    outside = [
        line.strip()
        for line in said.splitlines()
        if "=>" in line and str(root) not in line.partition("=>")[2] and "vdso" not in line
    ]
    if listed.returncode != 0 or outside:
        last = listed.stderr.decode("utf-8", "replace").strip().splitlines()[-2:]
        raise _not_started(declared, *outside, *last, f"{len(system.files)} libraries of the system are in it")


def _not_started(declared: ImageDecl, *notes: str) -> EnvironmentFault:
    return EnvironmentFault(
        Diagnostic(
            code="image-incomplete",
            message=f"`{declared.program}` cannot be loaded from the image's files alone",
            notes=notes,
            help="leave `image` out of `artifacts` in release.json, and report it",
        )
    )
