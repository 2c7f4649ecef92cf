"""Which files of a source tree are licences, and which text of a vendored file is one.

Takes the files of the tip and gives what every archive of binaries carries. A vendored library without a licence file
carries its licence in its own source, so that comment is copied out. Computed the same way by the seal and by whoever
checks a bundle.
"""

import re
from collections.abc import Iterable

from verify.bundle.tarball import Entry
from verify.model.ids import RepoPath
from verify.model.patch import Mode

_NAME = re.compile(rb"(?i)(?:licen[cs]e|copying|notice|copyright|unlicense)(?:[-_.].*)?")
_CODE = re.compile(rb"(?i)\.(?:cmake|py|c|cc|cpp|h|hpp|js|ts|sh|cu|m|swift|kt|go|rs)$")
_VENDORED = re.compile(rb"(?:^|.*/)(?:vendor|vendors|third_party|thirdparty|3rdparty|extern|deps)/")
_SOURCE = re.compile(rb"(?i)\.(?:h|hh|hpp|c|cc|cpp|inl)$")
_GRANT = re.compile(
    rb"(?i)permission is hereby granted|spdx-license-identifier|free and unencumbered software|public domain"
    rb"|redistribution and use in source|apache license"
)
_COMMENT = re.compile(rb"/\*.*?\*/|(?:^[ \t]*//[^\n]*\n)+", re.DOTALL | re.MULTILINE)
_EDGE = 64 << 10
"""Licences stand at the start or the end of a file; a large one is not read through."""


def licence_files(tree: Iterable[Entry]) -> dict[RepoPath, bytes]:
    """What to carry, by the path of the file that it is or comes from."""
    files = [entry for entry in tree if entry.mode is not Mode.SYMLINK]
    named = {entry.path: entry.data for entry in files if _is_licence(entry.path)}
    covered = {_folder(path) for path in named} - {b""}
    bare = [entry for entry in files if _VENDORED.match(entry.path) and _SOURCE.search(entry.path)]
    said = {
        entry.path: text
        for entry in bare
        if not any(entry.path.startswith(folder + b"/") for folder in covered) and (text := _grants(entry.data))
    }
    return dict(sorted({**named, **said}.items()))


def _is_licence(path: RepoPath) -> bool:
    name = path.rsplit(b"/", 1)[-1]
    return _NAME.fullmatch(name) is not None and _CODE.search(name) is None


def _folder(path: RepoPath) -> bytes:
    return path.rpartition(b"/")[0]


def _grants(data: bytes) -> bytes:
    """Every comment that grants something, once."""
    ends = data if len(data) <= 2 * _EDGE else data[:_EDGE] + b"\n" + data[-_EDGE:]
    found = dict.fromkeys(match[0].strip() for match in _COMMENT.finditer(ends) if _GRANT.search(match[0]))
    return b"\n\n".join(found) + b"\n" if found else b""
