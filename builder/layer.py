"""Lays one patch on a tree: every file of it exactly, all of them or none.

All files of a patch refer to the tree before it (so that two files may swap names). Every reason why a file does
not fit is told, not the first one; with a single reason the tree stays as it was. Nothing is searched or guessed.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from builder.hunks import HunkMismatch, apply_exact
from builder.tree import FileState, Obstructed, Tree, file_state, is_submodule_text
from verify.diff.binary import BrokenPayload, apply_delta
from verify.diff.parse import CONTEXT
from verify.model.diagnostic import Diagnostic, Place
from verify.model.ids import RepoPath, show_path
from verify.model.patch import Action, FileChange, Hunk, Mode, Patch
from verify.model.release import BlobState, LockedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Laid:
    """The tree that the patch left, and both sides of each file that it names."""

    tree: Tree
    files: tuple[LockedFile, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotLaid:
    """Why the patch did not go on, for every file and hunk that did not fit."""

    findings: tuple[Diagnostic, ...]


def lay(patch: Patch, tree: Tree, *, file: str, text: bytes) -> Laid | NotLaid:
    """The patch on the tree; `file` and `text` are where the patch was read, for the places of findings."""
    findings: list[Diagnostic] = []
    changes: dict[RepoPath, FileState | None] = {}
    removed = frozenset(removed_paths(patch))
    changes.update(dict.fromkeys(removed))
    where = _Where(file, text)
    for change in patch.files:
        content = _content(change, tree, where, findings)
        if change.new_path is None or content is None:
            continue
        is_new = change.old_path != change.new_path and change.new_path not in removed
        if is_new and tree.entry(change.new_path) is not None:
            findings.append(where.finding("path-exists", "the patch creates a file that is there already", change))
            continue
        changes[change.new_path] = content
    if findings:
        return NotLaid(findings=tuple(findings))
    after = tree.with_changes(changes)
    if isinstance(after, Obstructed):
        at = next((c for c in patch.files if _is_at_or_below(c.new_path, after.path)), patch.files[0])
        text_ = f"`{show_path(after.path)}` would be a file (or link) and a folder at once"
        return NotLaid(findings=(where.finding("path-obstructed", text_, at),))
    named = set(changes) | {change.old_path for change in patch.files if change.old_path is not None}
    files = (LockedFile(path=path, before=tree.entry(path), after=after.entry(path)) for path in sorted(named))
    return Laid(tree=after, files=tuple(files))


def removed_paths(patch: Patch) -> Iterator[RepoPath]:
    """The paths that the patch takes away: deleted files and the old names of renamed ones."""
    for change in patch.files:
        if change.action in (Action.DELETE, Action.RENAME) and change.old_path is not None:
            yield change.old_path


def _is_at_or_below(path: RepoPath | None, top: RepoPath) -> bool:
    return path is not None and (path == top or path.startswith(top + b"/"))


@dataclass(frozen=True, slots=True)
class _Where:
    """The patch file, for the places of findings."""

    file: str
    text: bytes

    def finding(self, code: str, message: str, change: FileChange, *notes: str, line: int = 0) -> Diagnostic:
        number = line or change.source_line
        lines = self.text.split(b"\n", number)
        shown = lines[number - 1][:200].decode("utf-8", "backslashreplace") if 0 < number <= len(lines) else None
        place = Place(file=self.file, line=number, column=1, excerpt=shown, width=max(len(shown or ""), 1))
        return Diagnostic(code=code, message=message, place=place, notes=notes, help=f"stackproof explain {code}")


def _content(change: FileChange, tree: Tree, where: _Where, findings: list[Diagnostic]) -> FileState | None:
    """What the new path shall hold; None after a finding, and for a deleted file that is as the patch says."""
    before: BlobState | None = None
    if change.old_path is not None:
        before = tree.entry(change.old_path)
        if before is None:
            kind = "a folder" if tree.is_folder(change.old_path) else "nothing"
            text = f"the patch changes `{show_path(change.old_path)}`, and {kind} is there"
            findings.append(where.finding("path-missing", text, change))
            return None
        if change.old_mode is not None and before.mode is not change.old_mode:
            note = f"the patch expects mode {change.old_mode}, the tree has {before.mode}"
            findings.append(
                where.finding("path-mode", f"`{show_path(change.old_path)}` has another mode", change, note)
            )
            return None
    mode = change.new_mode or (before.mode if before is not None else Mode.FILE)
    if change.binary is not None:
        data = _binary(change, before, tree, where, findings)
    elif change.hunks:
        data = _text(change, before, tree, where, findings)
    elif before is None:
        data = b""
    else:
        if change.action is Action.DELETE and tree.content(before):
            findings.append(_leaves_content(change, where))
        return FileState(blob=before.blob, mode=mode)
    if data is None:
        return None
    if mode is Mode.SUBMODULE and change.new_path is not None and not is_submodule_text(data):
        text = "a submodule holds one line, `Subproject commit` and a full commit id"
        findings.append(where.finding("submodule-line", text, change))
        return None
    if change.new_path is None:
        if data:
            findings.append(_leaves_content(change, where))
        return None
    return file_state(data, mode)


def _leaves_content(change: FileChange, where: _Where) -> Diagnostic:
    return where.finding("delete-incomplete", "the patch deletes a file and does not remove all of its lines", change)


def _text(
    change: FileChange, before: BlobState | None, tree: Tree, where: _Where, findings: list[Diagnostic]
) -> bytes | None:
    content = tree.content(before) if before is not None else b""
    made = apply_exact(content, change.hunks)
    if isinstance(made, bytes):
        last = change.hunks[-1]
        if not _reaches_context(content, last):
            note = "expected three lines of context below the last change, or the end of the file"
            text = "the hunk has too little context for the file it meets"
            findings.append(where.finding("patch-context", text, change, note, line=last.source_line))
        return made
    hunk = change.hunks[made.hunk]
    path = change.old_path or change.new_path or RepoPath(b"")
    text = f"hunk {made.hunk + 1} of `{show_path(path)}` does not meet its old lines at line {made.expected_line}"
    findings.append(where.finding("hunk-mismatch", text, change, *_met(content, hunk, made), line=hunk.source_line))
    return None


def _reaches_context(content: bytes, last: Hunk) -> bool:
    signs = b"".join(sign for sign, _ in last.lines)
    if len(signs) - len(signs.rstrip(b" ")) >= CONTEXT:
        return True
    olds = len(signs) - signs.count(b"+")
    total = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    return last.old_start + olds - (olds > 0) == total


def _met(content: bytes, hunk: Hunk, mismatch: HunkMismatch) -> tuple[str, ...]:
    lines = content.split(b"\n")
    notes: tuple[str, ...]
    for offset, expected in enumerate(hunk.old()):
        number = mismatch.expected_line + offset
        met = lines[number - 1] if 0 < number <= len(lines) else None
        if met != expected.removesuffix(b"\n"):
            shown = "the file ends before" if met is None else f"met {_show(met)}"
            notes = (f"line {number}: expected {_show(expected)}, {shown}",)
            break
    else:
        notes = ("the lines differ in their line end at the end of the file",)
    if mismatch.found_line is not None:
        notes = (*notes, f"the old lines stand at line {mismatch.found_line}")
    return notes


def _show(line: bytes) -> str:
    return repr(line.removesuffix(b"\n")[:120].decode("utf-8", errors="backslashreplace"))


def _binary(
    change: FileChange, before: BlobState | None, tree: Tree, where: _Where, findings: list[Diagnostic]
) -> bytes | None:
    if change.binary is None:
        return None
    if before is not None and before.blob != change.old_blob:
        note = f"expected blob {change.old_blob}, met {before.blob}"
        findings.append(
            where.finding("binary-mismatch", "the binary file is not the one the patch changes", change, note)
        )
        return None
    forward = change.binary.forward
    content = tree.content(before) if before is not None else b""
    try:
        data = forward.data if forward.kind == "literal" else apply_delta(content, forward.data)
    except BrokenPayload as error:
        findings.append(where.finding("binary-mismatch", f"the binary payload does not fit: {error}", change))
        return None
    made = file_state(data, Mode.FILE).blob
    if change.new_path is not None and made != change.new_blob:
        note = f"expected blob {change.new_blob}, made {made}"
        findings.append(where.finding("binary-mismatch", "the binary payload makes another file", change, note))
        return None
    return data
