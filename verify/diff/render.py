"""Prints a patch in its one canonical form (docs/patch-format.md); `parse_canonical` is its exact inverse.

Files are in the order of their paths, a deletion before a creation of the same path. The hunks are printed as they
are: whoever makes a canonical patch (see `builder/canonical.py`) gives them exact lines and three lines of context.
"""

from verify.diff.binary import encode
from verify.diff.quote import quote_name
from verify.model.patch import Action, FileChange, Hunk, Patch

_NO_NEWLINE = b"\n\\ No newline at end of file\n"


def render_patch(patch: Patch) -> bytes:
    """The canonical bytes of the patch."""
    return b"".join(render_file(change) for change in sorted(patch.files, key=file_order))


def file_order(change: FileChange) -> tuple[bytes, bool]:
    """Where the file stands in a canonical patch."""
    return change.new_path or change.old_path or b"", change.action is not Action.DELETE


def render_file(change: FileChange) -> bytes:
    """One file of the patch: its header lines, then its hunks or binary payload."""
    old = change.old_path if change.old_path is not None else change.new_path
    new = change.new_path if change.new_path is not None else change.old_path
    if old is None or new is None:
        raise ValueError("a file change names no path")
    out = [b"diff --git ", quote_name(b"a/" + old), b" ", quote_name(b"b/" + new), b"\n", *_extended(change, old, new)]
    if change.binary is not None:
        out += (b"index ", (change.old_blob or "0" * 40).encode(), b"..", (change.new_blob or "0" * 40).encode())
        out += (b"\nGIT binary patch\n", encode(change.binary.forward))
        if change.binary.reverse is not None:
            out.append(encode(change.binary.reverse))
    elif change.hunks:
        out += (b"--- ", _side(b"a/", change.old_path), b"\n+++ ", _side(b"b/", change.new_path), b"\n")
        for hunk in change.hunks:
            out += render_hunk(hunk)
    return b"".join(out)


def _extended(change: FileChange, old: bytes, new: bytes) -> tuple[bytes, ...]:
    modes: tuple[bytes, ...] = ()
    if change.old_mode is not None and change.new_mode is not None and change.old_mode != change.new_mode:
        modes = (f"old mode {change.old_mode}\nnew mode {change.new_mode}\n".encode(),)
    match change.action:
        case Action.CREATE:
            return (f"new file mode {change.new_mode}\n".encode(),)
        case Action.DELETE:
            return (f"deleted file mode {change.old_mode}\n".encode(),)
        case Action.RENAME:
            return (*modes, b"rename from ", quote_name(old), b"\nrename to ", quote_name(new), b"\n")
        case Action.COPY:
            return (*modes, b"copy from ", quote_name(old), b"\ncopy to ", quote_name(new), b"\n")
        case Action.MODIFY:
            return modes


def _side(prefix: bytes, path: bytes | None) -> bytes:
    if path is None:
        return b"/dev/null"
    quoted = quote_name(prefix + path)
    return quoted + b"\t" if b" " in quoted and not quoted.startswith(b'"') else quoted


def render_hunk(hunk: Hunk) -> list[bytes]:
    """One hunk: its `@@` line with both counts, its lines, and the marker where a line has no end."""
    olds = sum(sign != b"+" for sign, _ in hunk.lines)
    news = sum(sign != b"-" for sign, _ in hunk.lines)
    out = [b"@@ -%d,%d +%d,%d @@\n" % (hunk.old_start, olds, hunk.new_start, news)]
    for sign, text in hunk.lines:
        out += (sign, text)
        if not text.endswith(b"\n"):
            out.append(_NO_NEWLINE)
    return out
