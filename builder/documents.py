"""The project's own texts, for gates that look at what is written: references to the worklog, tables in pages.

Read are files of known kinds below the project's folder, each bounded in size; hidden folders, links, and folders
that hold what was made (`dist`, `build`, environments, other projects) are passed by. The engine's sources are no
text of the project.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

_SUFFIXES = (".md", ".rst", ".txt", ".yaml", ".yml", ".toml", ".py", ".sh", ".mk", ".cfg", ".ini")
_NAMES = ("Makefile", "README", "WORKLOG", "NOTES", "CHANGES", "release.json")
_PASSED_BY = frozenset({"dist", "build", "node_modules", "__pycache__", "venv", "env", "site-packages"})
_LARGEST = 1 << 20
_MOST = 20_000
_DEEPEST = 12


def read_documents(root: Path, *, without: tuple[str, ...] = ()) -> Mapping[str, str]:
    """Every text by its name relative to the project, sorted; `without` names entries of its top to pass by."""
    found: dict[str, str] = {}
    for name, path in sorted(_files(root, "", frozenset(without), 0)):
        if len(found) >= _MOST:
            break
        text = _text(path)
        if text is not None:
            found[name] = text
    return found


def _files(folder: Path, prefix: str, without: frozenset[str], depth: int) -> Iterator[tuple[str, Path]]:
    try:
        entries = list(os.scandir(folder))
    except OSError:
        return
    if prefix and any(entry.name in ("release.json", "pyvenv.cfg") for entry in entries):
        return  # another project, or an environment
    for entry in entries:
        if entry.name.startswith(".") or entry.name in without or entry.is_symlink():
            continue
        if entry.is_dir():
            if entry.name not in _PASSED_BY and depth < _DEEPEST:
                yield from _files(Path(entry.path), f"{prefix}{entry.name}/", frozenset(), depth + 1)
        elif entry.is_file() and (entry.name in _NAMES or entry.name.endswith(_SUFFIXES)):
            yield f"{prefix}{entry.name}", Path(entry.path)


def _text(path: Path) -> str | None:
    try:
        with path.open("rb") as file:
            data = file.read(_LARGEST + 1)
    except OSError:
        return None
    if len(data) > _LARGEST or b"\0" in data:
        return None
    return data.decode("utf-8", "replace")
