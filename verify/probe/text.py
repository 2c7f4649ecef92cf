"""The file of a text that comes with this package, compared with its SHA-256 before anything is read from it."""

from pathlib import Path

from verify.model.diagnostic import Diagnostic, EnvironmentFault, Place
from verify.model.ids import Sha256
from verify.model.text import TEXTS
from verify.probe.engine import file_sha256

_FOLDER = Path(__file__).with_name("texts")


def text_file(digest: Sha256) -> Path:
    """Where the text lies; raises where it is not there or not what it should be."""
    name = next((text for text, known in TEXTS.items() if known == digest), None)
    path = _FOLDER / f"{name}.txt"
    met = file_sha256(path) if path.is_file() else None
    if met != digest:
        raise EnvironmentFault(
            Diagnostic(
                code="text-damaged",
                message=f"the text `{name or digest}` is not the one that is asked for",
                place=Place(file=str(path)),
                notes=(f"met: {met or 'no such file'}", f"expected: {digest}"),
                help="install stackproof anew",
            )
        )
    return path
