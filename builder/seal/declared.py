"""The declared files once more, byte for byte, for the bundle: they must still be the ones that were judged.

Between reading and sealing hours may pass, and the files lie where people work. So they are read again, in the order
of the release's digest, and that digest decides.
"""

from pathlib import Path

from verify.manifest.block import block_file
from verify.manifest.bump import BUMP_FILE
from verify.manifest.files import DOCUMENT_LIMIT, LOCK_LIMIT, PATCH_LIMIT, Files
from verify.manifest.lock import LOCK_FILE
from verify.manifest.mistakes import Mistakes
from verify.manifest.release import RELEASE_FILE
from verify.manifest.reviews import read_reviews
from verify.model.deviation import REGISTER
from verify.model.diagnostic import Diagnostic, InputFault, Place
from verify.model.digest import release_digest
from verify.model.release import Release


def declared_files(root: Path, release: Release) -> tuple[tuple[str, bytes], ...]:
    """Name and bytes of every declared file, in the order of the digest; `InputFault` when one has changed."""
    mistakes = Mistakes()
    files = Files(root, mistakes)
    files.read(RELEASE_FILE, limit=DOCUMENT_LIMIT)
    for block in release.blocks:
        files.read(block_file(block.name), limit=DOCUMENT_LIMIT)
        for fold in block.folds:
            files.read(fold.patch_file, limit=PATCH_LIMIT)
            files.read(fold.patch_file.removesuffix("fold.patch") + "source.patch", limit=PATCH_LIMIT)
    for block in release.blocks:
        read_reviews(block.name, files, mistakes)
    files.read(REGISTER, limit=DOCUMENT_LIMIT)
    for name in (LOCK_FILE, BUMP_FILE):
        files.read(name, limit=LOCK_LIMIT)
    mistakes.raise_if_any()
    met = release_digest(files.read_so_far)
    if met != release.digest:
        raise InputFault(
            Diagnostic(
                code="declared-files-changed",
                message="the declared files are not those that were judged any more",
                place=Place(file=str(root / RELEASE_FILE)),
                notes=(f"digest now     {met}", f"digest judged  {release.digest}"),
                help="stackproof release",
            )
        )
    return tuple(files.read_so_far)
