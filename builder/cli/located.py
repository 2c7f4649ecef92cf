"""Diagnostics as the user of this machine needs them: files of the cache by their full path.

Observations name logs relative to the cache, since they are also sealed and read elsewhere; a line that is pasted into
a shell must find the file from wherever it is pasted.
"""

import shlex
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from verify.model.diagnostic import Diagnostic

_HELP, _NOTE = "less logs/", "log: logs/"


def with_full_paths(diagnostics: Iterable[Diagnostic], cache: Path) -> tuple[Diagnostic, ...]:
    """The same diagnostics, logs named from the root of the file system."""
    return tuple(_located(each, cache) for each in diagnostics)


def _located(told: Diagnostic, cache: Path) -> Diagnostic:
    advice = told.help
    if advice.startswith(_HELP):
        advice = f"less {shlex.quote(str(cache / advice.removeprefix('less ')))}"
    notes = tuple(
        f"log: {cache / note.removeprefix('log: ')}" if note.startswith(_NOTE) else note for note in told.notes
    )
    return replace(told, help=advice, notes=notes)
