"""Which paths a patch may name at all: none that leaves the tree or reaches into the repository itself.

Patches come from strangers. A path is refused when it is absolute, empty, has an empty, `.` or `..` component, a
NUL, or a component that some file system reads as `.git` (any case, trailing dots and spaces, the short name
`git~1`, an NTFS stream, code points that HFS+ ignores). Whether a parent is a symlink or a file is a question to the
tree, and is answered there. `awkward_path` holds the softer rules, for paths that a fold brings into the tree.
"""

import re

from verify.model.ids import RepoPath

_DOT_GIT = re.compile(rb"(?:\.git|git~1)[. ]*(?::.*)?", re.IGNORECASE | re.DOTALL)
_IGNORED_BY_HFS = re.compile("[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]")
_RESERVED = re.compile(rb"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(?:[. ].*)?", re.IGNORECASE | re.DOTALL)
_NOT_ON_WINDOWS = re.compile(rb'[\x00-\x1f<>:"|?*\\]')
_MAX_PATH = 4096
_MAX_DEPTH = 256


def unsafe_path(path: bytes) -> str | None:
    """Why a patch must not name this path; None when it may."""
    if not path:
        return "it is empty"
    if path.startswith(b"/"):
        return "it is absolute"
    if b"\0" in path:
        return "it holds a NUL byte"
    if len(path) > _MAX_PATH:
        return f"it is longer than {_MAX_PATH} bytes"
    parts = path.split(b"/")
    if len(parts) > _MAX_DEPTH:
        return f"it is deeper than {_MAX_DEPTH} folders"
    for part in parts:
        if not part:
            return "it has an empty component"
        if part in (b".", b".."):
            return f"it has the component `{part.decode()}`"
        if _is_dot_git(part):
            return "it reaches into `.git`"
    return None


def _is_dot_git(part: bytes) -> bool:
    for piece in part.split(b"\\"):  # NTFS takes a backslash for a separator
        if _DOT_GIT.fullmatch(piece):
            return True
    if part.isascii():
        return False
    plain = _IGNORED_BY_HFS.sub("", part.decode("utf-8", errors="replace"))
    return plain.lower() == ".git"


def awkward_path(path: RepoPath) -> str | None:
    """Why some system cannot check this path out; None when all can."""
    for part in path.split(b"/"):
        if _RESERVED.fullmatch(part):
            return f"`{part.decode('ascii', 'replace')}` is a reserved name on Windows"
        if found := _NOT_ON_WINDOWS.search(part):
            return f"Windows does not allow the byte 0x{found[0].hex()} in a name"
        if part.endswith((b".", b" ")):
            return "Windows drops a final dot or space of a name"
    try:
        path.decode("utf-8")
    except UnicodeDecodeError:
        return "it is not UTF-8, which macOS refuses"
    return None
