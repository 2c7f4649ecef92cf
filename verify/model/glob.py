"""The globs by which a block says what it owns: how they are spelled and what they match.

`*` and `?` stay within one path component; `**` stands alone as a component and is any number of folders, or, as
the last one, everything below. There are no character classes, so that a path may hold brackets.
"""

import re
from functools import lru_cache

from verify.model.ids import RepoPath

_SPELLING = re.compile(r"[^\x00-\x1f\x7f\\]+")


def unsafe_glob(glob: str) -> str | None:
    """Why a block must not own by this glob; None when it may."""
    if _SPELLING.fullmatch(glob) is None:
        return "it is empty" if not glob else "it holds a backslash or a control character"
    parts = glob.split("/")
    if glob.startswith("/"):
        return "it is absolute"
    for part in parts:
        if not part:
            return "it has an empty component"
        if part in {".", ".."}:
            return f"it has the component `{part}`"
        if part.casefold() == ".git":
            return "it reaches into `.git`"
        if "**" in part and part != "**":
            return f"`**` must stand alone between slashes, and `{part}` has more"
    if all(set(part) == {"*"} for part in parts):
        return "it owns everything"
    return None


def glob_matches(glob: str, path: RepoPath) -> bool:
    """Whether the glob matches the whole path."""
    return _compiled(glob).fullmatch(path) is not None


@lru_cache(maxsize=1024)
def _compiled(glob: str) -> re.Pattern[bytes]:
    parts = glob.split("/")
    pattern = b""
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if part == "**":
            pattern += rb".+" if last else rb"(?:[^/]+/)*"
        else:
            pattern += b"".join(_piece(character) for character in re.split(r"([*?])", part))
            pattern += b"" if last else b"/"
    return re.compile(pattern, re.DOTALL)


def _piece(text: str) -> bytes:
    if text == "*":
        return rb"[^/]*"
    if text == "?":
        return rb"[^/]"
    return re.escape(text.encode("utf-8"))
